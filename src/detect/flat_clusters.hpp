#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"
#include "core/context.hpp"
#include "kernels/surface_cluster.hpp"
#include "mesh/surface_clusters.hpp"

namespace carom {
class Surface;
}

namespace carom::detection {

/// Parts of a surface that are so flat that nothing on them faces itself (docs/methods/flat-clusters.md).
///
/// Each cluster has a patch: itself, the clusters that it shares vertices with, and those near it when the patches were
/// made. A cluster is flat if the normals of its patch are within 40 degrees of one axis, and if, seen along the axis,
/// the border of the patch stays out of the box of the cluster grown by the reach and goes around it once. Then two
/// points within reach, one of the cluster and one of its patch, are apart along the patch more than along the axis:
/// no feature of the one faces one of the other, so no contact of the two carries force, and no two features meet.
///
/// Patches are a guess, made seldom; whether a cluster is flat is found in each call, and does not depend on when
/// they were made in anything but how many are found.
class FlatClusters {
 public:
  struct In {
    const Surface& surface;
    std::span<const Eigen::Vector3d> positions;  ///< finite
    double reach = 0;                            ///< m
    std::span<const std::uint8_t> wanted;        ///< of each object: 1 if its clusters may be called flat
    /// Of each cluster: pairs of features that the last search found on its surface, see ClusterSearch::self_hits().
    /// Clusters with few of them are not tested, as little would be left out. Nothing: all are tested.
    std::span<const std::uint32_t> hits{};
  };

  /// Finds which clusters are flat. The first calls for a surface find none: patches cost as much as some searches.
  void find(Context& context, const In& in);
  void clear() { flat_.clear(); }
  /// Whether some clusters may be flat.
  bool any() const { return !flat_.empty(); }

  /// Of each cluster: 1 if it is flat.
  std::span<const std::uint8_t> flat() const { return flat_; }
  /// Flat clusters of each block, one bit each.
  std::span<const std::uint32_t> flat_of_block() const { return flat_of_block_; }
  /// Clusters of the patch of one, ascending. A cluster in the patch of another has that one in its own.
  std::span<const Index> patch(std::size_t cluster) const {
    return std::span(members_).subspan(member_begin_[cluster], member_begin_[cluster + 1] - member_begin_[cluster]);
  }
  /// Clusters of the patch that are no neighbors, by block; where those of a cluster begin.
  std::span<const kernels::BlockNeighbors> far() const { return far_; }
  std::span<const std::uint32_t> far_begin() const { return far_begin_; }

  /// Whether a pair of clusters is left out: one is in the patch of the other, and one of them is flat.
  bool leaves_out(std::size_t one, std::size_t other) const;

  /// Over a motion along straight lines, from where the clusters were found flat: `apart` gets 1 for each flat cluster
  /// whose patch still faces the axis at all times. It does not collide with its patch if, besides, vertices of the
  /// patch move against those of the cluster by less than the reach.
  void follow(Context& context, std::span<const Eigen::Vector3d> start, std::span<const Eigen::Vector3d> end,
              std::vector<std::uint8_t>& apart);
  double reach() const { return reach_; }

 private:
  /// Directions within an angle of an axis.
  struct Cone {
    Eigen::Vector3d axis = Eigen::Vector3d::Zero();
    double cosine = -1;  ///< of the angle, or less; -1: all
  };

  bool prepare(const In& in);
  bool choose(const In& in);
  void glue();
  void make_patches(const In& in);
  void list_members(const In& in, double within);
  void list_far();
  void list_borders();
  Cone cone_of(std::size_t cluster, std::span<const Eigen::Vector3d> positions) const;
  double cosine_over(std::size_t cluster, std::span<const Eigen::Vector3d> start,
                     std::span<const Eigen::Vector3d> end) const;
  bool faces_one_way(std::size_t cluster, std::span<const double> cosines, double limit) const;
  bool border_is_away(std::size_t cluster, const In& in) const;

  const Surface* surface_ = nullptr;
  const mesh::SurfaceClusters* clusters_ = nullptr;
  std::uint64_t revision_ = 0;
  int calls_ = 0;          ///< with this revision
  double made_reach_ = 0;  ///< m, for which patches were made; 0: there are none
  double reach_ = 0;

  std::vector<Index> across_;  ///< of each side of a triangle: the other side of the edge, if there are two; or none
  std::vector<std::uint32_t> member_begin_;
  std::vector<Index> members_;
  std::vector<std::uint32_t> far_begin_;
  std::vector<kernels::BlockNeighbors> far_;
  std::vector<std::uint32_t> border_begin_;
  std::vector<std::array<Index, 2>> border_;       ///< sides of triangles of a patch that are not glued in it
  std::vector<std::array<std::uint8_t, 2>> ends_;  ///< of each cluster: places of two vertices far from each other

  std::uint32_t call_ = 0;            ///< of find()
  std::vector<std::uint8_t> chosen_;  ///< clusters that are tested
  std::vector<std::uint8_t> pause_;   ///< calls in which a cluster is not tested once it was not flat
  std::vector<std::uint8_t> idle_;    ///< how many of them are left
  std::vector<std::uint8_t> needed_;  ///< clusters in a patch of those that are tested
  std::vector<std::uint8_t> was_flat_;

  std::vector<Cone> cones_;
  std::vector<double> cosines_, moving_cosines_;  ///< of the cones
  std::vector<std::uint8_t> flat_;
  std::vector<std::uint32_t> flat_of_block_;
};

}  // namespace carom::detection
