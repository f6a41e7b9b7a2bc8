#include "cli/audit_knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "audit/bucket_attack.h"
#include "cli/audit_page.h"
#include "io/reader.h"
#include "knowledge/gather.h"
#include "knowledge/impossible.h"
#include "privacy/requirements.h"

namespace throng::cli {
namespace {

// Classes: of a record nothing is known but its regions, so all of a class are of one type.
KnowledgeAttack try_release(const Release& release, const Release::Plain& column,
                            const std::vector<NegativeRule>& rules, std::size_t l) {
  std::vector<Domain> domains;
  for (const Release::Quasi& quasi : release.quasi) domains.push_back(quasi.domain);
  std::vector<std::map<Code, std::uint32_t>> counts(release.classes);
  for (std::size_t row = 0; row < release.rows(); ++row)
    ++counts[release.class_of_row[row]][column.codes[row]];
  KnowledgeAttack tried;
  for (std::uint32_t number = 0; number < release.classes; ++number) {
    std::vector<Region> regions;
    for (std::size_t i = 0; i < domains.size(); ++i) regions.push_back(release.region(i, number));
    MatchingGroup group;
    MatchingGroup::Type type;
    for (const auto& [value, count] : counts[number]) {
      const bool struck = std::any_of(
          rules.begin(), rules.end(), [known = value, &domains, &regions](const auto& r) {
            return r.code == known && surely_satisfies(r, domains, regions);
          });
      type.allowed.push_back(struck ? 0 : 1);
      type.has.push_back(count);
      type.count += count;
      group.value_counts.push_back(count);
    }
    group.types.push_back(std::move(type));
    add_group(group, l, tried);
  }
  return tried;
}

void report_one(const KnowledgeAttack& tried, const std::string& source, const std::string& column,
                std::size_t l, AuditReport& report) {
  report.json["knowledge"].push_back({{"source", source},
                                      {"column", column},
                                      {"l", l},
                                      {"records", tried.records},
                                      {"below_l_by_matching", tried.by_matching},
                                      {"below_l_by_count", tried.by_count},
                                      {"groups", tried.groups},
                                      {"contradictions", tried.contradictions}});
  report.lines.push_back(fmt::format(
      "{}: who knows the rules leaves {} of {} records fewer than {} values of {} ({} by counting "
      "alone)",
      source, with_commas(tried.by_matching), with_commas(tried.records), l, column,
      with_commas(tried.by_count)));
  if (tried.contradictions > 0) {
    report.warnings.push_back(fmt::format(
        "{}: in {} of {} groups the rules contradict the values; the rules are wrong there", source,
        tried.contradictions, tried.groups));
  }
  if (tried.by_matching > 0) {
    report.broken.push_back(
        fmt::format("{}: with the rules, {} records have fewer than {} valid values of {}", source,
                    tried.by_matching, l, column));
  }
}

// Buckets by themselves: ℓ and k of their groups.
void report_bucket(const Buckets& buckets, const std::string& source, const Policy& policy,
                   AuditReport& report) {
  if (buckets.groups.empty()) {
    report.warnings.push_back(source + ": has no records");
    report.json["releases"].push_back({{"source", source}, {"rows", 0}, {"groups", 0}});
    return;
  }
  const BucketSizes sizes = sizes_of(buckets, 1);
  const std::size_t distinct = sizes.distinct, smallest = sizes.smallest;
  const double frequency = 1 / sizes.largest_share;
  report.json["releases"].push_back(
      {{"source", source},
       {"rows", buckets.rows()},
       {"groups", buckets.groups.size()},
       {"smallest_group", smallest},
       {"diversity",
        {{{"column", buckets.sensitive}, {"distinct", distinct}, {"frequency", frequency}}}},
       {"possible_values", possible_values_of(buckets)}});
  report.lines.push_back(
      fmt::format("{}: {} records in {} buckets, l of {} = {} distinct, {:.2f} by "
                  "frequency",
                  source, with_commas(buckets.rows()), with_commas(buckets.groups.size()),
                  buckets.sensitive, distinct, frequency));
  if (smallest < policy.k) {
    report.broken.push_back(
        fmt::format("{}: a bucket has {} records; k = {} is asked", source, smallest, policy.k));
  }
  for (const Diversity& asked : policy.diversities) {
    if (asked.column != buckets.sensitive) continue;
    std::size_t failing = 0;
    for (std::uint32_t group = 0; group < buckets.groups.size(); ++group) {
      std::vector<std::uint32_t> counts;
      for (const Buckets::Count& count : buckets.counts(group)) counts.push_back(count.count);
      failing += is_diverse(asked, counts) ? 0 : 1;
    }
    if (failing == 0) continue;
    report.broken.push_back(fmt::format("{}: {} of {} buckets do not reach {} l = {} of {}", source,
                                        failing, buckets.groups.size(), name_of(asked.variant),
                                        asked.l, asked.column));
  }
}

}  // namespace

MinedRules mine_private(const std::string& source, const Policy& policy, io::Session& session) {
  const std::string column = ruled_column(policy);
  std::vector<io::Wanted> wanted;
  for (const ColumnPolicy& each : policy.columns) {
    if (each.role == Role::quasi_identifier || each.name == column)
      wanted.push_back({each.name, each.type, missing_rule(policy, each)});
  }
  const FrequencyList list =
      list_for_rules(io::read_table(source, wanted, session), policy, column);
  const Mined mined = mine_rules(list, 0, *policy.knowledge->mine);
  return {write_rules(mined.rules, list.domains), mined.rules.size()};
}

void report_knowledge(const Audited& audited, AuditReport& report) {
  const Policy& policy = audited.policy;
  // A private table tells an attacker of one release of buckets nothing that the release does not:
  // who has which quasi-identifiers.
  if (audited.buckets.size() + (audited.releases.empty() ? 0 : 1) > 1) {
    report.warnings.emplace_back(
        "buckets are looked at one by one: what they give away together with other releases is "
        "not audited in this version");
  }
  for (std::size_t i = 0; i < audited.buckets.size(); ++i)
    report_bucket(audited.buckets[i], audited.bucket_sources[i], policy, report);
  if (!policy.knowledge && !policy.matching) return;
  const bool has_rules = audited.rules || (policy.knowledge && policy.knowledge->rules);
  if (audited.rules) {
    // A ledger has mined, and knows what it found.
  } else if (policy.knowledge && policy.knowledge->mine && !audited.mined) {
    report.warnings.emplace_back(
        has_rules ? "the audit does not mine without --private: it uses the rules of the file "
                    "alone; `throng mine` writes mined rules to a file that `knowledge:` can name"
                  : "the audit does not mine without --private: matching-l-diversity is checked "
                    "without any rule; `throng mine` writes a file of rules that `knowledge:` can "
                    "name");
  } else if (!has_rules && !audited.mined) {
    report.warnings.emplace_back(
        "the policy asks for matching-l-diversity, but names no `knowledge:`; without rules it is "
        "distinct l-diversity");
  }
  const auto rules_for = [&](const std::vector<Domain>& domains, const Dictionary& values) {
    if (audited.rules)
      return parse_rules(*audited.rules, "the ledger", domains, values, /*lenient=*/true);
    std::vector<NegativeRule> rules;
    if (has_rules) rules = read_rules(*policy.knowledge->rules, domains, values, /*lenient=*/true);
    if (!audited.mined) return rules;
    // What the release does not spell out, it says nothing about.
    return combine_rules(
        std::move(rules),
        parse_rules(audited.mined->json, "the mined rules", domains, values, /*lenient=*/true),
        domains);
  };
  if (audited.mined) {
    report.json["mined_rules"] = audited.mined->count;
    report.lines.push_back(
        fmt::format("{} rules mined from the private table", with_commas(audited.mined->count)));
  }
  report.json["knowledge"] = Json::array();
  const auto asked_of = [&](const std::string& column) -> std::size_t {
    if (policy.matching && policy.matching->column == column) return policy.matching->l;
    return distinct_needed(policy, column);
  };
  for (std::size_t i = 0; i < audited.releases.size(); ++i) {
    const Release& release = audited.releases[i];
    std::vector<Domain> domains;
    for (const Release::Quasi& quasi : release.quasi) domains.push_back(quasi.domain);
    for (const Release::Plain& column : release.plain) {
      const std::size_t l = asked_of(column.name);
      if (column.role != Role::sensitive || l == 0) continue;
      report_one(try_release(release, column, rules_for(domains, column.values), l),
                 audited.sources[i], column.name, l, report);
    }
  }
  for (std::size_t i = 0; i < audited.buckets.size(); ++i) {
    const Buckets& buckets = audited.buckets[i];
    const std::size_t l = asked_of(buckets.sensitive);
    if (l == 0) continue;
    report_one(attack_buckets(buckets, rules_for(buckets.domains, buckets.values), l),
               audited.bucket_sources[i], buckets.sensitive, l, report);
  }
}

}  // namespace throng::cli
