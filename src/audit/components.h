// The strongly connected components of a graph.
#pragma once

#include <cstdint>
#include <vector>

namespace throng {

// `arcs` lists by node where one gets from it. By node the number of its component; two nodes have
// the same one if each is reached from the other. Linear in nodes and arcs (Tarjan 1972, without
// recursion).
std::vector<std::uint32_t> strong_components(const std::vector<std::vector<std::uint32_t>>& arcs);

}  // namespace throng
