#include "algorithms/tds.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "algorithms/algorithm.h"
#include "algorithms/specialization.h"
#include "table/sorted_keys.h"
#include "throng/error.h"

namespace throng {
namespace {

using Candidate = Specialization::Candidate;

class Search {
 public:
  Search(SpecializationPlan& plan, const Policy& policy) : plan_(plan), rule_(policy.search) {}

  // The best table found, and what the search has to say about it.
  Specialization run(Specialized& said) {
    Specialization start(plan_);
    said.monotone = plan_.monotone;
    if (start.hopeless()) {
      said.met = false;
      return start;
    }
    prune(start);
    bound_ = start.bound();
    Specialization best = greedy(start);
    if (rule_.kind != SearchRule::Kind::greedy) beam(start, best);
    if (rule_.kind == SearchRule::Kind::optimal) branch(start, best);
    if (rule_.kind != SearchRule::Kind::greedy && best.holds()) best = finish(best);
    said.met = best.holds();
    said.certain = said.complete = complete_;
    said.states = states_;
    const auto records = static_cast<double>(plan_.records);
    said.objective = best.objective() / records;
    if (plan_.goal != Goal::discernibility && (plan_.monotone || complete_))
      said.bound = std::max(bound_, best.objective()) / records;
    return best;
  }

 private:
  // Sums of gains differ in their last bits by the order of the steps.
  static bool more(double one, double other) {
    return one > other + 1e-9 * std::max(1.0, std::abs(other));
  }
  static bool better(const Specialization& one, const Specialization& other) {
    if (one.holds() != other.holds()) return one.holds();
    if (!one.holds()) return one.shortfall() < other.shortfall();
    return more(one.objective(), other.objective());
  }
  // Of equals the first column's, and there the leftmost.
  bool stands_before(const Candidate& one, const Candidate& other) const {
    if (one.attribute != other.attribute) return one.attribute < other.attribute;
    return plan_.trees[one.attribute].low(one.node) < plan_.trees[other.attribute].low(other.node);
  }

  // Closes what never can be specialized; the others with what they would lead to.
  struct Way {
    Candidate candidate;
    Specialization::Prospect prospect;
    double gain = 0, score = 0;
  };
  std::vector<Way> ways(Specialization& state) {
    std::vector<Way> ways;
    for (const Candidate& candidate : std::vector<Candidate>(state.candidates())) {
      Way way{candidate, state.prospect(candidate), 0, 0};
      if (way.prospect.hopeless) {
        state.close(candidate);
        continue;
      }
      way.gain = state.gain(candidate);
      way.score = way.gain / (way.prospect.loss + 1);
      ways.push_back(way);
    }
    return ways;
  }
  void prune(Specialization& state) { ways(state); }

  // Algorithm 1. A table that does not hold goes where it comes nearest to holding.
  Specialization greedy(Specialization state) {
    Specialization nearest = state;
    for (;;) {
      ++states_;
      if (state.shortfall() < nearest.shortfall()) nearest = state;
      const std::vector<Way> open = ways(state);
      const bool any =
          std::any_of(open.begin(), open.end(), [](const Way& way) { return way.prospect.holds; });
      if (open.empty() || (!any && state.holds())) return state.holds() ? state : nearest;
      const Way* best = nullptr;
      for (const Way& way : open) {
        if (any && !way.prospect.holds) continue;
        if (best == nullptr) {
          best = &way;
          continue;
        }
        const double mine = any ? way.score : -way.prospect.shortfall;
        const double theirs = any ? best->score : -best->prospect.shortfall;
        if (mine > theirs || (mine == theirs && stands_before(way.candidate, best->candidate)))
          best = &way;
      }
      state.specialize(best->candidate);
    }
  }

  // A table that beam or branch left on the way, with all that is valid below it: what adds nothing
  // to the objective, or was closed for another table's sake.
  Specialization finish(const Specialization& found) {
    Specialization state(plan_);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Candidate& candidate : std::vector<Candidate>(state.candidates())) {
        const Code first = plan_.trees[candidate.attribute].low(candidate.node);
        if (found.node_of(candidate.attribute, first) == candidate.node) continue;
        state.specialize(candidate);
        changed = true;
      }
    }
    return greedy(std::move(state));
  }

  // A table that beam follows, with what it looks up more than once.
  struct Followed {
    Specialization state;
    std::vector<Way> open;
    double bound = 0;
  };
  Followed follow(Specialization state) {
    std::vector<Way> open = ways(state);
    const double bound = state.bound();  // of what ways() left open
    return {std::move(state), std::move(open), bound};
  }

  // The `width` most promising tables of each number of steps.
  void beam(const Specialization& start, Specialization& best) {
    std::vector<Followed> front;
    front.push_back(follow(start));
    std::set<std::string> known;
    while (!front.empty()) {
      std::vector<Followed> next;
      for (auto& [state, open, bound] : front) {
        const bool holds = state.holds();
        std::erase_if(open, [&](const Way& way) { return !way.prospect.holds && holds; });
        std::stable_sort(open.begin(), open.end(), [](const Way& one, const Way& other) {
          if (one.prospect.shortfall != other.prospect.shortfall)
            return one.prospect.shortfall < other.prospect.shortfall;
          return one.score > other.score;
        });
        if (open.size() > rule_.width) open.resize(rule_.width);
        for (const Way& way : open) {
          Specialization on = state;
          on.specialize(way.candidate);
          if (!known.insert(on.key()).second) continue;
          ++states_;
          next.push_back(follow(std::move(on)));
          if (better(next.back().state, best)) best = next.back().state;
        }
      }
      std::stable_sort(next.begin(), next.end(), [](const Followed& one, const Followed& other) {
        if (one.state.holds() != other.state.holds()) return one.state.holds();
        if (one.bound != other.bound) return one.bound > other.bound;
        return one.state.objective() > other.state.objective();
      });
      if (next.size() > rule_.width)
        next.erase(next.begin() + static_cast<std::ptrdiff_t>(rule_.width), next.end());
      front = std::move(next);
    }
  }

  // Branch and bound: the candidate that promises most is specialized, or closed for good.
  void branch(const Specialization& start, Specialization& best) {
    std::vector<Specialization> open = {start};
    complete_ = true;
    double left = -std::numeric_limits<double>::infinity();  // what was not looked at could have
    while (!open.empty()) {
      Specialization state = std::move(open.back());
      open.pop_back();
      const double bound = state.bound();
      if (best.holds() && !more(bound, best.objective())) continue;
      if (states_ >= rule_.states) {
        complete_ = false;
        left = std::max(left, bound);
        continue;
      }
      ++states_;
      prune(state);
      if (better(state, best)) best = state;
      if (state.candidates().empty()) continue;
      const Candidate* first = nullptr;
      double most = 0;
      for (const Candidate& candidate : state.candidates()) {
        const double promise = plan_.trees[candidate.attribute].benefit_below(candidate.node);
        if (first != nullptr && promise < most) continue;
        if (first != nullptr && promise == most && !stands_before(candidate, *first)) continue;
        first = &candidate;
        most = promise;
      }
      const Candidate chosen = *first;
      Specialization without = state;
      without.close(chosen);
      open.push_back(std::move(without));
      state.specialize(chosen);
      open.push_back(std::move(state));
    }
    bound_ = std::min(bound_, std::max(left, best.objective()));
  }

  SpecializationPlan& plan_;
  SearchRule rule_;
  double bound_ = 0;
  bool complete_ = false;  // every table was looked at, or could not be better
  std::uint64_t states_ = 0;
};

Partition partition_by(const FrequencyList& list, const SpecializationPlan& plan,
                       const Specialization& state) {
  Partition partition;
  std::vector<CodeColumn> columns;
  std::vector<std::vector<Region>> regions;
  for (std::size_t quasi = 0; quasi < list.domains.size(); ++quasi) {
    const Domain& domain = list.domains[quasi];
    const auto at = std::find(plan.quasi.begin(), plan.quasi.end(), quasi);
    std::vector<Code> number(domain.size(), 0);  // by position: its region
    auto& own = regions.emplace_back();
    if (at == plan.quasi.end()) {
      for (Code position = 0; position < domain.size(); ++position) {
        number[position] = position;
        own.push_back(region_of_value(domain, position));
      }
    } else {
      const auto attribute = static_cast<std::size_t>(at - plan.quasi.begin());
      for (const AttributeTree::Node node : state.cut(attribute)) {
        const AttributeTree& tree = plan.trees[attribute];
        std::fill(number.begin() + tree.low(node), number.begin() + tree.high(node) + 1,
                  static_cast<Code>(own.size()));
        own.push_back(tree.region(node));
      }
    }
    std::vector<Code> of_entry(list.size());
    for (std::size_t entry = 0; entry < list.size(); ++entry)
      of_entry[entry] = number[list.positions[quasi][entry]];
    columns.push_back({std::move(of_entry), own.size()});
  }
  const SortedKeys sorted = sort_columns(columns, list.weights);
  partition.class_of = sorted.combination_of();
  partition.classes = sorted.size();
  for (std::size_t quasi = 0; quasi < list.domains.size(); ++quasi)
    partition.region_of.push_back(sorted.column(quasi));
  partition.regions = std::move(regions);
  return partition;
}

}  // namespace

Specialized specialize(FrequencyList list, std::span<const Release> previous,
                       const Policy& policy) {
  Specialized result;
  result.list = std::move(list);
  SpecializationPlan plan = plan_specialization(result.list, previous, policy);
  const Specialization best = Search(plan, policy).run(result);
  result.partition = partition_by(result.list, plan, best);
  for (std::size_t quasi = 0; quasi < result.list.domains.size(); ++quasi) {
    const auto at = std::find(plan.quasi.begin(), plan.quasi.end(), quasi);
    auto& cut = result.cuts.emplace_back();
    if (at == plan.quasi.end()) continue;
    const auto attribute = static_cast<std::size_t>(at - plan.quasi.begin());
    cut.emplace();
    for (const AttributeTree::Node node : best.cut(attribute))
      cut->push_back(plan.trees[attribute].region(node));
  }
  result.join_columns = plan.join_columns;
  result.dangling = plan.dangling;
  result.dangling_previous = plan.dangling_previous;
  return result;
}

Partition tds(const FrequencyList& list, const Requirements& /*requirements*/,
              const Policy& policy) {
  Specialized result = specialize(list, {}, policy);
  if (!result.met) throw PrivacyError("tds finds no table that meets the (X,Y)-requirements");
  return std::move(result.partition);
}

}  // namespace throng
