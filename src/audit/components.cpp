#include "audit/components.h"

#include <algorithm>
#include <utility>

namespace throng {

std::vector<std::uint32_t> strong_components(const std::vector<std::vector<std::uint32_t>>& arcs) {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  const std::size_t nodes = arcs.size();
  std::vector<std::uint32_t> component(nodes, none), order(nodes, none), lowest(nodes, none);
  std::vector<std::uint32_t> stack;
  std::vector<std::pair<std::uint32_t, std::size_t>> path;  // a node, and its next arc
  std::uint32_t visited = 0, components = 0;
  for (std::uint32_t root = 0; root < nodes; ++root) {
    if (order[root] != none) continue;
    path.emplace_back(root, 0);
    while (!path.empty()) {
      const std::uint32_t node = path.back().first;
      if (path.back().second == 0) {
        order[node] = lowest[node] = visited++;
        stack.push_back(node);
      }
      if (path.back().second < arcs[node].size()) {
        const std::uint32_t next = arcs[node][path.back().second++];
        if (order[next] == none) {
          path.emplace_back(next, 0);
        } else if (component[next] == none) {
          lowest[node] = std::min(lowest[node], order[next]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty())
        lowest[path.back().first] = std::min(lowest[path.back().first], lowest[node]);
      if (lowest[node] != order[node]) continue;
      for (std::uint32_t member = none; member != node;) {
        member = stack.back();
        stack.pop_back();
        component[member] = components;
      }
      ++components;
    }
  }
  return component;
}

}  // namespace throng
