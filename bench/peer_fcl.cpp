// FCL's model needs this before it, and does not say so.
#include <fcl/math/bv/utility.h>
//
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/detail/traversal/collision/bvh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>

#include "bench/peers.hpp"

namespace carom::bench {

namespace {

using Box = fcl::AABB<double>;
using Model = fcl::BVHModel<Box>;

/// FCL's traversal with our question at the nodes: FCL knows no distance between boxes that are not grown.
class Traversal final : public fcl::detail::BVHCollisionTraversalNode<Box> {
 public:
  Traversal(double distance, PairList& pairs) : distance_(distance), pairs_(pairs) {}

  void between(const Model& first, const std::vector<Index>& first_triangles, const Model& second,
               const std::vector<Index>& second_triangles) {
    model1 = &first;
    model2 = &second;
    first_triangles_ = &first_triangles;
    second_triangles_ = &second_triangles;
  }

  bool BVTesting(int b1, int b2) const override {
    const Box& a = model1->getBV(b1).bv;
    const Box& b = model2->getBV(b2).bv;
    return ((a.min_ - b.max_).array() > distance_).any() || ((b.min_ - a.max_).array() > distance_).any();
  }
  void leafTesting(int b1, int b2) const override {
    pairs_.emplace_back((*first_triangles_)[static_cast<std::size_t>(model1->getBV(b1).primitiveId())],
                        (*second_triangles_)[static_cast<std::size_t>(model2->getBV(b2).primitiveId())]);
  }
  bool canStop() const override { return false; }
  void enableStatistics(bool) override {}

 private:
  double distance_;
  PairList& pairs_;
  const std::vector<Index>* first_triangles_ = nullptr;
  const std::vector<Index>* second_triangles_ = nullptr;
};

class Fcl final : public Peer {
 public:
  explicit Fcl(const BenchScene& scene)
      : scene_(scene), groups_(triangles_by_object(scene.surface)), traversal_(scene.distance, pairs_) {
    std::vector<Index> place(scene.surface.vertex_count(), none);
    for (const auto& group : groups_) {
      Object& object = objects_.emplace_back();
      std::vector<fcl::Triangle> triangles;
      for (const Index t : group) {
        const Triangle& corners = scene.surface.triangles()[static_cast<std::size_t>(t)];
        for (const Index vertex : corners) {
          Index& p = place[static_cast<std::size_t>(vertex)];
          if (p != none) continue;
          p = static_cast<Index>(object.vertices.size());
          object.vertices.push_back(vertex);
        }
        triangles.emplace_back(static_cast<std::size_t>(place[static_cast<std::size_t>(corners[0])]),
                               static_cast<std::size_t>(place[static_cast<std::size_t>(corners[1])]),
                               static_cast<std::size_t>(place[static_cast<std::size_t>(corners[2])]));
      }
      gather(object, scene.frames.front());
      object.model = std::make_unique<Model>();
      object.model->beginModel(static_cast<int>(triangles.size()), static_cast<int>(object.vertices.size()));
      object.model->addSubModel(object.positions, triangles);
      object.model->endModel();
    }
  }

  std::string_view name() const override { return "fcl"; }

  const PairList& candidates(const std::vector<Eigen::Vector3d>& positions) override {
    pairs_.clear();
    for (Object& object : objects_) {
      gather(object, positions);
      // Replacing, not updating: an update would keep the last frame inside the boxes as well.
      object.model->beginReplaceModel();
      object.model->replaceSubModel(object.positions);
      object.model->endReplaceModel(true, true);
    }
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      if (scene_.pairs != PairScope::between) {
        traversal_.between(*objects_[i].model, groups_[i], *objects_[i].model, groups_[i]);
        fcl::detail::selfCollide<double>(&traversal_);
      }
      if (scene_.pairs == PairScope::self) continue;
      for (std::size_t j = i + 1; j < objects_.size(); ++j) {
        traversal_.between(*objects_[i].model, groups_[i], *objects_[j].model, groups_[j]);
        fcl::detail::collide<double>(&traversal_);
      }
    }
    return pairs_;
  }

 private:
  struct Object {
    std::vector<Index> vertices;
    std::vector<Eigen::Vector3d> positions;
    std::unique_ptr<Model> model;
  };

  static void gather(Object& object, const std::vector<Eigen::Vector3d>& positions) {
    object.positions.resize(object.vertices.size());
    for (std::size_t i = 0; i < object.vertices.size(); ++i) {
      object.positions[i] = positions[static_cast<std::size_t>(object.vertices[i])];
    }
  }

  const BenchScene& scene_;
  std::vector<std::vector<Index>> groups_;
  std::vector<Object> objects_;
  PairList pairs_;
  Traversal traversal_;
};

}  // namespace

std::unique_ptr<Peer> make_fcl(const BenchScene& scene) {
  return std::make_unique<Fcl>(scene);
}

}  // namespace carom::bench
