// How a table was generalized, column by column, so that other data can be generalized the same
// way: `throng anonymize … --cuts FILE` writes it, `throng apply FILE …` uses it.
//
//   {"missing": ["?", ""],
//    "columns": [
//      {"name": "name", "role": "identifier"},
//      {"name": "sex", "role": "quasi-identifier", "type": "text",
//       "cut": [{"as": "*", "values": ["Female", "Male"]}]},
//      {"name": "age", "role": "quasi-identifier", "type": "integer",
//       "cut": [{"as": "17..38", "from": "17", "to": "38"}, …]},
//      {"name": "income", "role": "insensitive", "type": "text"}]}
//
// A column without a cut is released by its values, an identifier not at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/policy.h"
#include "release/region.h"
#include "table/encode.h"

namespace throng {

// The cut of one column: the regions that its values became, in their order.
struct ColumnCut {
  const Domain* domain = nullptr;
  std::vector<Region> regions;
};

// `cuts` may lack quasi-identifiers: those that stayed as they are. `names`: the columns of the
// table, in its order.
std::string write_cuts(const std::vector<ColumnCut>& cuts, const Policy& policy,
                       const std::vector<std::string>& names);

class Cuts {
 public:
  // Throws InputError: `source: columns, "age": what is wrong; what was expected`.
  static Cuts parse(std::string_view json, const std::string& source);

  // The columns of a table that are released, in its order. Throws InputError: a column that the
  // cuts do not name, or one that they name and the table lacks.
  std::vector<std::string> released(const std::vector<std::string>& names,
                                    const std::string& table) const;
  // A column as it is to be released. Throws BadValue: a value that no piece of the cut has.
  RawColumn apply(RawColumn raw) const;

 private:
  struct Piece {
    std::string as;
    std::vector<std::string> values;
    bool is_range = false;
    double from = 0, to = 0;
  };
  struct Column {
    std::string name;
    Role role = Role::insensitive;
    bool cut = false;
    ColumnType type;
    std::vector<Piece> pieces;
  };
  const Column* find(std::string_view name) const;

  std::string source_;
  MissingRule missing_;
  std::vector<Column> columns_;
};

}  // namespace throng
