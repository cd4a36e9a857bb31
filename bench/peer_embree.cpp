#include <embree3/rtcore.h>

#include <cmath>
#include <stdexcept>

#include "bench/peers.hpp"

namespace carom::bench {

namespace {

/// The triangles of one or more objects as one geometry of Embree. Its numbers are places in `triangles`.
struct Geometry {
  const BenchScene* scene = nullptr;
  const std::vector<Eigen::Vector3d>* positions = nullptr;
  std::vector<Index> triangles;
  RTCGeometry geometry = nullptr;
  RTCScene tree = nullptr;
  RTCBounds box{};
};

bool overlap(const RTCBounds& a, const RTCBounds& b) {
  return a.lower_x <= b.upper_x && b.lower_x <= a.upper_x && a.lower_y <= b.upper_y && b.lower_y <= a.upper_y &&
         a.lower_z <= b.upper_z && b.lower_z <= a.upper_z;
}

/// Embree works in single precision: rounded outward, so that no pair is lost.
void bounds(const RTCBoundsFunctionArguments* arguments) {
  const auto& g = *static_cast<const Geometry*>(arguments->geometryUserPtr);
  const auto& [i, j, k] = g.scene->surface.triangles()[static_cast<std::size_t>(g.triangles[arguments->primID])];
  const Eigen::Vector3d& a = (*g.positions)[static_cast<std::size_t>(i)];
  const Eigen::Vector3d& b = (*g.positions)[static_cast<std::size_t>(j)];
  const Eigen::Vector3d& c = (*g.positions)[static_cast<std::size_t>(k)];
  const double half = g.scene->distance / 2;
  const Eigen::Vector3d low = a.cwiseMin(b).cwiseMin(c).array() - half;
  const Eigen::Vector3d high = a.cwiseMax(b).cwiseMax(c).array() + half;
  const auto down = [](double x) { return static_cast<float>(x - 6e-8 * std::abs(x)); };
  const auto up = [](double x) { return static_cast<float>(x + 6e-8 * std::abs(x)); };
  RTCBounds& box = *arguments->bounds_o;
  box.lower_x = down(low.x());
  box.lower_y = down(low.y());
  box.lower_z = down(low.z());
  box.upper_x = up(high.x());
  box.upper_y = up(high.y());
  box.upper_z = up(high.z());
}

class Embree final : public Peer {
 public:
  explicit Embree(const BenchScene& scene) : scene_(scene), device_(rtcNewDevice("threads=1")) {
    if (device_ == nullptr) throw std::runtime_error("Embree has no device here");
    const auto groups = triangles_by_object(scene.surface);
    geometries_.resize(scene.pairs == PairScope::between ? groups.size() : 1);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      auto& triangles = geometries_[std::min(i, geometries_.size() - 1)].triangles;
      triangles.insert(triangles.end(), groups[i].begin(), groups[i].end());
    }
    for (Geometry& g : geometries_) start(g);
  }

  ~Embree() override {
    for (const Geometry& g : geometries_) {
      rtcReleaseGeometry(g.geometry);
      rtcReleaseScene(g.tree);
    }
    rtcReleaseDevice(device_);
  }
  Embree(const Embree&) = delete;
  Embree& operator=(const Embree&) = delete;

  std::string_view name() const override { return "embree"; }

  const PairList& candidates(const std::vector<Eigen::Vector3d>& positions) override {
    pairs_.clear();
    for (Geometry& g : geometries_) {
      g.positions = &positions;
      rtcCommitGeometry(g.geometry);
      rtcCommitScene(g.tree);
      rtcGetSceneBounds(g.tree, &g.box);
    }
    if (geometries_.size() == 1) {
      collide(geometries_.front(), geometries_.front());
      return pairs_;
    }
    for (std::size_t i = 0; i < geometries_.size(); ++i) {
      for (std::size_t j = i + 1; j < geometries_.size(); ++j) {
        if (overlap(geometries_[i].box, geometries_[j].box)) collide(geometries_[i], geometries_[j]);
      }
    }
    return pairs_;
  }

 private:
  void collide(const Geometry& first, const Geometry& second) {
    first_ = &first;
    second_ = &second;
    rtcCollide(first.tree, second.tree, &Embree::collect, this);
  }

  void start(Geometry& g) {
    g.scene = &scene_;
    g.positions = &scene_.frames.front();
    g.tree = rtcNewScene(device_);
    rtcSetSceneFlags(g.tree, RTC_SCENE_FLAG_DYNAMIC);
    rtcSetSceneBuildQuality(g.tree, RTC_BUILD_QUALITY_LOW);
    g.geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryBuildQuality(g.geometry, RTC_BUILD_QUALITY_REFIT);
    rtcSetGeometryUserPrimitiveCount(g.geometry, static_cast<unsigned>(g.triangles.size()));
    rtcSetGeometryUserData(g.geometry, &g);
    rtcSetGeometryBoundsFunction(g.geometry, bounds, nullptr);
    rtcCommitGeometry(g.geometry);
    rtcAttachGeometry(g.tree, g.geometry);
    rtcCommitScene(g.tree);
  }

  static void collect(void* pointer, RTCCollision* collisions, unsigned count) {
    auto& me = *static_cast<Embree*>(pointer);
    const bool same = me.first_ == me.second_;
    const std::vector<Index>& first = me.first_->triangles;
    const std::vector<Index>& second = me.second_->triangles;
    const auto objects = me.scene_.surface.object_index_of_triangle();
    for (unsigned i = 0; i < count; ++i) {
      const RTCCollision& c = collisions[i];
      if (same && c.primID0 >= c.primID1) continue;  // with itself it reports both orders
      const Index a = first[c.primID0];
      const Index b = second[c.primID1];
      if (same &&
          !is_wanted(me.scene_.pairs, objects[static_cast<std::size_t>(a)], objects[static_cast<std::size_t>(b)]))
        continue;
      me.pairs_.emplace_back(a, b);
    }
  }

  const BenchScene& scene_;
  RTCDevice device_;
  std::vector<Geometry> geometries_;
  const Geometry* first_ = nullptr;
  const Geometry* second_ = nullptr;
  PairList pairs_;
};

}  // namespace

std::unique_ptr<Peer> make_embree(const BenchScene& scene) {
  return std::make_unique<Embree>(scene);
}

}  // namespace carom::bench
