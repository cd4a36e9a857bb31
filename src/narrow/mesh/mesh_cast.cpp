#include "narrow/mesh/mesh_cast.hpp"

#include <algorithm>
#include <optional>

#include "narrow/convex/advance.hpp"
#include "narrow/mesh/mesh_mesh.hpp"
#include "narrow/mesh/triangle_core.hpp"

namespace carom::mesh {
namespace {

using convex::MovingCore;
using convex::MovingPair;
using shapes::TreeNode;

/// A box is cast until it is as near as this, in parts of the sizes of the two: finer tells no more about what is in
/// it.
constexpr double box_tolerance = 0.1;
constexpr int box_budget = 6;
/// Travel, as a fraction of the size of a core, up to which boxes are not cast. Those along its path are few, and none
/// of them is met much later than another.
constexpr double short_travel = 2;

/// Where a core goes, as seen from a mesh that does not turn: a box in the frame of the mesh that holds it on all of
/// its way, and what is within the separation.
class Corridor {
 public:
  Corridor(const MovingPart& mesh, const MovingCore& core, double separation) {
    const convex::SweptPose& of_mesh = mesh.swept_pose;
    const convex::SweptPose& goes = core.swept_pose;
    Eigen::Matrix3d axes = of_mesh.start;
    Eigen::Vector3d begin = goes.from - of_mesh.from;
    if (mesh.pose != nullptr) {
      axes = of_mesh.start * mesh.pose->linear();
      begin -= of_mesh.start * mesh.pose->translation();
    }
    const Eigen::Vector3d end = begin + goes.travel - of_mesh.travel;
    const double scale = core.reach + core.core.radius + begin.norm() + end.norm() + of_mesh.from.norm();
    const double grow = separation + mesh.data.margin + core.core.radius + (1e-14 + of_mesh.skew + goes.skew) * scale;
    const auto farthest = [&](const Eigen::Vector3d& n) {
      // See MovingPair: a point is no farther than the chord between its two ends says, and what its turn bends.
      const double bend = goes.angle * goes.angle * n.cross(goes.axis).norm() * core.reach / 8;
      const double chord = std::max(n.dot(begin) + core.extent(n, 0), n.dot(end) + core.extent(n, 1));
      const double turned = std::max(n.dot(begin), n.dot(end)) + core.reach;
      return std::min(chord + bend, turned) + grow;
    };
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d n = axes.col(k);
      const double high = farthest(n);
      const double low = -farthest(-n);
      center_[k] = 0.5 * (low + high);
      half_[k] = 0.5 * (high - low);
    }
    // Sums of coordinates of boxes are rounded as well.
    half_ += (1e-14 * (center_.cwiseAbs() + half_)).eval();
  }

  bool meets(const shapes::BoxVolume& box) const {
    return std::abs(box.center.x - center_.x()) <= box.half.x + half_.x() &&
           std::abs(box.center.y - center_.y()) <= box.half.y + half_.y() &&
           std::abs(box.center.z - center_.z()) <= box.half.z + half_.z();
  }

 private:
  Eigen::Vector3d center_;
  Eigen::Vector3d half_;
};

/// One of the two: a tree of boxes over triangles, or a core, which is its own only node.
class Side {
 public:
  /// `triangle` is room for one of its triangles.
  Side(const MovingPart& part, TriangleCore& triangle)
      : part_(part), tree_(part.data.mesh ? &part.data.mesh->tree : nullptr), triangle_(triangle) {
    box_.kind = shapes::CoreKind::box;
    box_.radius = part.data.margin;
  }

  bool leaf(std::uint32_t n) const { return tree_ == nullptr || tree_->nodes[n].leaf(); }
  double size(std::uint32_t n) const { return tree_ == nullptr ? 0 : tree_->nodes[n].size; }
  const TreeNode& node(std::uint32_t n) const { return tree_->nodes[n]; }
  const shapes::BoxVolume& box(std::uint32_t n) const { return tree_->boxes[n]; }
  bool is_mesh() const { return tree_ != nullptr; }
  bool turns() const { return part_.swept_pose.angle != 0; }
  const MovingPart& part() const { return part_; }
  /// Normal of a triangle at the start, in the world; zero if it has none.
  Eigen::Vector3d normal(std::uint32_t i) const {
    const shapes::TriangleCorners& t = tree_->corners[i];
    Eigen::Vector3d n = math::to_eigen(math::cross(t[1] - t[0], t[2] - t[0]));
    if (part_.pose != nullptr) n = part_.pose->linear() * n;
    return part_.swept_pose.start * n.stableNormalized();
  }
  /// First and last triangle of a leaf, in tree order.
  std::pair<std::uint32_t, std::uint32_t> triangles(std::uint32_t n) const {
    if (tree_ == nullptr) return {0, 1};
    return {tree_->nodes[n].first, tree_->nodes[n].first + tree_->nodes[n].count};
  }

  MovingCore volume(std::uint32_t n) {
    if (tree_ == nullptr) return part_.core();
    const shapes::BoxVolume& box = tree_->boxes[n];
    box_.size = box.half;
    box_.reach = std::sqrt(dot(box.half, box.half));
    center_ = part_.pose != nullptr ? *part_.pose : Eigen::Isometry3d::Identity();
    center_.translate(math::to_eigen(box.center));
    return {box_, part_.swept_pose, center_};
  }
  MovingCore triangle(std::uint32_t i) {
    if (tree_ == nullptr) return part_.core();
    return part_.with(triangle_.set(tree_->corners[i], part_.data.margin));
  }
  /// Number and corners of a triangle, for the result.
  void name(std::uint32_t i, Index& number, ShapeFeature& corners) const {
    if (tree_ == nullptr) return;
    number = tree_->triangles[i];
    std::uint32_t bits = 0;
    for (const Index k : corners.corners) bits |= k == none ? 0U : 1U << static_cast<std::uint32_t>(k);
    corners = feature(*part_.data.mesh, number, bits);
  }

 private:
  const MovingPart& part_;
  const shapes::MeshTree* tree_;
  shapes::Core box_;
  Eigen::Isometry3d center_;
  TriangleCore& triangle_;
};

/// Two nodes that do not meet before `time`.
struct Waiting {
  double time = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;

  /// The earliest is on top of the heap; of equals the one that comes first in the trees.
  bool operator<(const Waiting& other) const {
    if (time != other.time) return time > other.time;
    return a != other.a ? a > other.a : b > other.b;
  }
};

/// Kept from call to call.
struct Scratch {
  TriangleCore triangle_a;
  TriangleCore triangle_b;
  std::vector<Waiting> heap;
};

class Search {
 public:
  Search(const MovingPart& a, const MovingPart& b, double end, const CastOptions& options, Scratch& scratch)
      : a_(a, scratch.triangle_a), b_(b, scratch.triangle_b), options_(options), heap_(scratch.heap) {
    best_.time = end;
    best_.tolerance = 0;
    heap_.clear();
    if (a_.is_mesh() == b_.is_mesh()) return;
    const Side& mesh = a_.is_mesh() ? a_ : b_;
    const MovingCore core = (a_.is_mesh() ? b : a).core();
    if (mesh.turns() || core.core.kind == shapes::CoreKind::half_space) return;
    corridor_.emplace(mesh.part(), core, options.separation);
    const double travel = (a.swept_pose.travel - b.swept_pose.travel).norm() + core.swept_pose.angle * core.reach;
    along_ = travel <= short_travel * core.reach;
  }

  CastResult run() {
    wait(0, 0, 0);
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end());
      const Waiting next = heap_.back();
      heap_.pop_back();
      if (next.time >= best_.time) break;
      open(next);
    }
    best_.iterations = tests_;
    if (!best_.hit) best_.time = 1;
    return best_;
  }

 private:
  Side a_;
  Side b_;
  const CastOptions& options_;
  CastResult best_;
  std::vector<Waiting>& heap_;
  int tests_ = 0;
  std::optional<Corridor> corridor_;
  bool along_ = false;  ///< whatever meets the corridor is looked at

  void wait(std::uint32_t a, std::uint32_t b, double from) {
    if (corridor_ && !corridor_->meets(a_.is_mesh() ? a_.box(a) : b_.box(b))) return;
    if (along_) {
      heap_.push_back({from, a, b});
      return;
    }
    const MovingCore volume_a = a_.volume(a);
    const MovingCore volume_b = b_.volume(b);
    const MovingPair pair(volume_a, volume_b);
    const double size = std::max(a_.size(a), b_.size(b));
    const CastResult box =
        convex::advance(pair, {options_.separation, box_tolerance * size, box_budget, from, best_.time});
    tests_ += box.iterations;
    if (!box.hit) return;
    heap_.push_back({box.time, a, b});
    std::push_heap(heap_.begin(), heap_.end());
  }

  void open(const Waiting& pair) {
    const bool leaf_a = a_.leaf(pair.a);
    const bool leaf_b = b_.leaf(pair.b);
    if (leaf_a && leaf_b) return test_triangles(pair);
    if (leaf_b || (!leaf_a && a_.size(pair.a) >= b_.size(pair.b))) {
      const std::uint32_t child = a_.node(pair.a).first;
      wait(child, pair.b, pair.time);
      wait(child + 1, pair.b, pair.time);
    } else {
      const std::uint32_t child = b_.node(pair.b).first;
      wait(pair.a, child, pair.time);
      wait(pair.a, child + 1, pair.time);
    }
  }

  /// A yes is sure, and cheaper than closest points: what passes over a triangle mostly stays on one side of it.
  bool stay_apart(const MovingPair& pair, const Eigen::Vector3d& normal, double from) {
    if (!(normal.squaredNorm() > 0.5)) return false;
    ++tests_;
    const auto along = [&](const Eigen::Vector3d& n) {
      return pair.apart_along(n, from, best_.time, options_.separation);
    };
    // First as if it was in front of the triangle.
    const Eigen::Vector3d n = a_.is_mesh() ? normal : Eigen::Vector3d(-normal);
    return along(n) || along(-n);
  }

  void test_triangles(const Waiting& pair) {
    const auto [first_a, last_a] = a_.triangles(pair.a);
    const auto [first_b, last_b] = b_.triangles(pair.b);
    for (std::uint32_t i = first_a; i < last_a; ++i) {
      const MovingCore core_a = a_.triangle(i);
      for (std::uint32_t j = first_b; j < last_b; ++j) {
        const MovingCore core_b = b_.triangle(j);
        const MovingPair moving(core_a, core_b);
        if (along_ && stay_apart(moving, a_.is_mesh() ? a_.normal(i) : b_.normal(j), pair.time)) continue;
        const CastResult result = convex::advance(
            moving, {options_.separation, options_.tolerance * moving.path(), options_.budget, pair.time, best_.time});
        tests_ += result.iterations;
        if (!result.hit) continue;
        best_ = result;
        a_.name(i, best_.closest.part_a, best_.closest.feature_a);
        b_.name(j, best_.closest.part_b, best_.closest.feature_b);
        // A hit at the time of the boxes cannot be earlier.
        if (!(best_.time > pair.time)) return;
      }
    }
  }
};

}  // namespace

CastResult cast(const MovingPart& a, const MovingPart& b, double end, const CastOptions& options) {
  thread_local Scratch scratch;
  return Search(a, b, end, options, scratch).run();
}

}  // namespace carom::mesh
