#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "carom/mesh/surface.hpp"
#include "core/context.hpp"

namespace carom::narrow {

/// One search for the vertices that paths along edges reach from a vertex within a length (Dijkstra,
/// cut off at that length). What it holds is its own size, not that of the mesh.
class BallSearch {
 public:
  /// Appends the vertices closer than `radius` to `centre`, which is one of them, ascending. `factors`: of the length
  /// of each side of each triangle; empty: 1.
  void run(const Surface& surface, std::span<const Eigen::Vector3d> positions, std::span<const float> factors,
           Index centre, double radius, std::vector<Index>& members);

 private:
  struct Slot {
    Index vertex = none;
    std::uint32_t search = 0;  // in which it was filled; empty for any other
    double length = 0;         // of the shortest path so far
  };
  Slot& slot(Index vertex);
  void grow();
  void start();

  std::vector<Slot> table_;  // open addressing, a power of two; nothing depends on its order
  std::uint32_t search_ = 0;
  std::vector<Index> seen_;
  std::vector<std::pair<double, Index>> heap_;
};

/// For each vertex that was asked for, the vertices around it that are closer along the surface than
/// a radius. A ball is found once and kept until the surface, the shape or the radius changes.
class SurfaceBalls {
 public:
  /// Forgets all balls unless these are the same as before. `shape` is a number that stands for the
  /// positions; 0 says that they are new with every call.
  ///
  /// With `now`, lengths are those of a surface that stretches: of an edge that is longer than in the shape, that
  /// length times the highest power of 1.05 with which it is not longer than now. So the length of a path is at most
  /// the larger of those in the shape and now, and no path is shorter than it is now by more than a twentieth. What is
  /// shorter than in the shape counts with that length: of two walls that are pressed together neither is a neighbor
  /// of the other. Balls stay until the length of an edge in them changes, and depend on nothing but what is given.
  void begin(const Surface& surface, std::span<const Eigen::Vector3d> positions, std::uint64_t shape, double radius,
             std::span<const Eigen::Vector3d> now = {});
  /// Balls that were found since the surface, the shape or the radius changed.
  std::size_t searched() const { return searched_; }
  /// Whether the ball of a vertex is there or was asked for.
  bool has(Index vertex) const { return balls_[static_cast<std::size_t>(vertex)].begin != not_there; }
  /// Asks for the ball of a vertex.
  void want(Index vertex);
  /// Finds the balls that were asked for and are not there.
  void find(Context& context);
  /// Whether `vertex` is in the ball of `centre`, which was asked for.
  bool contains(Index centre, Index vertex) const;

 private:
  void forget();
  void stretch(std::span<const Eigen::Vector3d> now);
  void drop_around(std::span<const Index> vertices);

  struct Ball {
    std::size_t begin = not_there;
    std::size_t size = 0;
  };
  static constexpr std::size_t not_there = static_cast<std::size_t>(-1);
  static constexpr std::size_t wanted = static_cast<std::size_t>(-2);

  const Surface* surface_ = nullptr;
  std::span<const Eigen::Vector3d> positions_;
  std::uint64_t revision_ = 0;
  std::uint64_t shape_ = 0;
  double radius_ = 0;

  std::vector<float> factors_;  // of the sides of triangles; empty: 1
  std::size_t searched_ = 0;
  std::vector<Ball> balls_;     // by vertex
  std::vector<Index> centres_;  // those with a ball, and at the end those that are wanted
  std::size_t done_ = 0;        // of centres_
  std::vector<Index> members_;
  std::vector<Index> found_;
  std::vector<std::size_t> sizes_;
  OrderedAppend<Index> append_;
  std::vector<BallSearch> searches_;  // one a chunk
};

}  // namespace carom::narrow
