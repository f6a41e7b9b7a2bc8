#include "io/encoder.h"

#include <cstring>

#include <tbb/parallel_for.h>

namespace throng::io {
namespace {

// A text in a chunk of DuckDB's.
struct View {
  const char* data = nullptr;
  std::uint32_t length = 0;
};

std::uint64_t hash_of(const View& view) {
  constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15ULL;
  std::uint64_t hash = view.length * kPrime;
  const char* at = view.data;
  std::size_t left = view.length;
  while (left >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 32;
    at += 8;
    left -= 8;
  }
  std::uint64_t word = 0;
  std::memcpy(&word, at, left);
  hash = (hash ^ word) * kPrime;
  return hash ^ (hash >> 29);
}

}  // namespace

// One column's dictionary and codes on one thread.
class Encoder::ThreadColumn {
 public:
  Code code_of(const View& view) {
    if ((texts_.size() + 1) * 2 > slots_.size()) grow();
    const std::uint64_t hash = hash_of(view);
    std::size_t slot = hash & (slots_.size() - 1);
    for (;; slot = (slot + 1) & (slots_.size() - 1)) {
      const Slot& here = slots_[slot];
      if (here.code == kFree) break;
      if (here.hash == static_cast<std::uint32_t>(hash >> 32)) {
        const std::string& text = texts_[here.code];
        if (text.size() == view.length && std::memcmp(text.data(), view.data, view.length) == 0)
          return here.code;
      }
    }
    const auto code = static_cast<Code>(texts_.size());
    slots_[slot] = {static_cast<std::uint32_t>(hash >> 32), code};
    texts_.emplace_back(view.data, view.length);
    hashes_.push_back(hash);
    return code;
  }

  void append(duckdb_vector vector, idx_t count) {
    auto* strings = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
    const std::uint64_t* valid = duckdb_vector_get_validity(vector);
    pending_.resize(count);
    for (idx_t i = 0; i < count; ++i) {
      View view;
      if (valid == nullptr || ((valid[i / 64] >> (i % 64)) & 1U) != 0) {
        view.length = strings[i].value.inlined.length;
        view.data =
            view.length <= 12 ? strings[i].value.inlined.inlined : strings[i].value.pointer.ptr;
      } else {
        view.data = "";
      }
      pending_[i] = code_of(view);
    }
    // Narrow as long as the dictionary allows; widen all that there is when it no longer does.
    if (texts_.size() <= 1U << 8) {
      narrow_.insert(narrow_.end(), pending_.begin(), pending_.end());
    } else if (texts_.size() <= 1U << 16) {
      middle_.insert(middle_.end(), narrow_.begin(), narrow_.end());
      narrow_ = {};
      middle_.insert(middle_.end(), pending_.begin(), pending_.end());
    } else {
      wide_.insert(wide_.end(), narrow_.begin(), narrow_.end());
      wide_.insert(wide_.end(), middle_.begin(), middle_.end());
      narrow_ = {};
      middle_ = {};
      wide_.insert(wide_.end(), pending_.begin(), pending_.end());
    }
  }

  std::size_t rows() const { return narrow_.size() + middle_.size() + wide_.size(); }
  const std::vector<std::string>& texts() const { return texts_; }
  std::vector<std::string>& texts() { return texts_; }

  // Writes the codes, each replaced by `mapping[code]`, from `row` on.
  void copy(Codes& to, std::size_t row, const std::vector<Code>& mapping) const {
    to.visit([&](auto& target) {
      using Narrow = typename std::decay_t<decltype(target)>::value_type;
      const auto write = [&](const auto& codes) {
        for (const auto code : codes) target[row++] = static_cast<Narrow>(mapping[code]);
      };
      write(narrow_);
      write(middle_);
      write(wide_);
    });
  }

 private:
  static constexpr Code kFree = ~Code{0};
  struct Slot {
    std::uint32_t hash = 0;
    Code code = kFree;
  };

  void grow() {
    std::vector<Slot> slots(std::max<std::size_t>(1024, slots_.size() * 2));
    for (Code code = 0; code < texts_.size(); ++code) {
      std::size_t slot = hashes_[code] & (slots.size() - 1);
      while (slots[slot].code != kFree) slot = (slot + 1) & (slots.size() - 1);
      slots[slot] = {static_cast<std::uint32_t>(hashes_[code] >> 32), code};
    }
    slots_ = std::move(slots);
  }

  std::vector<Slot> slots_;
  std::vector<std::string> texts_;
  std::vector<std::uint64_t> hashes_;
  std::vector<Code> pending_;
  std::vector<std::uint8_t> narrow_;
  std::vector<std::uint16_t> middle_;
  std::vector<std::uint32_t> wide_;
};

Encoder::Encoder(std::vector<std::string> names) : names_(std::move(names)) {}
Encoder::~Encoder() = default;

void Encoder::take(duckdb_data_chunk chunk) {
  ThreadColumns* columns = nullptr;
  {
    const std::lock_guard lock(mutex_);
    auto& mine = threads_[std::this_thread::get_id()];
    if (!mine) mine = std::make_unique<ThreadColumns>(names_.size());
    columns = mine.get();
  }
  const idx_t count = duckdb_data_chunk_get_size(chunk);
  for (std::size_t i = 0; i < names_.size(); ++i)
    (*columns)[i].append(duckdb_data_chunk_get_vector(chunk, i), count);
}

std::vector<RawColumn> Encoder::finish() {
  std::vector<RawColumn> result(names_.size());
  tbb::parallel_for(std::size_t{0}, names_.size(), [&](std::size_t i) {
    // All dictionaries go into one, each with the mapping of its codes.
    ThreadColumn whole;
    std::vector<std::vector<Code>> mappings;
    std::size_t rows = 0;
    for (const auto& [id, columns] : threads_) {
      auto& mapping = mappings.emplace_back();
      for (const std::string& text : (*columns)[i].texts()) {
        mapping.push_back(whole.code_of({text.data(), static_cast<std::uint32_t>(text.size())}));
      }
      rows += (*columns)[i].rows();
    }
    result[i].name = names_[i];
    result[i].codes = Codes(rows, whole.texts().size());
    std::size_t row = 0, thread = 0;
    for (const auto& [id, columns] : threads_) {
      (*columns)[i].copy(result[i].codes, row, mappings[thread++]);
      row += (*columns)[i].rows();
      (*columns)[i] = ThreadColumn();
    }
    result[i].texts = std::move(whole.texts());
  });
  return result;
}

}  // namespace throng::io
