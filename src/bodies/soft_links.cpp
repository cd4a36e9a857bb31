#include <algorithm>
#include <limits>

#include "bodies/soft_blocks.hpp"
#include "bodies/soft_cut_surface.hpp"
#include "core/at.hpp"

// Links of a lattice that a blade passes through, by their boxes first.
namespace carom::solid {
namespace {

using Eigen::Vector3d;
using mesh::LinkCrossing;

/// Box of what a blade sweeps, with room for rounding: the center of nodes at a side may be rounded to beyond it.
Eigen::AlignedBox3d box_of(const mesh::BladeMotion& blade) {
  Eigen::AlignedBox3d box;
  for (const auto& points : {blade.start, blade.end}) {
    for (const Vector3d& p : points) box.extend(p);
  }
  const double margin = 1e-12 * std::max(box.min().cwiseAbs().maxCoeff(), box.max().cwiseAbs().maxCoeff());
  return {box.min() - Vector3d::Constant(margin), box.max() + Vector3d::Constant(margin)};
}

/// Elements at links that may meet a blade while nodes go from start to end: all others are beyond a side of its box
/// with both ends, as the center of a voxel is where all its nodes are.
class LinksNear {
 public:
  LinksNear(const CutLattice& lattice, std::span<const Vector3d> start, std::span<const Vector3d> end,
            const Eigen::AlignedBox3d& box)
      : lattice_(lattice), start_(start), end_(end), low_(box.min()), high_(box.max()) {}

  /// The links of some elements in positive directions.
  void add(std::size_t first, std::size_t last) {
    for (std::size_t e = first; e < last; ++e) {
      const Index voxel = lattice_.voxels[e];
      unsigned own = 0x3f;
      for (std::size_t c = 0; c < 8 && own != 0; ++c) own &= sides_beyond(lattice_.nodes[e][c]);
      for (std::size_t k = 0; k < 3; ++k) {
        const int direction = 2 * static_cast<int>(k) + 1;
        if (!lattice_.links.joined(voxel, direction)) continue;
        const std::size_t other = element_of(lattice_, lattice_.links.neighbor(voxel, direction));
        // The corners of the face between them are those of both.
        unsigned both = own;
        for (std::size_t c = 0; c < 8 && both != 0; ++c) {
          if ((c >> k & 1) == 1) both &= sides_beyond(lattice_.nodes[other][c]);
        }
        if (both != 0) continue;
        elements_.push_back(e);
        elements_.push_back(other);
      }
    }
  }

  /// Ascending.
  std::vector<std::size_t> take() {
    std::sort(elements_.begin(), elements_.end());
    elements_.erase(std::unique(elements_.begin(), elements_.end()), elements_.end());
    return std::move(elements_);
  }

 private:
  /// Sides of the box beyond which a node is all along its way, a bit each.
  unsigned sides_beyond(Index node) const {
    const Vector3d& a = start_[at(node)];
    const Vector3d& b = end_[at(node)];
    unsigned sides = 0;
    for (Eigen::Index k = 0; k < 3; ++k) {
      sides |= a[k] < low_[k] && b[k] < low_[k] ? 1U << (2 * k) : 0U;
      sides |= a[k] > high_[k] && b[k] > high_[k] ? 2U << (2 * k) : 0U;
    }
    return sides;
  }

  const CutLattice& lattice_;
  std::span<const Vector3d> start_;
  std::span<const Vector3d> end_;
  Vector3d low_;
  Vector3d high_;
  std::vector<std::size_t> elements_;
};

std::vector<LinkCrossing> crossings_of(const CutLattice& lattice, std::span<const std::size_t> elements,
                                       std::span<const Vector3d> start, std::span<const Vector3d> end,
                                       const mesh::BladeMotion& blade) {
  std::vector<Index> voxels;
  std::vector<Vector3d> from;
  std::vector<Vector3d> to;
  const auto center = [&](std::size_t element, std::span<const Vector3d> nodes) {
    Vector3d sum(0, 0, 0);
    for (const Index n : lattice.nodes[element]) sum += nodes[at(n)];
    return Vector3d(0.125 * sum);
  };
  for (const std::size_t e : elements) {
    voxels.push_back(lattice.voxels[e]);
    from.push_back(center(e, start));
    to.push_back(center(e, end));
  }
  return mesh::link_crossings(lattice.links, voxels, from, to, blade);
}

}  // namespace

std::vector<LinkCrossing> crossed_links(const CutLattice& lattice, std::span<const Vector3d> start,
                                        std::span<const Vector3d> end, const mesh::BladeMotion& blade) {
  LinksNear near(lattice, start, end, box_of(blade));
  near.add(0, lattice.voxels.size());
  return crossings_of(lattice, near.take(), start, end, blade);
}

std::vector<LinkCrossing> crossed_links(const BodyState& state, std::span<const Vector3d> start,
                                        const mesh::BladeMotion& blade) {
  const CutLattice& lattice = *state.lattice;
  const Eigen::AlignedBox3d box = box_of(blade);
  LinksNear near(lattice, start, state.nodes, box);
  for (std::size_t b = 0; b < state.boxes.size(); ++b) {
    if (state.boxes[b].intersects(box))
      near.add(b * block_elements, std::min((b + 1) * block_elements, lattice.voxels.size()));
  }
  return crossings_of(lattice, near.take(), start, state.nodes, blade);
}

}  // namespace carom::solid
