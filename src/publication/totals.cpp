#include "publication/totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "publication/apart.h"
#include "publication/packing.h"

namespace throng {
namespace {

using Spread = ClassFigures::Spread;

Spread spread_of(const Domain& domain, const Region& region) {
  if (region.everything) return {Spread::Kind::everything, 1, {}};
  switch (domain.kind) {
    case Domain::Kind::interval:
      if (region.low == region.high) return {};
      return {Spread::Kind::width,
              domain.values.numbers[region.high] - domain.values.numbers[region.low],
              {}};
    case Domain::Kind::set:
      if (region.members.size() < 2) return {};
      return {Spread::Kind::values, static_cast<double>(region.members.size() - 1), {}};
    case Domain::Kind::tree:
      if (region.low == region.high) return {};
      return {Spread::Kind::node, 0, domain.tree->label(region.node)};
  }
  return {};
}

std::uint64_t bits_of(double number) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}
double number_of(std::uint64_t bits) {
  double number = 0;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

std::string pack(const ClassFigures& figures) {
  Packer packer;
  packer.number(figures.records);
  packer.number(figures.regions);
  packer.number(figures.diversity.size());
  for (const auto& diversity : figures.diversity) {
    packer.number(diversity.distinct);
    packer.number(bits_of(diversity.frequency));
    packer.number(bits_of(diversity.entropy));
  }
  for (const Spread& spread : figures.spreads) {
    packer.number(static_cast<std::uint64_t>(spread.kind));
    packer.number(bits_of(spread.amount));
    packer.text(spread.node);
  }
  return std::move(packer).take();
}

ClassFigures unpack(std::string_view bytes) {
  Unpacker unpacker(bytes);
  ClassFigures figures;
  figures.records = unpacker.number();
  figures.regions = unpacker.number();
  figures.diversity.resize(unpacker.number());
  for (auto& diversity : figures.diversity) {
    diversity.distinct = unpacker.number();
    diversity.frequency = number_of(unpacker.number());
    diversity.entropy = number_of(unpacker.number());
  }
  while (!unpacker.at_end()) {
    Spread& spread = figures.spreads.emplace_back();
    spread.kind = static_cast<Spread::Kind>(unpacker.number());
    spread.amount = number_of(unpacker.number());
    spread.node = unpacker.text();
  }
  return figures;
}

}  // namespace

std::vector<ClassFigures> figures_of_classes(const Release& release) {
  std::vector<ClassFigures> result(release.classes);
  std::vector<std::vector<std::string>> texts;
  for (const Release::Quasi& column : release.quasi) {
    auto& written = texts.emplace_back();
    for (const Region& region : column.regions) {
      written.push_back(write_region(column.domain, region));
    }
  }
  for (std::size_t i = 0; i < release.classes; ++i) {
    std::vector<std::string> written;
    for (std::size_t column = 0; column < release.quasi.size(); ++column) {
      const Release::Quasi& quasi = release.quasi[column];
      written.push_back(texts[column][quasi.of_class[i]]);
      result[i].spreads.push_back(spread_of(quasi.domain, release.region(column, i)));
    }
    result[i].regions = hash_of_regions(written);
  }
  for (const std::uint32_t number : release.class_of_row) ++result[number].records;
  for (const Release::Plain& column : release.plain) {
    if (column.role != Role::sensitive) continue;
    std::vector<std::uint64_t> pairs(release.rows());  // class and value
    for (std::size_t row = 0; row < release.rows(); ++row) {
      pairs[row] = (std::uint64_t{release.class_of_row[row]} << 32) | column.codes[row];
    }
    std::sort(pairs.begin(), pairs.end());
    std::vector<std::uint64_t> most(release.classes, 0);
    for (ClassFigures& figures : result) figures.diversity.emplace_back();
    for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
      while (end < pairs.size() && pairs[end] == pairs[begin]) ++end;
      const std::size_t number = pairs[begin] >> 32;
      ClassFigures::Diversity& diversity = result[number].diversity.back();
      const double share =
          static_cast<double>(end - begin) / static_cast<double>(result[number].records);
      ++diversity.distinct;
      diversity.entropy -= share * std::log(share);
      most[number] = std::max<std::uint64_t>(most[number], end - begin);
    }
    for (std::size_t i = 0; i < release.classes; ++i) {
      ClassFigures::Diversity& diversity = result[i].diversity.back();
      diversity.entropy = std::exp(diversity.entropy);
      diversity.frequency = static_cast<double>(result[i].records) / static_cast<double>(most[i]);
    }
  }
  return result;
}

void Totals::create(Database& database) {
  database.execute(
      "CREATE TABLE total (name TEXT NOT NULL, key, amount NUMERIC NOT NULL, "
      "PRIMARY KEY (name, key)) WITHOUT ROWID;"
      "CREATE TABLE region (hash INTEGER PRIMARY KEY, records INTEGER NOT NULL);"
      "CREATE TABLE class_figures (class INTEGER PRIMARY KEY, figures BLOB NOT NULL);");
}

bool Totals::has_regions(std::uint64_t hash) const {
  Statement find = database_.prepare("SELECT 1 FROM region WHERE hash = ?");
  find.bind(1, static_cast<std::int64_t>(hash));
  return find.step();
}

void Totals::add(const std::vector<ClassFigures>& classes, ClassId first, bool remember) {
  Statement insert = database_.prepare("INSERT INTO class_figures VALUES (?, ?)");
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (remember) {
      insert.bind(1, static_cast<std::int64_t>(first + i)).bind_blob(2, pack(classes[i])).run();
    }
  }
  count_all(classes, 1);
}

void Totals::remove(const std::vector<ClassId>& classes) {
  std::vector<ClassFigures> gone;
  {
    Statement find = database_.prepare("SELECT figures FROM class_figures WHERE class = ?");
    Statement erase = database_.prepare("DELETE FROM class_figures WHERE class = ?");
    for (const ClassId number : classes) {
      find.bind(1, static_cast<std::int64_t>(number));
      if (!find.step()) throw std::logic_error("a class ends that never began");
      gone.push_back(unpack(find.blob(0)));
      while (find.step()) {
      }
      erase.bind(1, static_cast<std::int64_t>(number)).run();
    }
  }
  count_all(gone, -1);
}

void Totals::clear() {
  database_.execute("DELETE FROM total; DELETE FROM region; DELETE FROM class_figures;");
}

void Totals::count_all(const std::vector<ClassFigures>& classes, std::int64_t sign) {
  // The same sums and places of histograms change again and again: they are added up here first.
  std::map<std::pair<std::string, double>, std::int64_t> histograms;
  std::map<std::pair<std::string, std::string>, std::int64_t> sums;
  std::map<std::string, double> widths;
  Statement find = database_.prepare("SELECT records FROM region WHERE hash = ?");
  Statement put = database_.prepare("INSERT OR REPLACE INTO region VALUES (?, ?)");
  Statement erase = database_.prepare("DELETE FROM region WHERE hash = ?");
  for (const ClassFigures& figures : classes) {
    const auto records = static_cast<std::int64_t>(figures.records);
    const auto hash = static_cast<std::int64_t>(figures.regions);
    find.bind(1, hash);
    const std::int64_t before = find.step() ? find.integer(0) : 0;
    while (before > 0 && find.step()) {
    }
    const std::int64_t after = before + sign * records;
    if (after > 0) {
      put.bind(1, hash).bind(2, after).run();
    } else {
      erase.bind(1, hash).run();
    }
    if (before > 0) --histograms[{"class", static_cast<double>(before)}];
    if (after > 0) ++histograms[{"class", static_cast<double>(after)}];
    sums[{"classes", ""}] += (after > 0 ? 1 : 0) - (before > 0 ? 1 : 0);
    sums[{"records", ""}] += sign * records;
    for (std::size_t i = 0; i < figures.diversity.size(); ++i) {
      const ClassFigures::Diversity& diversity = figures.diversity[i];
      histograms[{fmt::format("distinct {}", i), static_cast<double>(diversity.distinct)}] += sign;
      histograms[{fmt::format("frequency {}", i), diversity.frequency}] += sign;
      histograms[{fmt::format("entropy {}", i), diversity.entropy}] += sign;
    }
    for (std::size_t i = 0; i < figures.spreads.size(); ++i) {
      const Spread& spread = figures.spreads[i];
      switch (spread.kind) {
        case Spread::Kind::none:
          break;
        case Spread::Kind::everything:
          sums[{fmt::format("everything {}", i), ""}] += sign * records;
          break;
        case Spread::Kind::width:
          widths[fmt::format("width {}", i)] += spread.amount * static_cast<double>(sign * records);
          break;
        case Spread::Kind::values:
          sums[{fmt::format("values {}", i), ""}] +=
              sign * static_cast<std::int64_t>(spread.amount) * records;
          break;
        case Spread::Kind::node:
          sums[{fmt::format("node {}", i), spread.node}] += sign * records;
          break;
      }
    }
  }
  Statement add_to = database_.prepare(
      "INSERT INTO total VALUES (?, ?, ?) ON CONFLICT (name, key) DO UPDATE SET amount = amount + "
      "excluded.amount");
  for (const auto& [place, amount] : histograms) {
    if (amount == 0) continue;
    add_to.bind_text(1, place.first).bind(2, place.second).bind(3, amount).run();
  }
  for (const auto& [place, amount] : sums) {
    if (amount == 0) continue;
    add_to.bind_text(1, place.first).bind_text(2, place.second).bind(3, amount).run();
  }
  for (const auto& [name, amount] : widths) {
    add_to.bind_text(1, name).bind_text(2, "").bind(3, amount).run();
  }
  // The least of a histogram is its first row.
  database_.execute("DELETE FROM total WHERE amount = 0");
}

Figures Totals::figures(const std::vector<Domain>& domains,
                        const std::vector<std::string>& sensitive) const {
  Statement find = database_.prepare("SELECT amount FROM total WHERE name = ? AND key = ''");
  const auto sum = [&](const std::string& name) {
    find.bind_text(1, name);
    double amount = 0;
    while (find.step()) amount = find.real(0);
    return amount;
  };
  Statement first = database_.prepare("SELECT key FROM total WHERE name = ? ORDER BY key LIMIT 1");
  const auto least = [&](const std::string& name) {
    first.bind_text(1, name);
    double key = 0;
    while (first.step()) key = first.real(0);
    return key;
  };
  Figures figures;
  const double records = sum("records");
  figures.rows_out = static_cast<std::size_t>(records);
  figures.classes = static_cast<std::size_t>(sum("classes"));
  figures.k = static_cast<std::size_t>(least("class"));
  if (figures.classes > 0)
    figures.average_class_size = records / static_cast<double>(figures.classes);
  for (std::size_t i = 0; i < sensitive.size(); ++i) {
    figures.diversity.push_back(
        {sensitive[i], static_cast<std::size_t>(least(fmt::format("distinct {}", i))),
         least(fmt::format("frequency {}", i)), least(fmt::format("entropy {}", i))});
  }
  double loss = 0;
  Statement nodes = database_.prepare("SELECT key, amount FROM total WHERE name = ?");
  for (std::size_t i = 0; i < domains.size(); ++i) {
    const Domain& domain = domains[i];
    loss += sum(fmt::format("everything {}", i));
    if (domain.high > domain.low)
      loss += sum(fmt::format("width {}", i)) / (domain.high - domain.low);
    if (domain.size() > 1)
      loss += sum(fmt::format("values {}", i)) / static_cast<double>(domain.size() - 1);
    if (!domain.tree) continue;
    nodes.bind_text(1, fmt::format("node {}", i));
    while (nodes.step()) {
      if (const auto node = domain.tree->find(nodes.text(0)))
        loss += nodes.real(1) * domain.tree->loss(*node);
    }
  }
  if (records > 0) {
    figures.information_loss = loss / records;
    figures.gcp = figures.information_loss / static_cast<double>(domains.size());
  }
  return figures;
}

}  // namespace throng
