#include "narrow/surface/surface_tree.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "shapes/support.hpp"

namespace carom::narrow::surface {
namespace {

/// Nodes of the tree, over their triangles, may grow by this factor before the tree is built again.
constexpr double max_growth = 1.5;
/// Max number of triangles outside the tree, added since it was built and tested one by one, as a fraction of all.
/// A build takes several times as long as to refit it, and a cut adds a hundred triangles or so.
constexpr double max_later = 1.0 / 32;
constexpr std::size_t box_grain = 256;
/// Overlaps nothing, not even the box of a half-space, and grows none.
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr Box no_box{{nan, nan, nan}, {nan, nan, nan}};
/// Rounding of a distance, over the sizes and coordinates, with room to spare.
constexpr double box_rounding = 1e-10;
/// Marks of triangles in one Index.
constexpr std::size_t mark_bits = 32;

/// Sum of the edge lengths of all boxes of a level.
double total_extent(std::span<const float> groups) {
  constexpr std::size_t lanes = kernels::node_children;
  double sum = 0;
  for (std::size_t g = 0; g + kernels::group_floats <= groups.size(); g += kernels::group_floats) {
    for (std::size_t i = 0; i < 3 * lanes; ++i) {
      const double extent = static_cast<double>(groups[g + 3 * lanes + i]) - static_cast<double>(groups[g + i]);
      if (extent > 0) sum += extent;  // places without a box hold NaN
    }
  }
  return sum;
}

}  // namespace

double SurfaceTree::node_size() const {
  if (tree_.depth() < 2) return 0;
  const double triangles = total_extent(tree_.groups(0));
  return triangles > 0 ? total_extent(tree_.groups(1)) / triangles : 0;
}

/// Lists the triangles that the tree does not have; false if it has to be built again. Those that went away have no
/// box.
bool SurfaceTree::follow(const Surface& surface) {
  const std::span<const Triangle> triangles = surface.triangles();
  if (revision_ == 0 || triangles.size() < in_tree_.size()) return false;
  revision_ = surface.revision();
  later_.clear();
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (!is_dead(triangles[t]) && (t >= in_tree_.size() || in_tree_[t] == 0)) later_.push_back(static_cast<Index>(t));
  }
  return static_cast<double>(later_.size()) <= max_later * static_cast<double>(triangles.size());
}

void SurfaceTree::update(Workers& workers, const Surface& surface, std::span<const Eigen::Vector3d> positions,
                         std::span<const Eigen::Vector3d> end) {
  const std::span<const Triangle> triangles = surface.triangles();
  boxes_.resize(triangles.size());
  parallel_for(workers, triangles.size(), box_grain, [&](std::size_t t) {
    Box& box = boxes_[t];
    box = no_box;
    if (is_dead(triangles[t])) return;
    const Triangle& corners = triangles[t];
    Eigen::Array3d low = positions[static_cast<std::size_t>(corners[0])].array();
    Eigen::Array3d high = low;
    const auto grow = [&](const Eigen::Vector3d& p) {
      low = low.min(p.array());
      high = high.max(p.array());
    };
    grow(positions[static_cast<std::size_t>(corners[1])]);
    grow(positions[static_cast<std::size_t>(corners[2])]);
    if (!end.empty()) {
      for (const Index v : corners) grow(end[static_cast<std::size_t>(v)]);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      box.min[k] = round_down(low[static_cast<Eigen::Index>(k)]);
      box.max[k] = round_up(high[static_cast<Eigen::Index>(k)]);
    }
  });
  whole_ = {};
  for (const Box& box : boxes_) whole_.grow(box);
  if (revision_ == surface.revision() || follow(surface)) {
    tree_.refit(workers, boxes_);
    if (node_size() <= max_growth * built_size_) return;
  }
  items_.clear();
  later_.clear();
  in_tree_.assign(triangles.size(), 0);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    if (is_dead(triangles[t])) continue;
    items_.push_back(static_cast<std::uint32_t>(t));
    in_tree_[t] = 1;
  }
  tree_.build(workers, boxes_, items_);
  revision_ = surface.revision();
  built_size_ = node_size();
}

void SurfaceTree::find(const Box& box, Scratch& scratch, std::vector<Index>& out) const {
  out.clear();
  scratch.pairs.clear();
  const std::array<float, 6> asked{box.min[0], box.min[1], box.min[2], box.max[0], box.max[1], box.max[2]};
  tree_.search(asked, 0, scratch.walk, scratch.pairs);
  for (const Index t : later_) {
    if (overlap(box, boxes_[static_cast<std::size_t>(t)])) scratch.pairs.push_back({0, static_cast<std::uint32_t>(t)});
  }
  const std::size_t words = chunk_count(boxes_.size(), mark_bits);
  if (scratch.pairs.size() < words) {
    for (const broad::NodePair& pair : scratch.pairs) out.push_back(static_cast<Index>(pair.b));
    std::sort(out.begin(), out.end());
    return;
  }
  // Marks of all triangles put many in order faster than a sort. They are in the list itself, which is warm, before
  // what it gets.
  out.assign(words, 0);
  for (const broad::NodePair& pair : scratch.pairs) {
    const std::size_t t = pair.b;
    out[t / mark_bits] |= static_cast<Index>(std::uint32_t{1} << t % mark_bits);
  }
  for (std::size_t word = 0; word < words; ++word) {
    for (auto left = static_cast<std::uint32_t>(out[word]); left != 0; left &= left - 1)
      out.push_back(static_cast<Index>(mark_bits * word + static_cast<std::size_t>(std::countr_zero(left))));
  }
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(words));
}

Box shape_box(const shapes::Core& core, const Eigen::Isometry3d& pose, double within) {
  Box box;
  const double size = core.reach + core.radius + std::abs(core.offset) + pose.translation().cwiseAbs().maxCoeff();
  const double grow = core.radius + within + box_rounding * (size + std::abs(within));
  for (std::size_t k = 0; k < 3; ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    const math::Vec3 d = math::to_vec3(pose.linear().row(axis).transpose());
    const double at = pose.translation()[axis];
    if (core.kind == shapes::CoreKind::half_space) {
      // Bounded on one side if its normal is along the axis.
      const Eigen::Vector3d n = pose.linear() * math::to_eigen(core.size);
      const bool along = n.cwiseAbs().sum() == std::abs(n[axis]);
      const double height = core.offset + grow;
      box.min[k] = along && n[axis] < 0 ? round_down(at - height) : -FLT_MAX;
      box.max[k] = along && n[axis] > 0 ? round_up(at + height) : FLT_MAX;
      continue;
    }
    box.min[k] = round_down(at + dot(d, shapes::support(core, -d).p) - grow);
    box.max[k] = round_up(at + dot(d, shapes::support(core, d).p) + grow);
  }
  return box;
}

}  // namespace carom::narrow::surface
