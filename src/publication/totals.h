// The figures of the current release, kept by difference: a batch costs what it changes.
//
// Each class that begins is added and each one that ends is taken off, in sums and histograms that
// live in the ledger, so that no release is read again to be measured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "publication/change.h"
#include "publication/database.h"
#include "throng/throng.h"

namespace throng {

// What the totals know of one class.
struct ClassFigures {
  std::uint64_t records = 0;
  std::uint64_t regions = 0;  // a hash of the regions as they are written
  struct Diversity {
    std::uint64_t distinct = 0;
    double frequency = 0;
    double entropy = 0;
  };
  std::vector<Diversity> diversity;  // by sensitive column
  // A region's part in the loss, in terms that stay true when domains grow.
  struct Spread {
    enum class Kind : std::uint8_t { none, everything, width, values, node };
    Kind kind = Kind::none;
    double amount = 0;  // the width of an interval; the values of a set beyond the first
    std::string node;   // the label of a hierarchy's node
  };
  std::vector<Spread> spreads;  // by quasi-identifier
};

std::vector<ClassFigures> figures_of_classes(const Release& release);

class Totals {
 public:
  static void create(Database& database);
  explicit Totals(Database& database) : database_(database) {}

  // Whether a class of the current release has regions with this hash.
  bool has_regions(std::uint64_t hash) const;

  // Classes `first`, `first + 1`, … begin. `remember`: they may end one day, one by one.
  void add(const std::vector<ClassFigures>& classes, ClassId first, bool remember);
  // Classes that were remembered end.
  void remove(const std::vector<ClassId>& classes);
  void clear();  // all end

  // Of the current release; `domains` are those of all records so far. What needs the whole release
  // at once (discernibility) is left out.
  Figures figures(const std::vector<Domain>& domains,
                  const std::vector<std::string>& sensitive) const;

 private:
  void count_all(const std::vector<ClassFigures>& classes, std::int64_t sign);

  Database& database_;
};

}  // namespace throng
