#include "bodies/soft_blocks.hpp"

#include <algorithm>

#include "bodies/soft_cut_surface.hpp"
#include "core/at.hpp"
#include "core/parallel.hpp"

namespace carom::solid {
namespace {

using Eigen::AlignedBox3d;
using Eigen::Vector3d;

Index node_block_of(Index node) {
  return static_cast<Index>(at(node) / block_nodes);
}

}  // namespace

std::vector<std::vector<Index>> list_node_blocks(const CutLattice& lattice) {
  std::vector<std::vector<Index>> lists(chunk_count(lattice.voxels.size(), block_elements));
  std::vector<Index> element(lattice.links.voxel_count(), none);
  for (std::size_t e = 0; e < lattice.voxels.size(); ++e) element[at(lattice.voxels[e])] = static_cast<Index>(e);
  for (std::size_t b = 0; b < lists.size(); ++b) {
    std::vector<Index>& list = lists[b];
    const auto add = [&](Index e) {
      for (const Index node : lattice.nodes[at(e)]) {
        const Index block = node_block_of(node);
        if (std::find(list.begin(), list.end(), block) == list.end()) list.push_back(block);
      }
    };
    const std::size_t end = std::min((b + 1) * block_elements, lattice.voxels.size());
    for (std::size_t e = b * block_elements; e < end; ++e) {
      add(static_cast<Index>(e));
      for (int d = 1; d < mesh::direction_count; d += 2) {
        const Index other = lattice.links.neighbor(lattice.voxels[e], d);
        if (other != none && element[at(other)] != none) add(element[at(other)]);
      }
    }
    std::sort(list.begin(), list.end());
  }
  return lists;
}

void add_node_block(std::size_t element, Index node, CutLattice& lattice) {
  const auto add = [&](std::size_t e) {
    std::vector<Index>& list = lattice.node_blocks[e / block_elements];
    const auto place = std::lower_bound(list.begin(), list.end(), node_block_of(node));
    if (place == list.end() || *place != node_block_of(node)) list.insert(place, node_block_of(node));
  };
  add(element);
  for (int d = 0; d < mesh::direction_count; d += 2) {
    const Index other = lattice.links.neighbor(lattice.voxels[element], d);
    if (has_voxel(lattice, other)) add(element_of(lattice, other));
  }
}

void place_boxes(std::span<const Vector3d> start, BodyState& state) {
  std::vector<AlignedBox3d> of_nodes(chunk_count(state.nodes.size(), block_nodes));
  for (std::size_t b = 0; b < of_nodes.size(); ++b) {
    const std::size_t end = std::min((b + 1) * block_nodes, state.nodes.size());
    Eigen::Array3d low = start[b * block_nodes].array();
    Eigen::Array3d high = low;
    for (std::size_t n = b * block_nodes; n < end; ++n) {
      low = low.min(start[n].array()).min(state.nodes[n].array());
      high = high.max(start[n].array()).max(state.nodes[n].array());
    }
    of_nodes[b] = {low.matrix(), high.matrix()};
  }
  const std::vector<std::vector<Index>>& lists = state.lattice->node_blocks;
  state.boxes.resize(lists.size());
  for (std::size_t b = 0; b < lists.size(); ++b) {
    AlignedBox3d box;
    for (const Index block : lists[b]) box.extend(of_nodes[at(block)]);
    state.boxes[b] = box;
  }
}

}  // namespace carom::solid
