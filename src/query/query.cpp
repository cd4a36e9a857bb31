#include "carom/query.hpp"

#include "core/check.hpp"
#include "narrow/convex/convex.hpp"
#include "query/check_pose.hpp"
#include "shapes/shape_data.hpp"

namespace carom {
namespace {

using convex::Question;

/// A convex shape, or each part of a compound.
struct Parts {
  explicit Parts(const Shape& shape, const Eigen::Isometry3d& pose) : shape_(shape), pose_(pose) {}

  std::size_t size() const { return shape_.convex() ? 1 : shape_.parts().size(); }
  const shapes::Core& core(std::size_t i) const {
    return shape_.convex() ? shape_.data().core : shape_.parts()[i].shape.data().core;
  }
  Eigen::Isometry3d pose(std::size_t i) const { return shape_.convex() ? pose_ : pose_ * shape_.parts()[i].pose; }
  Index number(std::size_t i) const { return shape_.convex() ? none : static_cast<Index>(i); }

 private:
  const Shape& shape_;
  const Eigen::Isometry3d& pose_;
};

void check(const Shape& shape, const Eigen::Isometry3d& pose, const char* which) {
  check_pose(pose, which);
  require(shape.kind() != ShapeKind::mesh, ErrorCode::unsupported,
          "query: {} is a mesh; queries take convex shapes and compounds of them", which);
}

/// The closest or deepest pair of parts; of equal ones the first.
QueryResult ask_parts(Question question, const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                      const Eigen::Isometry3d& pose_b) {
  const Parts parts_a(a, pose_a);
  const Parts parts_b(b, pose_b);
  QueryResult best;
  best.distance = INFINITY;
  for (std::size_t i = 0; i < parts_a.size(); ++i) {
    const Eigen::Isometry3d pose_i = parts_a.pose(i);
    for (std::size_t j = 0; j < parts_b.size(); ++j) {
      QueryResult result;
      convex::query(question, parts_a.core(i), pose_i, parts_b.core(j), parts_b.pose(j), nullptr, result);
      if (!(result.distance < best.distance)) continue;
      best = result;
      best.part_a = parts_a.number(i);
      best.part_b = parts_b.number(j);
    }
  }
  return best;
}

bool parts_collide(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b) {
  const Parts parts_a(a, pose_a);
  const Parts parts_b(b, pose_b);
  for (std::size_t i = 0; i < parts_a.size(); ++i) {
    const Eigen::Isometry3d pose_i = parts_a.pose(i);
    for (std::size_t j = 0; j < parts_b.size(); ++j) {
      if (convex::collides(parts_a.core(i), pose_i, parts_b.core(j), parts_b.pose(j), nullptr)) return true;
    }
  }
  return false;
}

QueryResult ask(Question question, const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                const Eigen::Isometry3d& pose_b, QueryCache* cache) {
  check(a, pose_a, "a");
  check(b, pose_b, "b");
  if (!a.convex() || !b.convex()) return ask_parts(question, a, pose_a, b, pose_b);
  QueryResult result;
  convex::query(question, a.data().core, pose_a, b.data().core, pose_b, cache, result);
  return result;
}

}  // namespace

bool collide(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
             QueryCache* cache) {
  check(a, pose_a, "a");
  check(b, pose_b, "b");
  if (!a.convex() || !b.convex()) return parts_collide(a, pose_a, b, pose_b);
  return convex::collides(a.data().core, pose_a, b.data().core, pose_b, cache);
}

QueryResult distance(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
                     QueryCache* cache) {
  return ask(Question::distance, a, pose_a, b, pose_b, cache);
}

QueryResult penetration(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                        const Eigen::Isometry3d& pose_b, QueryCache* cache) {
  return ask(Question::penetration, a, pose_a, b, pose_b, cache);
}

}  // namespace carom
