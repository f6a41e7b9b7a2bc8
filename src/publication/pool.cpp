#include "publication/pool.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "publication/packing.h"

namespace throng {
namespace {

// The batch of each record travels through the frequency list as one more column. No column of a
// policy may be called so.
const std::string kBatchColumn = "throng:batch";

// Whether the values of a quasi-identifier come from the data alone.
bool is_open(const ColumnPolicy& column) {
  return !column.generalization.domain &&
         !std::holds_alternative<HierarchyFile>(column.generalization.hierarchy);
}

// All columns of one name, one after another, with texts that no record has.
RawColumn joined(const std::string& name, const std::vector<RawRecords>& records,
                 std::size_t column, const std::vector<std::string>& known, std::size_t rows) {
  RawColumn raw;
  raw.name = name;
  raw.texts = known;
  std::vector<Code> codes;
  codes.reserve(rows);
  for (const RawRecords& part : records) {
    const RawColumn& from = part.columns[column];
    const Code first = static_cast<Code>(raw.texts.size());
    raw.texts.insert(raw.texts.end(), from.texts.begin(), from.texts.end());
    for (std::size_t row = 0; row < part.rows; ++row) codes.push_back(first + from.codes[row]);
  }
  raw.codes = Codes(codes, raw.texts.size());
  return raw;
}

}  // namespace

RawRecords raw_records(const Table& table, std::uint32_t batch) {
  RawRecords records{batch, {}, table.rows};
  for (const Column& column : table.columns) {
    records.columns.push_back({column.name, column.values.labels, column.codes});
  }
  return records;
}

std::string pack(const RawRecords& records) {
  Packer packer;
  packer.number(records.rows);
  for (const RawColumn& column : records.columns) {
    packer.number(column.texts.size());
    for (const std::string& text : column.texts) packer.text(text);
    for (std::size_t row = 0; row < records.rows; ++row) packer.number(column.codes[row]);
  }
  return std::move(packer).take();
}

RawRecords unpack(std::string_view bytes, const std::vector<std::string>& names,
                  std::uint32_t batch) {
  Unpacker unpacker(bytes);
  RawRecords records{batch, {}, unpacker.number()};
  for (const std::string& name : names) {
    RawColumn column;
    column.name = name;
    column.texts.resize(unpacker.number());
    for (std::string& text : column.texts) text = unpacker.text();
    column.codes = Codes(records.rows, column.texts.size());
    for (std::size_t row = 0; row < records.rows; ++row) {
      column.codes.set(row, static_cast<Code>(unpacker.number()));
    }
    records.columns.push_back(std::move(column));
  }
  return records;
}

std::string pack(const KnownValues& values) {
  Packer packer;
  for (const auto& [name, texts] : values) {
    packer.text(name);
    packer.number(texts.size());
    for (const std::string& text : texts) packer.text(text);
  }
  return std::move(packer).take();
}

void unpack_into(std::string_view bytes, KnownValues& values) {
  Unpacker unpacker(bytes);
  while (!unpacker.at_end()) {
    auto& texts = values[std::string(unpacker.text())];
    for (std::uint64_t count = unpacker.number(); count > 0; --count) {
      texts.emplace_back(unpacker.text());
    }
  }
}

std::string raw_context(std::int64_t batch) {
  return "the raw records of batch " + std::to_string(batch);
}
std::string known_context(std::int64_t release) {
  return "the known values of release " + std::to_string(release);
}

Pool::Pool(const std::vector<RawRecords>& records, const KnownValues& known, const Policy& policy,
           const std::vector<std::string>& names)
    : policy_(policy) {
  Table table;
  for (const RawRecords& part : records) table.rows += part.rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ColumnPolicy& rule = *policy.find(names[i]);
    const auto seen = known.find(names[i]);
    table.columns.push_back(
        encode(joined(names[i], records, i,
                      seen == known.end() ? std::vector<std::string>() : seen->second, table.rows),
               rule.type, missing_rule(policy, rule)));
  }
  RawColumn batches;
  batches.name = kBatchColumn;
  std::vector<Code> codes;
  for (const RawRecords& part : records) {
    codes.insert(codes.end(), part.rows, static_cast<Code>(batches.texts.size()));
    batches.texts.push_back(std::to_string(part.batch));
  }
  batches.codes = Codes(codes, batches.texts.size());
  table.columns.push_back(encode(std::move(batches), {}, {.values = {}}));
  Policy with_batch = policy;
  with_batch.columns.push_back({kBatchColumn, Role::insensitive, {}, {}});
  list_ = make_frequency_list(table, with_batch);

  const FrequencyList::Plain& column = list_.plain.back();
  batch_of_.resize(list_.entry_of.size());
  oldest_.assign(list_.size(), ~std::uint32_t{0});
  for (std::size_t i = 0; i < list_.entry_of.size(); ++i) {
    const std::string& label = column.values.labels[column.codes[i]];
    std::from_chars(label.data(), label.data() + label.size(), batch_of_[i]);
    std::uint32_t& oldest = oldest_[list_.entry_of[i]];
    oldest = std::min(oldest, batch_of_[i]);
  }
  list_.plain.pop_back();
  list_.layout.pop_back();
}

KnownValues Pool::additions(const KnownValues& known) const {
  KnownValues added;
  for (const Domain& domain : list_.domains) {
    const auto seen = known.find(domain.name);
    const std::set<std::string> old = seen == known.end()
                                          ? std::set<std::string>()
                                          : std::set(seen->second.begin(), seen->second.end());
    const auto add = [&](const std::string& label) {
      if (!old.contains(label)) added[domain.name].push_back(label);
    };
    const Dictionary& values = domain.values;
    const bool open = is_open(*policy_.find(domain.name));
    if (open && domain.kind == Domain::Kind::interval && values.present() > 0) {
      add(values.labels.front());
      if (values.present() > 1) add(values.labels[values.present() - 1]);
    } else if (open) {
      for (std::size_t i = 0; i < values.present(); ++i) add(values.labels[i]);
    }
    if (values.missing) add(values.labels.back());
    // A tree tells a missing value from no other leaf; one that the policy gives may have got it.
    if (!open && domain.tree && !policy_.missing.values.empty() &&
        domain.tree->find_leaf(policy_.missing.values.front())) {
      add(policy_.missing.values.front());
    }
  }
  return added;
}

std::vector<RawRecords> Pool::left_out(const Partition& partition) const {
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_batch;  // combinations, repeated
  for (std::uint32_t i = 0; i < list_.entry_of.size(); ++i) {
    if (partition.class_of[list_.entry_of[i]] != kSuppressed) continue;
    auto& rows = by_batch[batch_of_[i]];
    rows.insert(rows.end(), list_.plain_weights[i], i);
  }
  std::vector<RawRecords> result;
  for (const auto& [batch, rows] : by_batch) {
    RawRecords& records = result.emplace_back();
    records.batch = batch;
    records.rows = rows.size();
    for (const auto& slot : list_.layout) {
      const std::string& name =
          slot.quasi ? list_.domains[slot.index].name : list_.plain[slot.index].name;
      const std::vector<std::string>& labels = slot.quasi ? list_.domains[slot.index].values.labels
                                                          : list_.plain[slot.index].values.labels;
      const auto code_of = [&](std::uint32_t row) {
        return slot.quasi ? list_.positions[slot.index][list_.entry_of[row]]
                          : list_.plain[slot.index].codes[row];
      };
      RawColumn column;
      column.name = name;
      std::map<Code, Code> places;
      std::vector<Code> codes;
      for (const std::uint32_t row : rows) {
        const auto place = places.emplace(code_of(row), static_cast<Code>(column.texts.size()));
        if (place.second) column.texts.push_back(labels[code_of(row)]);
        codes.push_back(place.first->second);
      }
      column.codes = Codes(codes, column.texts.size());
      records.columns.push_back(std::move(column));
    }
  }
  return result;
}

Release Pool::release(const Partition& partition, std::uint64_t seed,
                      std::vector<std::uint32_t>* numbers) && {
  return make_release(std::move(list_), partition, seed, numbers);
}

}  // namespace throng
