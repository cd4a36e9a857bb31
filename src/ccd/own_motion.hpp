#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/mesh/surface.hpp"
#include "core/context.hpp"
#include "math/rigid_fit.hpp"
#include "mesh/surface_clusters.hpp"

namespace carom::ccd {

/// Motion of clusters, blocks of clusters and vertices of objects that turn, against their objects as a whole.
///
/// Vertices of an object go straight from x to R x + t + e(x), where R is a rotation by an angle a. For two points of
/// the object with u between them at the start, what is between them at the time s in [0, 1] is
///   ((1 - s) + s R) u + s d,
/// where d is the difference of their e. The first term leaves what of u is along the axis of R, and makes what is
/// across it shorter by a factor of at least cos(a / 2) > 0. So points do not meet if |d| < cos(a / 2) |u|. A point
/// of a feature has weights of its vertices that add up to one, so |d| is no more than between vertices.
class OwnMotion {
 public:
  /// Vertices go by `shift`, and by `rest` farther at most; m.
  struct Shift {
    Eigen::Vector3d shift = Eigen::Vector3d::Zero();
    double rest = 0;

    double against(const Shift& other) const { return (shift - other.shift).norm() + (rest + other.rest); }
  };

  struct In {
    const Surface& surface;
    std::span<const Eigen::Vector3d> start;
    std::span<const Eigen::Vector3d> end;
    std::span<const Eigen::Vector3d> middles;  ///< m, of each cluster: mean of its vertices at the start
    std::span<const Eigen::Vector3d> shifts;   ///< m, of each cluster: how far that goes
  };

  void measure(Context& context, const In& in);

  /// Whether some object turns; if none does, nothing else is known.
  bool any() const { return any_; }
  bool turns(Index object) const { return any_ && turns_[static_cast<std::size_t>(object)] != 0; }
  /// Share of distances within an object that its turn leaves, or less: the cosine of half its angle.
  double kept(Index object) const { return kept_[static_cast<std::size_t>(object)]; }

  // Of objects that turn.
  const Shift& cluster(std::size_t i) const { return clusters_[i]; }
  const Shift& block(std::size_t i) const { return blocks_[i]; }
  /// m, of each vertex.
  std::span<const Eigen::Vector3d> moves() const { return moves_; }
  /// The object that all these vertices belong to, if it turns; or none.
  Index object_of(const std::array<Index, 4>& vertices) const;

 private:
  std::vector<RigidMotion> fit_objects(Context& context, const In& in) const;
  void measure_cluster(const In& in, const kernels::SurfaceCluster& cluster, const RigidMotion& whole, Shift& own);

  bool any_ = false;
  std::vector<std::uint8_t> turns_;  ///< of each object
  std::vector<double> kept_;         ///< of each object
  std::vector<Shift> clusters_;
  std::vector<Shift> blocks_;
  std::vector<Eigen::Vector3d> moves_;
  std::vector<Index> object_of_vertex_;  ///< none where it does not turn
};

}  // namespace carom::ccd
