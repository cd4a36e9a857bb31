#include "bodies/soft_cut_masses.hpp"

#include <algorithm>
#include <utility>

#include "bodies/soft_cut_surface.hpp"
#include "core/at.hpp"

namespace carom::solid {
namespace {

template <class T>
void sort_once(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Voxels, each once.
class VoxelSet {
 public:
  VoxelSet(const mesh::VoxelLinks& links, std::vector<std::uint8_t>& marks) : links_(links), marks_(marks) {
    marks_.resize(std::max(marks_.size(), links.voxel_count()), 0);
  }
  ~VoxelSet() {
    for (const Index voxel : list_) marks_[at(voxel)] = 0;
  }
  VoxelSet(const VoxelSet&) = delete;
  VoxelSet& operator=(const VoxelSet&) = delete;

  /// All that have a node in common with a voxel, itself too.
  void add_around(Index voxel) {
    for (std::size_t c = 0; c < 8; ++c) add_at_corner(voxel, c);
  }
  std::span<const Index> list() const { return list_; }

 private:
  /// Those that links join to a voxel at a corner: they have the same node there.
  void add_at_corner(Index voxel, std::size_t corner) {
    std::array<Index, 8> reached{};  // by the axes along which they are beyond the corner, seen from the voxel
    reached.fill(none);
    reached[0] = voxel;
    std::array<std::size_t, 8> queue{0};
    std::size_t end = 1;
    for (std::size_t next = 0; next < end; ++next) {
      const std::size_t from = queue[next];
      if (std::exchange(marks_[at(reached[from])], std::uint8_t{1}) == 0) list_.push_back(reached[from]);
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t to = from ^ (std::size_t{1} << k);
        const int direction = 2 * static_cast<int>(k) + static_cast<int>((corner ^ from) >> k & 1);
        if (reached[to] != none || !links_.joined(reached[from], direction)) continue;
        reached[to] = links_.neighbor(reached[from], direction);
        queue[end++] = to;
      }
    }
  }

  const mesh::VoxelLinks& links_;
  std::vector<std::uint8_t>& marks_;
  std::vector<Index> list_;
};

/// Vertices on the sides of some voxels: all that can be embedded in them. Ascending.
std::vector<std::uint32_t> vertices_of(const CutLattice& lattice, std::span<const Index> voxels) {
  const mesh::LinkSurface& surface = lattice.surface;
  std::vector<std::uint32_t> list;
  for (const Index voxel : voxels) {
    for (int d = 0; d < mesh::direction_count; ++d) {
      if (lattice.links.joined(voxel, d)) continue;
      const mesh::SideTriangles& own = surface.triangles_of_side[at(surface.side(voxel, d))];
      list.push_back(static_cast<std::uint32_t>(surface.triangles[at(own[0])][2]));
      for (const Index t : own) {
        if (t != none) list.push_back(static_cast<std::uint32_t>(surface.triangles[at(t)][0]));
      }
    }
  }
  sort_once(list);
  return list;
}

/// Vertices near some voxels that have one of their nodes, ascending.
std::vector<std::uint32_t> vertices_with_nodes_of(const BodyState& state, std::span<const Index> voxels,
                                                  WeighScratch& scratch) {
  const CutLattice& lattice = *state.lattice;
  std::vector<Index> nodes;
  VoxelSet around(lattice.links, scratch.voxels);
  for (const Index voxel : voxels) {
    const std::array<Index, 8>& corners = lattice.nodes[element_of(lattice, voxel)];
    nodes.insert(nodes.end(), corners.begin(), corners.end());
    around.add_around(voxel);
  }
  sort_once(nodes);
  std::vector<std::uint32_t> list = vertices_of(lattice, around.list());
  const Embedding& surface = state.model->surface;
  std::erase_if(list, [&](std::uint32_t v) {
    const Embedding::Range& range = surface.ranges[v];
    return std::none_of(surface.nodes.begin() + range.begin, surface.nodes.begin() + range.end(),
                        [&](Index node) { return std::ranges::binary_search(nodes, node); });
  });
  return list;
}

}  // namespace

void weigh_surface(const BodyState& state, WeighScratch& scratch, std::span<double> inverse_mass) {
  const mesh::LinkSurface& surface = state.lattice->surface;
  std::vector<std::uint32_t> all;
  all.reserve(surface.vertices.size());
  for (std::size_t v = 0; v < surface.vertices.size(); ++v) {
    if (!surface.vertices[v].voxels.empty()) all.push_back(static_cast<std::uint32_t>(v));
  }
  std::vector<double> packed(all.size());
  contact_masses(*state.model, all, scratch.nodes, packed);
  // What is gone goes with the first node.
  std::ranges::fill(inverse_mass, state.model->elements.inverse_mass()[at(state.lattice->nodes[0][0])]);
  for (std::size_t i = 0; i < all.size(); ++i) inverse_mass[all[i]] = packed[i];
}

void weigh_near(const BodyState& state, std::span<const Index> voxels, WeighScratch& scratch,
                std::span<double> inverse_mass) {
  const CutLattice& lattice = *state.lattice;
  const std::vector<std::uint32_t> near = vertices_with_nodes_of(state, voxels, scratch);
  // The nodes of these vertices are those of others, too.
  VoxelSet around(lattice.links, scratch.voxels);
  for (const std::uint32_t v : near) {
    for (const Index voxel : lattice.surface.vertices[v].voxels) around.add_around(voxel);
  }
  const std::vector<std::uint32_t> all = vertices_of(lattice, around.list());
  std::vector<double> packed(all.size());
  contact_masses(*state.model, all, scratch.nodes, packed);
  std::size_t i = 0;
  for (const std::uint32_t v : near) {
    while (all[i] != v) ++i;
    inverse_mass[v] = packed[i];
  }
}

}  // namespace carom::solid
