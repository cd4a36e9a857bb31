#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/bench_scene.hpp"

/// Libraries of others that can find candidates: pairs of triangles whose boxes, grown by half the
/// distance, overlap. Each gets what suits it best, keeps its structures from frame to frame and puts
/// the pairs into a vector.
namespace carom::bench {

using PairList = std::vector<std::pair<Index, Index>>;

class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string_view name() const = 0;
  /// Positions in, pairs out, structures updated. The pairs are good until the next call.
  virtual const PairList& candidates(const std::vector<Eigen::Vector3d>& positions) = 0;
};

/// box_intersection_d between two objects, box_self_intersection_d where more may meet.
std::unique_ptr<Peer> make_cgal(const BenchScene& scene);
/// rtcCollide on user geometry that is refitted: a scene for each object and each two that meet, or one scene
/// with itself where objects may touch themselves.
std::unique_ptr<Peer> make_embree(const BenchScene& scene);
/// BVHModel<AABB> for each object, refitted, walked by FCL's own traversal with grown boxes.
std::unique_ptr<Peer> make_fcl(const BenchScene& scene);

/// Whether two triangles of these objects count.
inline bool is_wanted(PairScope pairs, Index object_a, Index object_b) {
  return pairs == PairScope::all || (object_a == object_b) == (pairs == PairScope::self);
}

/// The triangles of each object.
std::vector<std::vector<Index>> triangles_by_object(const Surface& surface);

/// Two objects, and only pairs between them.
inline bool is_bipartite(const BenchScene& scene) {
  return scene.pairs == PairScope::between && scene.surface.objects().size() == 2;
}

}  // namespace carom::bench
