#include "cli/audit_joins.h"

#include <fmt/format.h>

#include "audit/join.h"

namespace throng::cli {

JoinWords words_of_join(const JoinAudit& found, const Policy& policy, bool explain) {
  JoinWords words;
  words.json = {{"columns", found.join_columns}, {"dangling", found.dangling},
                {"matches", found.matches},      {"touched", found.touched},
                {"empty", found.empty},          {"requirements", Json::array()}};
  words.lines.push_back(fmt::format("joined on {}: {} matches of blocks, {} compared",
                                    found.join_columns.empty()
                                        ? "nothing"
                                        : fmt::format("{}", fmt::join(found.join_columns, ", ")),
                                    with_commas(found.matches), with_commas(found.touched)));
  for (std::size_t i = 0; i < found.findings.size(); ++i) {
    const XyFinding& finding = found.findings[i];
    const XyRequirement& asked = policy.xy[i];
    const bool counts = asked.kind == XyRequirement::Kind::anonymity;
    Json one = {{"x", asked.x}, {"holds", finding.holds}, {"groups", finding.groups}};
    std::string text;
    if (counts) {
      one["kind"] = "xy-anonymity";
      one["k"] = asked.k;
      one["reached"] = finding.anonymity;
      text = fmt::format("xy-anonymity of {}: at least {}; {} is asked", fmt::join(asked.x, ", "),
                         finding.anonymity, asked.k);
    } else {
      one["kind"] = "xy-linkability";
      one["reached"] = finding.linkability;
      one["links"] = Json::array();
      for (std::size_t n = 0; n < finding.links.size(); ++n) {
        const XyFinding::Link& link = finding.links[n];
        Json entry = {{"share", link.share}, {"holds", link.holds}};
        // A value that the policy names tells nothing new.
        if (explain || asked.guarded[n].value) entry["value"] = link.value;
        one["links"].push_back(std::move(entry));
      }
      text = fmt::format("xy-linkability of {}: at most {:.4g}", fmt::join(asked.x, ", "),
                         finding.linkability);
    }
    // Who the group is would be a disclosure; it is told where it was asked for.
    if (explain && finding.groups > 0) {
      one["group"] = finding.group.words();
      text += fmt::format(" (by {})", finding.group.words());
    }
    words.json["requirements"].push_back(one);
    words.lines.push_back("  " + text);
    if (!finding.holds) words.broken.push_back(text);
  }
  return words;
}

void report_joins(const Audited& audited, AuditReport& report) {
  if (audited.policy.xy.empty() || audited.releases.empty()) return;
  const JoinAudit found = audit_join(audited.releases, audited.policy);
  JoinWords words = words_of_join(found, audited.policy, audited.explain > 0);
  report.lines.insert(report.lines.end(), words.lines.begin(), words.lines.end());
  report.broken.insert(report.broken.end(), words.broken.begin(), words.broken.end());
  report.json["join"] = std::move(words.json);
  for (std::size_t i = 0; i < found.dangling.size(); ++i) {
    if (found.dangling[i] == 0) continue;
    report.warnings.push_back(fmt::format(
        "{}: {} records match nobody in the other releases, and are left out of the join",
        audited.sources[i], found.dangling[i]));
  }
  if (found.empty) {
    report.warnings.emplace_back(
        "no record of one release matches any of the others: the join is empty, and what is asked "
        "of "
        "it holds for want of groups");
  }
}

}  // namespace throng::cli
