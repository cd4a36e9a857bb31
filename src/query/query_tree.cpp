#include "query/query_tree.hpp"

#include <cmath>

namespace carom::query {

AxisBox bounding_box(const Shape& shape, const Eigen::Isometry3d& pose) {
  if (shape.kind() != ShapeKind::half_space && !shape.is_room()) return shape.bounding_box(pose);
  return {Eigen::Vector3d::Constant(-INFINITY), Eigen::Vector3d::Constant(INFINITY)};
}

const BroadPhase& QueryTree::of(std::span<const BodyId> order, const BodyMap& bodies, const rigid::Bodies& table) {
  const std::scoped_lock lock(mutex_);
  if (tree_) return *tree_;
  slots_.clear();
  surfaces_.clear();
  auto tree = std::make_unique<BroadPhase>(BroadPhaseOptions{.method = "tree", .margin = 0});
  for (const BodyId id : order) {
    const Body& body = bodies[id];
    slots_.push_back(slot_of(id));
    std::optional<Shape>& surface = surfaces_.emplace_back();
    if (body.has_vertices()) {
      // A mesh that stays is as solid as that of a rigid body; one that deforms, or that blades cut, is its surface.
      const bool stays = body.motion == MotionModel::fixed && !body.cuttable;
      surface =
          Shape::mesh({body.positions, body.triangles}, {.solid = stays ? MeshSolid::by_normals : MeshSolid::surface});
    }
    const rigid::Info& info = table.info[slot_of(id)];
    tree->add(surface ? surface->bounding_box(Eigen::Isometry3d::Identity())
                      : bounding_box(info.shape, rigid::shape_pose(table.motion[slot_of(id)], info)));
  }
  tree->update();
  tree->prepare_queries();
  tree_ = std::move(tree);
  return *tree_;
}

}  // namespace carom::query
