// throng apply CUTS INPUT -o OUTPUT
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/common.h"
#include "io/reader.h"
#include "io/writer.h"
#include "release/cuts.h"
#include "table/random.h"
#include "throng/error.h"

namespace throng::cli {
namespace {

struct Arguments {
  std::string cuts, input, output;
};

Cuts read_cuts(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf()))
    throw InputError(path + ": cannot be read; expected a file of cuts");
  return Cuts::parse(text.str(), path);
}

int run(const Arguments& arguments, const Common& common) {
  const Cuts cuts = read_cuts(arguments.cuts);
  io::check_output(arguments.output, {".csv", ".parquet"}, {arguments.cuts, arguments.input});
  Progress progress(common, {"reading", "writing"});
  io::Session session(common.threads);
  const std::vector<std::string> names =
      cuts.released(io::read_names(arguments.input, session), arguments.input);
  io::RawTable raw = io::read_raw(arguments.input, names, session);
  // The order of the rows says nothing about the order of the input.
  std::vector<std::uint32_t> order(raw.rows);
  for (std::uint32_t row = 0; row < order.size(); ++row) order[row] = row;
  shuffle(order, common.seed);
  progress.next();
  std::vector<io::LabelColumn> columns;
  for (RawColumn& column : raw.columns) {
    try {
      RawColumn applied = cuts.apply(std::move(column));
      Codes codes(raw.rows, std::max<std::size_t>(1, applied.texts.size()));
      for (std::size_t row = 0; row < raw.rows; ++row) codes.set(row, applied.codes[order[row]]);
      columns.push_back({applied.name, std::move(applied.texts), std::move(codes)});
    } catch (const BadValue& bad) {
      throw InputError(fmt::format("{}: column '{}' has '{}'; expected {}",
                                   io::place_of(arguments.input, bad.column, bad.text), bad.column,
                                   bad.text, bad.expected));
    }
  }
  io::write_columns(columns, arguments.output, session);
  progress.done();
  if (common.json) {
    print_json({{"rows", raw.rows}, {"columns", columns.size()}, {"output", arguments.output}});
    return 0;
  }
  say(common, fmt::format("{} -> {}: {} records by the cuts of {}", arguments.input,
                          arguments.output, with_commas(raw.rows), arguments.cuts));
  say(common, "  no privacy was checked: the cuts were made for another table");
  return 0;
}

}  // namespace

void add_apply(Program& program) {
  auto arguments = std::make_shared<Arguments>();
  Verb verb = program.verb("apply", "generalize other data as a table was generalized");
  verb.argument("CUTS", arguments->cuts, "what `anonymize --cuts` wrote");
  verb.argument("INPUT", arguments->input, "CSV, Parquet or JSON lines, or FILE.duckdb:TABLE");
  verb.option("-o,--output", arguments->output, "CSV or Parquet");
  verb.runs([arguments](const Common& common) { return run(*arguments, common); });
}

}  // namespace throng::cli
