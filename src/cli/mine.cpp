// throng mine POLICY INPUT -o RULES.json
#include "knowledge/mine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/common.h"
#include "io/reader.h"
#include "io/writer.h"
#include "knowledge/gather.h"
#include "knowledge/impossible.h"
#include "throng/error.h"

namespace throng::cli {
namespace {

struct Arguments {
  std::string policy, input, output;
};

// How many records have so many impossible values: none, 1, …, 5 or more (the paper's Figure 3).
std::array<std::uint64_t, 6> impossible_by_count(const FrequencyList& list,
                                                 const std::vector<NegativeRule>& rules) {
  const Impossible impossible = impossible_values(list, rules);
  std::array<std::uint64_t, 6> records{};
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    const std::size_t values = impossible.sets[impossible.set_of[entry]].size();
    records[std::min<std::size_t>(values, records.size() - 1)] += list.weights[entry];
  }
  return records;
}

int run(const Arguments& arguments, const Common& common) {
  const Policy policy = read_policy(arguments.policy);
  const std::string column = ruled_column(policy);
  const Knowledge knowledge = policy.knowledge.value_or(Knowledge{});
  const MiningRules how = knowledge.mine.value_or(MiningRules{});
  std::vector<std::string> inputs = hierarchy_files(policy);
  inputs.insert(inputs.end(), {arguments.input, arguments.policy});
  if (knowledge.rules) inputs.push_back(*knowledge.rules);
  io::check_output(arguments.output, {".json"}, inputs);

  Progress progress(common, {"reading", "mining", "writing"});
  Stopwatch watch;
  io::Session session(common.threads);
  Table table = read_released(arguments.input, policy, session);  // has records
  const std::size_t dropped = table.dropped;
  const double read = watch.lap();
  progress.next();
  std::vector<std::string> warnings;
  const FrequencyList list = list_for_rules(std::move(table), policy, column);
  std::vector<NegativeRule> stated;
  if (knowledge.rules) stated = stated_rules(*knowledge.rules, list, 0, false, warnings);
  const std::size_t stated_count = stated.size();
  const Mined mined = mine_rules(list, 0, how);
  const std::vector<NegativeRule> rules =
      combine_rules(std::move(stated), mined.rules, list.domains);
  std::vector<std::size_t> by_items(list.domains.size() + 1, 0);
  for (const NegativeRule& rule : rules) ++by_items[rule.conditions.size()];
  const std::array<std::uint64_t, 6> records = impossible_by_count(list, rules);
  const double mine = watch.lap();
  progress.next();
  io::NewFile file(arguments.output);
  file.write(write_rules(rules, list.domains));
  file.sync();
  file.finish_durably();
  const double write = watch.lap();
  progress.done();

  for (const std::string& warning : warnings) warn(warning);
  if (common.json) {
    nlohmann::ordered_json object;
    object["rows"] = list.records;
    object["dropped"] = dropped;
    object["column"] = column;
    object["min_expectation"] = how.min_expectation;
    object["max_items"] = how.max_items;
    object["membership"] = name_of(how.membership);
    object["correction"] = name_of(how.correction);
    object["rules"] = rules.size();
    object["stated"] = stated_count;
    object["mined"] = mined.rules.size();
    object["by_items"] = nlohmann::ordered_json::object();
    for (std::size_t items = 1; items < by_items.size(); ++items) {
      if (by_items[items] > 0) object["by_items"][std::to_string(items)] = by_items[items];
    }
    object["tested"] = mined.tested;
    object["holding"] = mined.holding;
    object["by_luck"] = mined.by_luck;
    object["records_by_impossible_values"] = records;
    object["output"] = arguments.output;
    object["warnings"] = warnings;
    object["seconds"] = {{"read", read}, {"mine", mine}, {"write", write}};
    object["peak_memory_bytes"] = peak_memory_bytes();
    print_json(object);
    return 0;
  }
  say(common,
      fmt::format("{} -> {}: {} rules about {}, from {} records", arguments.input, arguments.output,
                  with_commas(rules.size()), column, with_commas(list.records)));
  if (stated_count > 0)
    say(common, fmt::format("  {} stated in {}, {} mined that say more", with_commas(stated_count),
                            *knowledge.rules, with_commas(rules.size() - stated_count)));
  for (std::size_t items = 1; items < by_items.size(); ++items) {
    if (by_items[items] > 0)
      say(common, fmt::format("  {:>8} with {} item{}", with_commas(by_items[items]), items,
                              items == 1 ? "" : "s"));
  }
  std::string shares;
  for (std::size_t values = 0; values < records.size(); ++values) {
    shares +=
        fmt::format("{}{}: {:.1f}%", values == 0 ? "" : ", ",
                    values + 1 < records.size() ? std::to_string(values) : "5 or more",
                    100 * static_cast<double>(records[values]) / static_cast<double>(list.records));
  }
  say(common, "  records by the number of values that they cannot have: " + shares);
  say(common, fmt::format("  min-expectation {}, max-items {}, membership {}, correction {}",
                          how.min_expectation, how.max_items, name_of(how.membership),
                          name_of(how.correction)));
  say(common,
      fmt::format(
          "  of {} combinations tested {} hold, the less general ones too; luck alone would "
          "give {:.1f} at most",
          with_commas(mined.tested), with_commas(mined.holding), mined.by_luck));
  say(common, fmt::format("  {:.2f} s: read {:.2f}, mine {:.2f}, write {:.2f}; {} MiB at most",
                          read + mine + write, read, mine, write, peak_memory_bytes() >> 20));
  return 0;
}

}  // namespace

void add_mine(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb = program.verb("mine", "find what an attacker may know: rules that a table obeys");
  verb.argument("POLICY", arguments->policy, "the policy, a YAML file");
  verb.argument("INPUT", arguments->input, "CSV, Parquet or JSON lines, or FILE.duckdb:TABLE");
  verb.option("-o,--output", arguments->output, "the rules, a JSON file");
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
