#include "metrics/associations.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "metrics/queries.h"

namespace throng {
namespace {

constexpr double kRounding = 1e-9;

// Entries that may have all items so far, and with which probability.
struct Part {
  std::uint32_t entry = 0;
  double probability = 0;
};

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// Several positions in a row; other regions are one position or a list of them.
bool is_range(const Region& region) { return region.members.empty() && region.low < region.high; }

template <typename Use>
void for_each_position(const Region& region, Use&& use) {
  if (region.members.empty()) {
    use(region.low);
  } else {
    for (const Code member : region.members) use(member);
  }
}

// The sensitive values that enough records have to be in a rule.
struct FrequentValues {
  std::vector<Code> values;
  std::vector<double> records;           // by number
  std::vector<std::uint32_t> number_of;  // by value; kNone: too few
};

// The positions of one column that enough records of the parts have, and how many of these have
// each frequent sensitive value. A range of positions is a step up at its first one and a step down
// behind its last one, so that wide regions cost no more than narrow ones.
class Tabulation {
 public:
  Tabulation(const Published& published, const Domain& domain, std::size_t column,
             const std::vector<Part>& parts, double least, const FrequentValues& frequent)
      : values_(frequent.values.size()) {
    const Published::Quasi& quasi = published.quasi[column];
    std::vector<double> records(domain.size() + 1, 0), steps(domain.size() + 1, 0);
    for (const Part& part : parts) {
      const Region& region = quasi.regions[quasi.of_entry[part.entry]];
      const double each =
          published.weights[part.entry] * part.probability / static_cast<double>(covered(region));
      if (is_range(region)) {
        steps[region.low] += each;
        steps[region.high + std::size_t{1}] -= each;
      } else {
        for_each_position(region, [&](Code position) { records[position] += each; });
      }
    }
    std::vector<std::size_t> before;  // by position: how many frequent ones come before it
    double step = 0;
    for (Code position = 0; position < domain.size(); ++position) {
      step += steps[position];
      records[position] += std::max(0.0, step);
      before.push_back(positions_.size());
      if (records[position] <= 0 || records[position] < least) continue;
      positions_.push_back(position);
      totals_.push_back(records[position]);
    }
    before.push_back(positions_.size());

    both_.assign((positions_.size() + 1) * values_, 0);
    std::vector<double> both_steps(both_.size(), 0);
    for (const Part& part : parts) {
      const Region& region = quasi.regions[quasi.of_entry[part.entry]];
      const std::size_t first = before[region.low], last = before[region.high + std::size_t{1}];
      if (first == last) continue;
      const std::uint32_t group = published.group_of[part.entry];
      const double weight = published.weights[part.entry], size = published.sizes[group];
      const double probability = part.probability / static_cast<double>(covered(region));
      for (const Published::Count& count : published.counts(group)) {
        const std::uint32_t value = frequent.number_of[count.value];
        if (value == kNone) continue;
        const double each = weight * count.count / size * probability;
        if (is_range(region)) {
          both_steps[first * values_ + value] += each;
          both_steps[last * values_ + value] -= each;
        } else {
          for_each_position(region, [&](Code position) {
            if (before[position] < before[position + std::size_t{1}])
              both_[before[position] * values_ + value] += each;
          });
        }
      }
    }
    for (std::size_t i = 0; i < both_.size(); ++i) {
      if (i >= values_) both_steps[i] += both_steps[i - values_];
      both_[i] += std::max(0.0, both_steps[i]);
    }
  }

  // The frequent positions, ascending.
  const std::vector<Code>& positions() const { return positions_; }
  // By the number of the position, and by that of the value.
  double records(std::size_t position) const { return totals_[position]; }
  double records(std::size_t position, std::size_t value) const {
    return both_[position * values_ + value];
  }

 private:
  std::size_t values_;
  std::vector<Code> positions_;
  std::vector<double> totals_, both_;
};

class Miner {
 public:
  Miner(const Published& published, const Schema& schema, const RuleOptions& options)
      : published_(published),
        schema_(schema),
        options_(options),
        total_(static_cast<double>(published.records)),
        least_((options.min_support - kRounding) * total_) {
    std::vector<double> records(schema.values.size(), 0);
    for (std::size_t entry = 0; entry < published.entries(); ++entry) {
      const std::uint32_t group = published.group_of[entry];
      const double weight = published.weights[entry], size = published.sizes[group];
      for (const Published::Count& count : published.counts(group))
        records[count.value] += weight * count.count / size;
    }
    frequent_.number_of.assign(records.size(), kNone);
    for (Code value = 0; value < records.size(); ++value) {
      // A little less is enough here: what counts is how often it goes with X.
      if (records[value] <= 0 || records[value] < least_ * (1 - kRounding)) continue;
      frequent_.number_of[value] = static_cast<std::uint32_t>(frequent_.values.size());
      frequent_.values.push_back(value);
      frequent_.records.push_back(records[value]);
    }
  }

  std::vector<AssociationRule> mine() const {
    std::vector<Part> everyone;
    for (std::uint32_t entry = 0; entry < published_.entries(); ++entry)
      everyone.push_back({entry, 1});
    std::vector<AssociationRule> rules;
    extend(everyone, {}, rules);
    std::sort(rules.begin(), rules.end(), [](const AssociationRule& a, const AssociationRule& b) {
      return a.items != b.items ? a.items < b.items : a.value < b.value;
    });
    return rules;
  }

 private:
  // All rules that have `items` and at least one more, of later columns.
  void extend(const std::vector<Part>& parts, const std::vector<Item>& items,
              std::vector<AssociationRule>& rules) const {
    const std::size_t first = items.empty() ? 0 : items.back().column + 1;
    for (std::size_t column = first; column < schema_.quasi.size(); ++column) {
      const Tabulation table(published_, schema_.quasi[column].domain, column, parts, least_,
                             frequent_);
      // The first items share the work between the threads; each has its own list.
      std::vector<std::vector<AssociationRule>> found(table.positions().size());
      const auto follow = [&](std::size_t i) {
        std::vector<Item> longer = items;
        longer.push_back({column, table.positions()[i]});
        add_rules(table, i, longer, found[i]);
        if (longer.size() < options_.max_items && column + 1 < schema_.quasi.size())
          extend(parts_with(parts, longer.back()), longer, found[i]);
      };
      if (items.empty()) {
        tbb::parallel_for(std::size_t{0}, found.size(), follow);
      } else {
        for (std::size_t i = 0; i < found.size(); ++i) follow(i);
      }
      for (std::vector<AssociationRule>& each : found) {
        rules.insert(rules.end(), std::make_move_iterator(each.begin()),
                     std::make_move_iterator(each.end()));
      }
    }
  }

  void add_rules(const Tabulation& table, std::size_t position, const std::vector<Item>& items,
                 std::vector<AssociationRule>& rules) const {
    const double with_items = table.records(position);
    for (std::size_t value = 0; value < frequent_.values.size(); ++value) {
      const double both = table.records(position, value);
      if (both <= 0 || both < least_) continue;
      // P(X)·P(not s) ≥ min · P(X, not s), without the division by what may be nothing.
      const double independent = with_items * (total_ - frequent_.records[value]) / total_;
      const double without = with_items - both, rounding = kRounding * with_items;
      if (independent < options_.min_conviction * without - rounding) continue;
      if (independent <= without + rounding) continue;  // not more often than by chance
      rules.push_back({items, frequent_.values[value], both / total_, both / with_items});
    }
  }

  std::vector<Part> parts_with(const std::vector<Part>& parts, const Item& item) const {
    const Published::Quasi& quasi = published_.quasi[item.column];
    std::vector<double> share(quasi.regions.size(), 0);
    for (std::size_t i = 0; i < share.size(); ++i) {
      const Region& region = quasi.regions[i];
      if (covers(schema_.quasi[item.column].domain, region, item.position))
        share[i] = 1 / static_cast<double>(covered(region));
    }
    std::vector<Part> result;
    for (const Part& part : parts) {
      const double probability = part.probability * share[quasi.of_entry[part.entry]];
      if (probability > 0) result.push_back({part.entry, probability});
    }
    return result;
  }

  const Published& published_;
  const Schema& schema_;
  const RuleOptions& options_;
  double total_;
  double least_;  // records of a rule
  FrequentValues frequent_;
};

// How often a reader expects each rule to hold, which is two queries a rule.
std::vector<double> confidences_in(const Published& published, const Schema& schema,
                                   const std::vector<AssociationRule>& rules) {
  constexpr std::size_t kAtATime = 1024;
  std::vector<double> result;
  std::vector<Query> queries;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    Query query;
    for (const Item& item : rules[i].items) {
      std::vector<char> chosen(schema.quasi[item.column].domain.size(), 0);
      chosen[item.position] = 1;
      query.quasi.push_back({item.column, std::move(chosen)});
    }
    queries.push_back(query);
    query.sensitive.assign(schema.values.size(), 0);
    query.sensitive[rules[i].value] = 1;
    queries.push_back(std::move(query));
    if (queries.size() < kAtATime && i + 1 < rules.size()) continue;
    const std::vector<double> counts = count_queries(published, schema, queries);
    for (std::size_t at = 0; at < counts.size(); at += 2)
      result.push_back(counts[at] > 0 ? counts[at + 1] / counts[at] : 0);
    queries.clear();
  }
  return result;
}

}  // namespace

std::vector<AssociationRule> mine_associations(const Published& published, const Schema& schema,
                                               const RuleOptions& options) {
  return Miner(published, schema, options).mine();
}

RuleErrors measure_associations(const Published& original, const Published& published,
                                const Schema& schema, const RuleOptions& options) {
  const std::vector<AssociationRule> rules = mine_associations(original, schema, options);
  const std::vector<AssociationRule> found = mine_associations(published, schema, options);
  RuleErrors errors;
  errors.original = rules.size();
  errors.published = found.size();
  std::size_t at = 0;
  for (const AssociationRule& rule : rules) {
    const auto is_before = [&](const AssociationRule& other) {
      return other.items != rule.items ? other.items < rule.items : other.value < rule.value;
    };
    while (at < found.size() && is_before(found[at])) ++at;
    if (at < found.size() && found[at].is_same(rule)) ++errors.both;
  }
  if (rules.empty()) return errors;
  const std::vector<double> confidences = confidences_in(published, schema, rules);
  double sum = 0;
  for (std::size_t i = 0; i < rules.size(); ++i)
    sum += std::abs(confidences[i] - rules[i].confidence) / rules[i].confidence;
  const auto number = static_cast<double>(rules.size());
  errors.confidence_error = sum / number;
  errors.false_positives = static_cast<double>(found.size() - errors.both) / number;
  errors.false_negatives = static_cast<double>(rules.size() - errors.both) / number;
  return errors;
}

}  // namespace throng
