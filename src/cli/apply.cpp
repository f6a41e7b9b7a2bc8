// throng apply CUTS INPUT -o OUTPUT
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
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

// By what is published alone, then shuffled: the order of the rows says nothing about the order of
// the input, even to those who know the seed.
void lay_out(std::vector<io::LabelColumn>& columns, std::size_t rows, std::uint64_t seed) {
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = columns.size(); i-- > 0;) {  // the first column counts most
    const std::vector<std::string>& texts = columns[i].labels;
    std::vector<std::uint32_t> sorted(texts.size()), place(texts.size());
    std::iota(sorted.begin(), sorted.end(), 0U);
    std::sort(sorted.begin(), sorted.end(),
              [&](std::uint32_t a, std::uint32_t b) { return texts[a] < texts[b]; });
    for (std::uint32_t at = 0; at < sorted.size(); ++at) place[sorted[at]] = at;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return place[columns[i].codes[a]] < place[columns[i].codes[b]];
    });
  }
  shuffle(order, seed);
  for (io::LabelColumn& column : columns) {
    Codes codes(rows, std::max<std::size_t>(1, column.labels.size()));
    for (std::size_t row = 0; row < rows; ++row) codes.set(row, column.codes[order[row]]);
    column.codes = std::move(codes);
  }
}

int run(const Arguments& arguments, const Common& common) {
  const Cuts cuts = read_cuts(arguments.cuts);
  io::check_output(arguments.output, {".csv", ".parquet"}, {arguments.cuts, arguments.input});
  Progress progress(common, {"reading", "writing"});
  io::Session session(common.threads);
  const std::vector<std::string> names =
      cuts.released(io::read_names(arguments.input, session), arguments.input);
  io::RawTable raw = io::read_raw(arguments.input, names, session);
  progress.next();
  std::vector<io::LabelColumn> columns;
  for (RawColumn& column : raw.columns) {
    try {
      RawColumn applied = cuts.apply(std::move(column));
      columns.push_back({applied.name, std::move(applied.texts), std::move(applied.codes)});
    } catch (const BadValue& bad) {
      throw InputError(fmt::format("{}: column '{}' has '{}'; expected {}",
                                   io::place_of(arguments.input, bad.column, bad.text), bad.column,
                                   bad.text, bad.expected));
    }
  }
  lay_out(columns, raw.rows, common.seed);
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
