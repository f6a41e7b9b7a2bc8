#include "publication/apart.h"

#include <algorithm>
#include <set>
#include <utility>

namespace throng {
namespace {

constexpr int kMostSteps = 200;

// The regions that are one step wider.
std::vector<Region> wider(const Domain& domain, const Region& region) {
  std::vector<Region> result;
  if (region.everything) return result;
  switch (domain.kind) {
    case Domain::Kind::interval: {
      const auto present = static_cast<Code>(domain.values.present());
      if (region.low >= present) break;  // the missing value: only `*` is wider
      if (region.high + 1 < present)
        result.push_back(region_of_range(domain, region.low, region.high + 1));
      if (region.low > 0) result.push_back(region_of_range(domain, region.low - 1, region.high));
      break;
    }
    case Domain::Kind::set: {
      std::vector<Code> members = region.members;
      if (members.empty()) members.push_back(region.low);
      for (Code value = 0; value < domain.size(); ++value) {
        if (std::binary_search(members.begin(), members.end(), value)) continue;
        std::vector<Code> more = members;
        more.insert(std::upper_bound(more.begin(), more.end(), value), value);
        result.push_back(region_of_set(domain, std::move(more)));
      }
      break;
    }
    case Domain::Kind::tree: {
      const Hierarchy::Node node =
          region.low == region.high ? domain.tree->leaf(region.low) : region.node;
      if (node != domain.tree->root())
        result.push_back(region_of_node(domain, domain.tree->parent(node)));
      break;
    }
  }
  if (result.empty()) result.push_back(region_of_everything(domain));
  return result;
}

struct Step {
  double cost = 0;
  std::size_t column = 0;
  Region region;
  std::string text;
  bool leads_out = false;  // to regions that are free
};

}  // namespace

std::uint64_t hash_of_regions(const std::vector<std::string>& texts) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const std::string& text : texts) {
    for (const char character : text) {
      hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001B3ULL;
    }
    hash = (hash ^ 0xFF) * 0x100000001B3ULL;  // where one region ends
  }
  return hash;
}

std::size_t keep_apart(Release& release, const std::function<bool(std::uint64_t)>& is_taken) {
  std::vector<std::vector<std::string>> texts(release.classes);
  std::set<std::uint64_t> own;
  for (std::uint32_t number = 0; number < release.classes; ++number) {
    for (std::size_t i = 0; i < release.quasi.size(); ++i) {
      texts[number].push_back(write_region(release.quasi[i].domain, release.region(i, number)));
    }
    own.insert(hash_of_regions(texts[number]));
  }
  std::size_t changed = 0;
  for (std::uint32_t number = 0; number < release.classes; ++number) {
    std::vector<std::string>& text = texts[number];
    const std::uint64_t before = hash_of_regions(text);
    if (!is_taken(before)) continue;
    std::uint64_t now = before;
    std::vector<std::uint32_t> old_regions;
    for (const Release::Quasi& column : release.quasi)
      old_regions.push_back(column.of_class[number]);
    for (int steps = 0; steps < kMostSteps && (steps == 0 || is_taken(now) || own.contains(now));
         ++steps) {
      Step best;
      bool found = false;
      for (std::size_t i = 0; i < release.quasi.size(); ++i) {
        const Domain& domain = release.quasi[i].domain;
        const Region& region = release.region(i, number);
        for (const Region& candidate : wider(domain, region)) {
          Step step{loss_of(domain, candidate) - loss_of(domain, region), i, candidate,
                    write_region(domain, candidate), false};
          const std::string old = std::exchange(text[i], step.text);
          const std::uint64_t hash = hash_of_regions(text);
          text[i] = old;
          step.leads_out = !is_taken(hash) && !own.contains(hash);
          const auto rank = [](const Step& s) { return std::pair(!s.leads_out, s.cost); };
          if (!found || rank(step) < rank(best)) best = std::move(step);
          found = true;
        }
      }
      if (!found) break;  // everything is `*`
      Release::Quasi& column = release.quasi[best.column];
      column.of_class[number] = static_cast<std::uint32_t>(column.regions.size());
      column.regions.push_back(best.region);
      text[best.column] = best.text;
      now = hash_of_regions(text);
    }
    if (is_taken(now) || own.contains(now)) {  // nothing is free: then it need not be wider, either
      for (std::size_t i = 0; i < release.quasi.size(); ++i)
        release.quasi[i].of_class[number] = old_regions[i];
      continue;
    }
    own.insert(now);
    ++changed;
  }
  return changed;
}

}  // namespace throng
