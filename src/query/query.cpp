#include "carom/query/query.hpp"

#include "geometry/check_pose.hpp"
#include "narrow/convex/canonical_order.hpp"
#include "narrow/convex/convex.hpp"
#include "narrow/mesh/mesh_convex.hpp"
#include "query/ask.hpp"
#include "shapes/shape_data.hpp"

namespace carom {
namespace {

using convex::Question;

/// A convex shape, a mesh, or each part of a compound.
struct PlacedParts {
  explicit PlacedParts(const Shape& shape, const Eigen::Isometry3d& pose) : shape_(shape), pose_(pose) {}

  bool compound() const { return shape_.kind() == ShapeKind::compound; }
  std::size_t size() const { return compound() ? shape_.parts().size() : 1; }
  const shapes::ShapeData& data(std::size_t i) const {
    return compound() ? shape_.parts()[i].shape.data() : shape_.data();
  }
  Eigen::Isometry3d pose(std::size_t i) const { return compound() ? pose_ * shape_.parts()[i].pose : pose_; }

 private:
  const Shape& shape_;
  const Eigen::Isometry3d& pose_;
};

void ask_one(Question question, const shapes::ShapeData& a, const Eigen::Isometry3d& pose_a, const shapes::ShapeData& b,
             const Eigen::Isometry3d& pose_b, QueryCache* cache, QueryResult& result) {
  if (a.mesh && b.mesh) {
    mesh::query({*a.mesh, pose_a, a.margin}, {*b.mesh, pose_b, b.margin}, result);
  } else if (a.mesh) {
    mesh::query({*a.mesh, pose_a, a.margin}, {b.core, pose_b}, result);
  } else if (b.mesh) {
    mesh::query({*b.mesh, pose_b, b.margin}, {a.core, pose_a}, result);
    mesh::mirror(result);
  } else {
    convex::query(question, a.core, pose_a, b.core, pose_b, cache, result);
  }
}

bool collide_one(const shapes::ShapeData& a, const Eigen::Isometry3d& pose_a, const shapes::ShapeData& b,
                 const Eigen::Isometry3d& pose_b, QueryCache* cache) {
  if (a.mesh && b.mesh) return mesh::collides({*a.mesh, pose_a, a.margin}, {*b.mesh, pose_b, b.margin});
  if (a.mesh) return mesh::collides({*a.mesh, pose_a, a.margin}, {b.core, pose_b});
  if (b.mesh) return mesh::collides({*b.mesh, pose_b, b.margin}, {a.core, pose_a});
  return convex::collides(a.core, pose_a, b.core, pose_b, cache);
}

int compare(const Eigen::Isometry3d& a, const Eigen::Isometry3d& b) {
  const auto* first = a.matrix().data();
  const auto* second = b.matrix().data();
  for (std::size_t i = 0; i < 16; ++i) {
    if (first[i] != second[i]) return first[i] < second[i] ? -1 : 1;
  }
  return 0;
}

/// Whether b is to come first, of two of which one at least is a compound: of pairs of parts that are equally near the
/// first is taken, so this must not depend on which of the two is called a.
bool swapped(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b) {
  if (a.kind() != b.kind()) return b.kind() < a.kind();
  if (const int c = compare(pose_a, pose_b); c != 0) return c > 0;
  if (a.parts().size() != b.parts().size()) return b.parts().size() < a.parts().size();
  for (std::size_t i = 0; i < a.parts().size(); ++i) {
    const Shape::Part& p = a.parts()[i];
    const Shape::Part& q = b.parts()[i];
    if (const int c = compare(p.pose, q.pose); c != 0) return c > 0;
    const shapes::Core& core_p = p.shape.data().core;
    const shapes::Core& core_q = q.shape.data().core;
    if (convex::swapped(core_p, p.pose, core_q, q.pose)) return true;
    if (convex::swapped(core_q, q.pose, core_p, p.pose)) return false;
  }
  return false;
}

/// The closest or deepest pair of parts; of equal ones the first.
QueryResult ask_parts(Question question, const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                      const Eigen::Isometry3d& pose_b) {
  if (swapped(a, pose_a, b, pose_b)) {
    QueryResult result = ask_parts(question, b, pose_b, a, pose_a);
    mesh::mirror(result);
    return result;
  }
  const PlacedParts parts_a(a, pose_a);
  const PlacedParts parts_b(b, pose_b);
  QueryResult best;
  best.distance = INFINITY;
  for (std::size_t i = 0; i < parts_a.size(); ++i) {
    const Eigen::Isometry3d pose_i = parts_a.pose(i);
    for (std::size_t j = 0; j < parts_b.size(); ++j) {
      QueryResult result;
      ask_one(question, parts_a.data(i), pose_i, parts_b.data(j), parts_b.pose(j), nullptr, result);
      if (!(result.distance < best.distance)) continue;
      best = result;
      if (parts_a.compound()) best.part_a = static_cast<Index>(i);
      if (parts_b.compound()) best.part_b = static_cast<Index>(j);
    }
  }
  return best;
}

bool parts_collide(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b) {
  const PlacedParts parts_a(a, pose_a);
  const PlacedParts parts_b(b, pose_b);
  for (std::size_t i = 0; i < parts_a.size(); ++i) {
    const Eigen::Isometry3d pose_i = parts_a.pose(i);
    for (std::size_t j = 0; j < parts_b.size(); ++j) {
      if (collide_one(parts_a.data(i), pose_i, parts_b.data(j), parts_b.pose(j), nullptr)) return true;
    }
  }
  return false;
}

bool any_compound(const Shape& a, const Shape& b) {
  return a.kind() == ShapeKind::compound || b.kind() == ShapeKind::compound;
}

void check(const char* function, const Eigen::Isometry3d& pose_a, const Eigen::Isometry3d& pose_b) {
  check_pose(pose_a, function, "pose_a");
  check_pose(pose_b, function, "pose_b");
}

}  // namespace

QueryResult ask(Question question, const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                const Eigen::Isometry3d& pose_b, QueryCache* cache) {
  if (any_compound(a, b)) return ask_parts(question, a, pose_a, b, pose_b);
  QueryResult result;
  ask_one(question, a.data(), pose_a, b.data(), pose_b, cache, result);
  return result;
}

bool ask_collide(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
                 QueryCache* cache) {
  if (any_compound(a, b)) return parts_collide(a, pose_a, b, pose_b);
  return collide_one(a.data(), pose_a, b.data(), pose_b, cache);
}

bool collide(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
             QueryCache* cache) {
  check("collide", pose_a, pose_b);
  return ask_collide(a, pose_a, b, pose_b, cache);
}

QueryResult distance(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b, const Eigen::Isometry3d& pose_b,
                     QueryCache* cache) {
  check("distance", pose_a, pose_b);
  return ask(Question::distance, a, pose_a, b, pose_b, cache);
}

QueryResult penetration(const Shape& a, const Eigen::Isometry3d& pose_a, const Shape& b,
                        const Eigen::Isometry3d& pose_b, QueryCache* cache) {
  check("penetration", pose_a, pose_b);
  return ask(Question::penetration, a, pose_a, b, pose_b, cache);
}

}  // namespace carom
