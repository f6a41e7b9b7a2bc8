// What we use of TBB, made of plain threads, for builds under the thread sanitizer. It cannot see
// how the library's own code orders things, and would call every task that reads what another wrote
// a race. Here each task has a thread of its own, which is begun and joined in plain sight; so what
// is reported is ours.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace tbb {
namespace plain {

constexpr std::size_t kThreads = 2;  // beginning one takes long here, and two can race

// Whether another thread may begin. Under the sanitizer one takes milliseconds, and a test of
// thousands of small tables would never end: so many are tried, then tasks run in place.
inline bool may_begin() {
  static std::atomic<std::size_t> begun{0};
  return begun++ < 5000;
}

// Runs tasks 0, 1, … in a few threads; the first exception goes to the caller.
template <typename Task>
void run(std::size_t tasks, const Task& task) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failed;
  const auto work = [&] {
    for (std::size_t i = next++; i < tasks; i = next++) {
      try {
        task(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failed) failed = std::current_exception();
        next = tasks;
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min(tasks, kThreads) && may_begin(); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failed) std::rethrow_exception(failed);
}

// Never that of a thread that has ended.
inline std::uint64_t thread_number() {
  static std::atomic<std::uint64_t> next{0};
  thread_local const std::uint64_t number = next++;
  return number;
}

}  // namespace plain

class global_control {
 public:
  enum parameter { max_allowed_parallelism };
  global_control(parameter, std::size_t) {}
};

template <typename Value>
class blocked_range {
 public:
  blocked_range(Value begin, Value end, std::size_t grain = 1)
      : begin_(begin), end_(end), grain_(grain) {}
  Value begin() const { return begin_; }
  Value end() const { return end_; }
  std::size_t grainsize() const { return grain_; }

  // In pieces of the grain's size.
  std::size_t pieces() const {
    return (static_cast<std::size_t>(end_ - begin_) + grain_ - 1) / grain_;
  }
  blocked_range piece(std::size_t i) const {
    const Value first = static_cast<Value>(begin_ + static_cast<Value>(i * grain_));
    const auto size =
        static_cast<Value>(std::min<std::size_t>(grain_, static_cast<std::size_t>(end_ - first)));
    return {first, static_cast<Value>(first + size), grain_};
  }

 private:
  Value begin_, end_;
  std::size_t grain_;
};

template <typename Index, typename Body>
void parallel_for(Index first, Index last, const Body& body) {
  if (first >= last) return;
  plain::run(static_cast<std::size_t>(last - first),
             [&](std::size_t i) { body(static_cast<Index>(first + static_cast<Index>(i))); });
}
template <typename Value, typename Body>
void parallel_for(const blocked_range<Value>& range, const Body& body) {
  plain::run(range.pieces(), [&](std::size_t i) { body(range.piece(i)); });
}

template <typename Value, typename Result, typename Body, typename Join>
Result parallel_reduce(const blocked_range<Value>& range, const Result& identity, const Body& body,
                       const Join& join) {
  std::vector<Result> results(range.pieces(), identity);
  plain::run(range.pieces(), [&](std::size_t i) { results[i] = body(range.piece(i), identity); });
  Result all = identity;
  for (Result& result : results) all = join(std::move(all), std::move(result));
  return all;
}

template <typename Iterator, typename Less>
void parallel_sort(Iterator begin, Iterator end, const Less& less) {
  std::sort(begin, end, less);
}

class task_group {
 public:
  ~task_group() { join(); }
  template <typename Task>
  void run(Task task) {
    if (running_++ >= plain::kThreads || !plain::may_begin()) {
      guarded(task);
      return;
    }
    const std::lock_guard lock(mutex_);
    threads_.emplace_back([this, task] { guarded(task); });
  }
  void wait() {
    join();
    if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
  }

 private:
  template <typename Task>
  void guarded(const Task& task) {
    try {
      task();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failed_) failed_ = std::current_exception();
    }
    --running_;
  }
  // Those that run may begin others.
  void join() {
    for (;;) {
      std::vector<std::thread> threads;
      {
        const std::lock_guard lock(mutex_);
        threads.swap(threads_);
      }
      if (threads.empty()) return;
      for (std::thread& thread : threads) thread.join();
    }
  }

  std::mutex mutex_;
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> running_{0};
  std::exception_ptr failed_;
};

template <typename Value>
class enumerable_thread_specific {
 public:
  enumerable_thread_specific() : make_([] { return std::make_unique<Value>(); }) {}
  template <typename Make>
  requires std::is_invocable_r_v<Value, Make>
  explicit enumerable_thread_specific(Make make)
      : make_([make] { return std::make_unique<Value>(make()); }) {}

  Value& local() {
    const std::lock_guard lock(mutex_);
    Value*& value = values_[plain::thread_number()];
    if (value == nullptr) {
      all_.push_back(make_());
      value = all_.back().get();
    }
    return *value;
  }

  class iterator {
   public:
    explicit iterator(const std::unique_ptr<Value>* at) : at_(at) {}
    Value& operator*() const { return **at_; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const iterator&) const = default;

   private:
    const std::unique_ptr<Value>* at_;
  };
  iterator begin() { return iterator(all_.data()); }
  iterator end() { return iterator(all_.data() + all_.size()); }

 private:
  std::mutex mutex_;
  std::function<std::unique_ptr<Value>()> make_;
  std::vector<std::unique_ptr<Value>> all_;
  std::map<std::uint64_t, Value*> values_;
};

enum class filter_mode { parallel, serial_in_order };

class flow_control {
 public:
  void stop() { stopped_ = true; }
  bool is_stopped() const { return stopped_; }

 private:
  bool stopped_ = false;
};

template <typename In, typename Out, typename Body>
struct filter {
  Body body;
};
template <typename In, typename Out, typename Body>
filter<In, Out, Body> make_filter(filter_mode, Body body) {
  return {std::move(body)};
}
template <typename First, typename Second>
struct filters {
  First first;
  Second second;
};
template <typename In, typename Middle, typename Out, typename First, typename Second>
auto operator&(filter<In, Middle, First> first, filter<Middle, Out, Second> second) {
  return filters<decltype(first), decltype(second)>{std::move(first), std::move(second)};
}
template <typename One, typename Two, typename In, typename Out, typename Last>
auto operator&(filters<One, Two> first, filter<In, Out, Last> last) {
  return filters<filters<One, Two>, decltype(last)>{std::move(first), std::move(last)};
}

// One filter that gives, one that works in parallel, one that takes.
template <typename Token, typename Made, typename Source, typename Work, typename Sink>
void parallel_pipeline(std::size_t tokens,
                       filters<filters<filter<void, Token, Source>, filter<Token, Made, Work>>,
                               filter<Made, void, Sink>>
                           pipeline) {
  flow_control control;
  while (!control.is_stopped()) {
    std::vector<Token> given;
    while (given.size() < tokens) {
      Token token = pipeline.first.first.body(control);
      if (control.is_stopped()) break;
      given.push_back(std::move(token));
    }
    std::vector<std::optional<Made>> made(given.size());
    plain::run(given.size(),
               [&](std::size_t i) { made[i] = pipeline.first.second.body(given[i]); });
    for (std::optional<Made>& one : made) pipeline.second.body(*one);
  }
}

}  // namespace tbb
