#include <CGAL/Box_intersection_d/Box_with_info_d.h>
#include <CGAL/box_intersection_d.h>

#include "bench/peers.hpp"

namespace carom::bench {

namespace {

using CgalBox = CGAL::Box_intersection_d::Box_with_info_d<double, 3, Index>;

class Cgal final : public Peer {
 public:
  explicit Cgal(const BenchScene& scene) : scene_(scene), groups_(triangles_by_object(scene.surface)) {}

  std::string_view name() const override { return "cgal"; }

  const PairList& candidates(const std::vector<Eigen::Vector3d>& positions) override {
    pairs_.clear();
    if (is_bipartite(scene_)) {
      make_boxes(groups_[0], positions, first_);
      make_boxes(groups_[1], positions, second_);
      CGAL::box_intersection_d(first_.begin(), first_.end(), second_.begin(), second_.end(),
                               [this](const CgalBox& a, const CgalBox& b) { pairs_.emplace_back(a.info(), b.info()); });
      return pairs_;
    }
    first_.clear();
    for (const auto& group : groups_) append_boxes(group, positions, first_);
    const auto objects = scene_.surface.object_index_of_triangle();
    point_at(first_, first_pointers_);
    CGAL::box_self_intersection_d(first_pointers_.begin(), first_pointers_.end(),
                                  [&](const CgalBox* a, const CgalBox* b) {
                                    if (is_wanted(scene_.pairs, objects[static_cast<std::size_t>(a->info())],
                                                  objects[static_cast<std::size_t>(b->info())])) {
                                      pairs_.emplace_back(a->info(), b->info());
                                    }
                                  });
    return pairs_;
  }

 private:
  /// CGAL sorts what it is given again and again; its manual advises pointers where boxes are large.
  static void point_at(const std::vector<CgalBox>& boxes, std::vector<const CgalBox*>& pointers) {
    pointers.resize(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) pointers[i] = &boxes[i];
  }

  void make_boxes(const std::vector<Index>& triangles, const std::vector<Eigen::Vector3d>& positions,
                  std::vector<CgalBox>& boxes) const {
    boxes.clear();
    append_boxes(triangles, positions, boxes);
  }

  void append_boxes(const std::vector<Index>& triangles, const std::vector<Eigen::Vector3d>& positions,
                    std::vector<CgalBox>& boxes) const {
    const double half = scene_.distance / 2;
    for (const Index t : triangles) {
      const auto& [i, j, k] = scene_.surface.triangles()[static_cast<std::size_t>(t)];
      const Eigen::Vector3d& a = positions[static_cast<std::size_t>(i)];
      const Eigen::Vector3d& b = positions[static_cast<std::size_t>(j)];
      const Eigen::Vector3d& c = positions[static_cast<std::size_t>(k)];
      Eigen::Vector3d low = a.cwiseMin(b).cwiseMin(c).array() - half;
      Eigen::Vector3d high = a.cwiseMax(b).cwiseMax(c).array() + half;
      boxes.emplace_back(low.data(), high.data(), t);
    }
  }

  const BenchScene& scene_;
  std::vector<std::vector<Index>> groups_;
  std::vector<CgalBox> first_;
  std::vector<CgalBox> second_;
  std::vector<const CgalBox*> first_pointers_;
  std::vector<const CgalBox*> second_pointers_;
  PairList pairs_;
};

}  // namespace

std::unique_ptr<Peer> make_cgal(const BenchScene& scene) {
  return std::make_unique<Cgal>(scene);
}

}  // namespace carom::bench
