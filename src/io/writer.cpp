#include "io/writer.h"

#include <fmt/format.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "io/duckdb.h"
#include "io/new_file.h"
#include "io/source.h"
#include "throng/error.h"

namespace throng::io {
namespace {

namespace fs = std::filesystem;

bool is_parquet(const std::string& path) { return ends_in(path, ".parquet"); }

// A field of a CSV: quoted where it must be. In a header any delimiter must, since readers find
// theirs there.
std::string csv_field(const std::string& text, const char* special = ",\"\r\n") {
  const bool edge = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!edge && text.find_first_of(special) == std::string::npos) return text;
  std::string field = "\"";
  for (const char character : text) {
    if (character == '"') field += '"';
    field += character;
  }
  return field + '"';
}

// A part of each line: one of `texts`, with the separator behind it, chosen by a code a row.
struct Part {
  std::vector<std::string> texts;
  const Codes* codes = nullptr;
};

// DuckDB's CSV writer takes rows in a given order only from one thread, so lines are put together
// here: on all threads, from fields that are quoted once a distinct value.
void write_csv(const std::string& header, const std::vector<Part>& parts, std::size_t rows,
               NewFile& file) {
  constexpr std::size_t kRows = 1U << 15;
  file.write(header);
  std::size_t next = 0;
  tbb::parallel_pipeline(
      16, tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order,
                                              [&](tbb::flow_control& control) -> std::size_t {
                                                if (next >= rows) control.stop();
                                                const std::size_t begin = next;
                                                next += kRows;
                                                return begin;
                                              }) &
              tbb::make_filter<std::size_t, std::string>(
                  tbb::filter_mode::parallel,
                  [&](std::size_t begin) {
                    const std::size_t end = std::min(begin + kRows, rows);
                    std::vector<std::uint32_t> codes((end - begin) * parts.size());
                    std::size_t bytes = 0;
                    for (std::size_t part = 0; part < parts.size(); ++part) {
                      parts[part].codes->visit([&](const auto& from) {
                        for (std::size_t row = begin; row < end; ++row) {
                          const Code code = from[row];
                          codes[(row - begin) * parts.size() + part] = code;
                          bytes += parts[part].texts[code].size();
                        }
                      });
                    }
                    std::string lines(bytes, '\0');
                    char* at = lines.data();
                    for (std::size_t i = 0; i < codes.size(); i += parts.size()) {
                      for (std::size_t part = 0; part < parts.size(); ++part) {
                        const std::string& text = parts[part].texts[codes[i + part]];
                        at += text.copy(at, text.size());
                      }
                    }
                    return lines;
                  }) &
              tbb::make_filter<std::string, void>(
                  tbb::filter_mode::serial_in_order,
                  [&](const std::string& lines) { file.write(lines); }));
}

// --- Parquet: DuckDB reads the columns through a table function ----------------------------------

struct ColumnSource {
  const std::vector<LabelColumn>* columns = nullptr;
  std::size_t rows = 0;
  std::size_t next = 0;
};

void bind_columns(duckdb_bind_info info) {
  const auto* source = static_cast<ColumnSource*>(duckdb_bind_get_extra_info(info));
  duckdb_logical_type text = duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR);
  // Numbered: DuckDB does not tell names apart that differ by case alone.
  for (std::size_t i = 0; i < source->columns->size(); ++i) {
    duckdb_bind_add_result_column(info, fmt::format("c{}", i).c_str(), text);
  }
  duckdb_destroy_logical_type(&text);
  duckdb_bind_set_cardinality(info, source->rows, true);
}

void start_columns(duckdb_init_info info) { duckdb_init_set_max_threads(info, 1); }

void hand_over(duckdb_function_info info, duckdb_data_chunk chunk) {
  auto* source = static_cast<ColumnSource*>(duckdb_function_get_extra_info(info));
  const std::size_t begin = source->next;
  const std::size_t count = std::min<std::size_t>(duckdb_vector_size(), source->rows - begin);
  for (std::size_t i = 0; i < source->columns->size(); ++i) {
    const LabelColumn& column = (*source->columns)[i];
    duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, i);
    for (std::size_t row = 0; row < count; ++row) {
      const std::string& label = column.labels[column.codes[begin + row]];
      duckdb_vector_assign_string_element_len(vector, row, label.data(), label.size());
    }
  }
  source->next += count;
  duckdb_data_chunk_set_size(chunk, count);
}

// DuckDB would rename the second of them.
void refuse_equal_names(const std::vector<LabelColumn>& columns, const std::string& path) {
  std::map<std::string, std::string> seen;
  for (const LabelColumn& column : columns) {
    const auto [known, is_new] = seen.emplace(lower(column.name), column.name);
    if (is_new) continue;
    throw InputError(
        fmt::format("{}: columns '{}' and '{}' differ by case alone, which Parquet readers do not "
                    "tell apart; write CSV",
                    path, known->second, column.name));
  }
}

void write_parquet(const std::vector<LabelColumn>& columns, NewFile& file, Session& session) {
  const std::string& path = file.path();
  try {
    Duck duck(session);
    ColumnSource source{&columns, columns.empty() ? 0 : columns[0].codes.size(), 0};
    duckdb_table_function function = duckdb_create_table_function();
    const std::string name = duck.unique_name("throng_columns");
    duckdb_table_function_set_name(function, name.c_str());
    duckdb_table_function_set_extra_info(function, &source, nullptr);
    duckdb_table_function_set_bind(function, bind_columns);
    duckdb_table_function_set_init(function, start_columns);
    duckdb_table_function_set_function(function, hand_over);
    const auto state = duckdb_register_table_function(duck.connection(), function);
    duckdb_destroy_table_function(&function);
    if (state != DuckDBSuccess) throw DuckError("cannot register a table function");
    std::string named;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      named += fmt::format("{}c{} AS {}", i == 0 ? "" : ", ", i, sql_name(columns[i].name));
    }
    duck.run("SET preserve_insertion_order = true");
    duck.run(fmt::format("COPY (SELECT {} FROM {}()) TO {} (FORMAT parquet, USE_TMP_FILE false)",
                         named, name, sql_text(file.temporary())));
  } catch (const DuckError& failure) {
    const std::string message = failure.what();
    throw InputError(fmt::format("{}: cannot be written: {}; nothing was changed", path,
                                 message.substr(0, message.find('\n'))));
  }
}

// The codes with only the labels that occur: nothing of a value that is not published goes out.
LabelColumn used_labels(std::string name, const std::vector<std::string>& labels,
                        const Codes& codes) {
  std::vector<Code> place(labels.size(), 0);
  std::vector<char> used(labels.size(), 0);
  codes.visit([&](const auto& from) {
    for (const auto code : from) used[code] = 1;
  });
  LabelColumn column;
  column.name = std::move(name);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!used[i]) continue;
    place[i] = static_cast<Code>(column.labels.size());
    column.labels.push_back(labels[i]);
  }
  column.codes = Codes(codes.size(), column.labels.size());
  for (std::size_t row = 0; row < codes.size(); ++row) column.codes.set(row, place[codes[row]]);
  return column;
}

std::vector<std::string> region_texts(const Release::Quasi& column) {
  std::vector<std::string> texts;
  for (const Region& region : column.regions) texts.push_back(write_region(column.domain, region));
  return texts;
}

// A line with nothing on it is no record to most readers: the empty text alone is written "".
void show_empty_lines(std::vector<Part>& parts) {
  if (parts.size() != 1) return;
  for (std::string& text : parts[0].texts) {
    if (text == "\n") text = "\"\"\n";
  }
}

std::string joined_header(const std::vector<std::string>& names) {
  std::string header;
  for (const std::string& name : names) {
    header += (header.empty() ? "" : ",") + csv_field(name, ",;|\t\"\r\n");
  }
  return header + "\n";
}

void write_release_csv(const Release& release, NewFile& file) {
  // Quasi-identifiers that stand side by side make one part of the line, the same in all of a
  // class.
  const Codes classes(release.class_of_row, release.classes);
  std::vector<std::string> names;
  std::vector<Part> parts;
  bool quasi_before = false;
  for (std::size_t i = 0; i < release.layout.size(); ++i) {
    const auto [is_quasi, index] = release.layout[i];
    const char separator = i + 1 == release.layout.size() ? '\n' : ',';
    if (is_quasi) {
      const Release::Quasi& column = release.quasi[index];
      names.push_back(column.domain.name);
      if (!quasi_before) parts.push_back({std::vector<std::string>(release.classes), &classes});
      std::vector<std::string> fields = region_texts(column);
      for (std::string& field : fields) field = csv_field(field) + separator;
      for (std::size_t j = 0; j < release.classes; ++j)
        parts.back().texts[j] += fields[column.of_class[j]];
    } else {
      const Release::Plain& column = release.plain[index];
      names.push_back(column.name);
      Part part{{}, &column.codes};
      for (const std::string& label : column.values.labels)
        part.texts.push_back(csv_field(label) + separator);
      parts.push_back(std::move(part));
    }
    quasi_before = is_quasi;
  }
  show_empty_lines(parts);
  write_csv(joined_header(names), parts, release.rows(), file);
}

void write_columns_csv(const std::vector<LabelColumn>& columns, NewFile& file) {
  std::vector<std::string> names;
  std::vector<Part> parts;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    names.push_back(columns[i].name);
    Part part{{}, &columns[i].codes};
    for (const std::string& label : columns[i].labels) {
      part.texts.push_back(csv_field(label) + (i + 1 == columns.size() ? '\n' : ','));
    }
    parts.push_back(std::move(part));
  }
  show_empty_lines(parts);
  write_csv(joined_header(names), parts, columns.empty() ? 0 : columns[0].codes.size(), file);
}

}  // namespace

void check_output(const std::string& path, const std::vector<std::string>& endings,
                  const std::vector<std::string>& inputs) {
  const bool fits = std::any_of(endings.begin(), endings.end(),
                                [&](const std::string& ending) { return ends_in(path, ending); });
  if (!fits) {
    std::string list;
    for (const std::string& ending : endings) list += (list.empty() ? "" : " or ") + ending;
    throw InputError(fmt::format("{}: unknown ending of the output; expected {}", path, list));
  }
  std::error_code error;
  const fs::path folder =
      fs::path(path).has_parent_path() ? fs::path(path).parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) {
    throw InputError(
        fmt::format("{}: the folder '{}' does not exist; make it first", path, folder.string()));
  }
  if (fs::is_directory(path, error))
    throw InputError(fmt::format("{}: is a folder; expected a file", path));
  for (const std::string& input : inputs) {
    const std::string file = input.substr(
        0, input.rfind(".duckdb:") == std::string::npos ? input.size() : input.rfind(':'));
    if (fs::weakly_canonical(path, error) == fs::weakly_canonical(file, error) ||
        fs::equivalent(path, file, error)) {
      throw InputError(fmt::format("{}: the output is also an input; expected another name", path));
    }
  }
}

std::vector<LabelColumn> columns_of(const Release& release) {
  std::vector<LabelColumn> columns;
  for (const auto& [is_quasi, index] : release.layout) {
    if (is_quasi) {
      const Release::Quasi& column = release.quasi[index];
      Codes codes(release.rows(), column.regions.size());
      for (std::size_t row = 0; row < release.rows(); ++row) {
        codes.set(row, column.of_class[release.class_of_row[row]]);
      }
      columns.push_back(used_labels(column.domain.name, region_texts(column), codes));
    } else {
      const Release::Plain& column = release.plain[index];
      columns.push_back(used_labels(column.name, column.values.labels, column.codes));
    }
  }
  return columns;
}

void write_release(const Release& release, const std::string& path, Session& session) {
  if (is_parquet(path)) return write_columns(columns_of(release), path, session);
  NewFile file(path);
  write_release_csv(release, file);
  file.finish();
}

std::unique_ptr<NewFile> prepare_columns(const std::vector<LabelColumn>& columns,
                                         const std::string& path, Session& session) {
  if (is_parquet(path)) refuse_equal_names(columns, path);
  auto file = std::make_unique<NewFile>(path);
  if (is_parquet(path)) {
    write_parquet(columns, *file, session);
  } else {
    write_columns_csv(columns, *file);
  }
  return file;
}

void write_columns(const std::vector<LabelColumn>& columns, const std::string& path,
                   Session& session) {
  prepare_columns(columns, path, session)->finish();
}

void write_text(std::string_view content, const std::string& path) {
  NewFile file(path);
  file.write(content);
  file.finish();
}

}  // namespace throng::io
