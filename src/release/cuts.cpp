#include "release/cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "table/value.h"
#include "throng/error.h"

namespace throng {
namespace {

using Json = nlohmann::ordered_json;

constexpr Role kRoles[] = {Role::identifier, Role::quasi_identifier, Role::sensitive,
                           Role::insensitive};
constexpr Type kTypes[] = {Type::text, Type::integer, Type::decimal, Type::date};

Json json_of(const Domain& domain, const Region& region) {
  Json piece = {{"as", write_region(domain, region)}};
  if (domain.kind == Domain::Kind::interval && region.low < region.high &&
      region.low < domain.missing()) {
    const std::size_t last = std::min<std::size_t>(region.high, domain.values.present() - 1);
    piece["from"] = domain.values.labels[region.low];
    piece["to"] = domain.values.labels[last];
    if (region.high == domain.missing()) piece["values"] = {domain.values.labels.back()};
    return piece;
  }
  piece["values"] = Json::array();
  for (Code at = region.low; at <= region.high; ++at) {
    if (covers(domain, region, at)) piece["values"].push_back(domain.values.labels[at]);
  }
  return piece;
}

}  // namespace

std::string write_cuts(const std::vector<ColumnCut>& cuts, const Policy& policy,
                       const std::vector<std::string>& names) {
  // One line a piece: people read it.
  std::string text =
      fmt::format("{{\"missing\": {},\n \"columns\": [", Json(policy.missing.values).dump());
  for (const std::string& name : names) {
    const ColumnPolicy& rule = *policy.find(name);
    Json column = {{"name", name}, {"role", name_of(rule.role)}};
    std::string pieces;
    const auto cut = std::find_if(cuts.begin(), cuts.end(), [&](const ColumnCut& known) {
      return known.domain->name == name;
    });
    if (rule.role != Role::identifier) {
      column["type"] = name_of(rule.type.type);
      if (!rule.type.format.empty()) column["format"] = rule.type.format;
    }
    if (cut != cuts.end()) {
      for (const Region& region : cut->regions) {
        pieces += fmt::format("{}\n    {}", pieces.empty() ? "" : ",",
                              json_of(*cut->domain, region).dump());
      }
      pieces = fmt::format(", \"cut\": [{}]", pieces);
    }
    const std::string head = column.dump();
    text += fmt::format("{}\n  {}{}}}", &name == names.data() ? "" : ",",
                        head.substr(0, head.size() - 1), pieces);
  }
  return text + "]}\n";
}

Cuts Cuts::parse(std::string_view text, const std::string& source) {
  const auto fail = [&](const std::string& where, const std::string& what) -> InputError {
    return InputError(fmt::format("{}: {}{}", source, where, what));
  };
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("columns") || !json["columns"].is_array()) {
    throw fail("", "is no file of cuts; expected what `throng anonymize --cuts` writes");
  }
  Cuts cuts;
  cuts.source_ = source;
  const auto strings = [&](const Json& node, const std::string& where) {
    std::vector<std::string> result;
    if (!node.is_array()) throw fail(where, "is no list of texts");
    for (const Json& item : node) {
      if (!item.is_string()) throw fail(where, "is no list of texts");
      result.push_back(item.get<std::string>());
    }
    return result;
  };
  if (json.contains("missing")) cuts.missing_.values = strings(json["missing"], "\"missing\" ");
  if (cuts.missing_.values.empty()) cuts.missing_.values = {""};
  for (const Json& node : json["columns"]) {
    const auto word = [&](const char* key, const std::string& where) {
      if (!node.is_object() || !node.contains(key) || !node[key].is_string())
        throw fail(where, fmt::format("has no \"{}\"", key));
      return node[key].get<std::string>();
    };
    Column column;
    column.name = word("name", "a column ");
    const std::string where = fmt::format("column \"{}\" ", column.name);
    if (cuts.find(column.name) != nullptr) throw fail(where, "stands twice");
    const std::string role = word("role", where);
    const auto* known = std::find_if(std::begin(kRoles), std::end(kRoles),
                                     [&](Role one) { return name_of(one) == role; });
    if (known == std::end(kRoles)) throw fail(where, fmt::format("has the role '{}'", role));
    column.role = *known;
    if (node.contains("cut") || column.role != Role::identifier) {
      const std::string type = word("type", where);
      const auto* typed = std::find_if(std::begin(kTypes), std::end(kTypes),
                                       [&](Type one) { return name_of(one) == type; });
      if (typed == std::end(kTypes)) throw fail(where, fmt::format("has the type '{}'", type));
      column.type.type = *typed;
      if (node.contains("format")) column.type.format = word("format", where);
    }
    if (node.contains("cut")) {
      column.cut = true;
      if (!node["cut"].is_array()) throw fail(where, "has a cut that is no list");
      for (const Json& entry : node["cut"]) {
        if (!entry.is_object() || !entry.contains("as") || !entry["as"].is_string())
          throw fail(where, "has a piece without \"as\"");
        Piece piece;
        piece.as = entry["as"].get<std::string>();
        if (entry.contains("values")) piece.values = strings(entry["values"], where);
        if (entry.contains("from") && entry.contains("to") && entry["from"].is_string() &&
            entry["to"].is_string()) {
          const auto from =
              parse_value(column.type.type, entry["from"].get<std::string>(), column.type.format);
          const auto to =
              parse_value(column.type.type, entry["to"].get<std::string>(), column.type.format);
          if (!from || !to || column.type.type == Type::text)
            throw fail(where, fmt::format("has a piece \"{}\" without proper ends", piece.as));
          piece.is_range = true;
          piece.from = from->number;
          piece.to = to->number;
        }
        if (!piece.is_range && piece.values.empty())
          throw fail(where, fmt::format("has a piece \"{}\" without values", piece.as));
        column.pieces.push_back(std::move(piece));
      }
    }
    cuts.columns_.push_back(std::move(column));
  }
  return cuts;
}

const Cuts::Column* Cuts::find(std::string_view name) const {
  const auto at = std::find_if(columns_.begin(), columns_.end(),
                               [&](const Column& column) { return column.name == name; });
  return at == columns_.end() ? nullptr : &*at;
}

std::vector<std::string> Cuts::released(const std::vector<std::string>& names,
                                        const std::string& table) const {
  std::vector<std::string> result;
  for (const std::string& name : names) {
    const Column* column = find(name);
    if (column == nullptr) {
      throw InputError(
          fmt::format("{}: column '{}' is not in the cuts {}; expected the columns "
                      "that they were made for",
                      table, name, source_));
    }
    if (column->role != Role::identifier) result.push_back(name);
  }
  for (const Column& column : columns_) {
    if (column.role == Role::identifier) continue;
    if (std::find(names.begin(), names.end(), column.name) == names.end())
      throw InputError(fmt::format("{}: has no column '{}', which the cuts {} are about", table,
                                   column.name, source_));
  }
  return result;
}

RawColumn Cuts::apply(RawColumn raw) const {
  const Column& column = *find(raw.name);
  // As missing_rule() has it: insensitive columns keep what they have.
  const throng::Column encoded =
      encode(std::move(raw), column.type,
             column.role == Role::insensitive ? MissingRule{.values = {}} : missing_);
  if (!column.cut) {
    RawColumn values{column.name, encoded.values.labels, encoded.codes};
    if (column.role == Role::quasi_identifier) {
      for (std::string& text : values.texts) text = escape_value(text);
    }
    return values;
  }
  std::map<std::string_view, Code> by_value;
  RawColumn result;
  result.name = column.name;
  for (Code i = 0; i < column.pieces.size(); ++i) {
    result.texts.push_back(column.pieces[i].as);
    for (const std::string& value : column.pieces[i].values) by_value.emplace(value, i);
  }
  std::vector<Code> piece_of(encoded.values.size());
  for (Code code = 0; code < encoded.values.size(); ++code) {
    const std::string& label = encoded.values.labels[code];
    const auto found = by_value.find(label);
    std::optional<Code> piece;
    if (found != by_value.end()) {
      piece = found->second;
    } else if (code < encoded.values.numbers.size() && code < encoded.values.present()) {
      const double number = encoded.values.numbers[code];
      for (Code i = 0; i < column.pieces.size() && !piece; ++i) {
        const Piece& range = column.pieces[i];
        if (range.is_range && range.from <= number && number <= range.to) piece = i;
      }
    }
    if (!piece) {
      throw BadValue{column.name, label,
                     fmt::format("a value that the cut of {} knows: the table that it was made for "
                                 "had none like it",
                                 source_)};
    }
    piece_of[code] = *piece;
  }
  result.codes = Codes(encoded.codes.size(), result.texts.size());
  for (std::size_t row = 0; row < encoded.codes.size(); ++row)
    result.codes.set(row, piece_of[encoded.codes[row]]);
  return result;
}

}  // namespace throng
