#pragma once

#include <span>
#include <vector>

#include "bounds/bounds.hpp"
#include "math/rigid_fit.hpp"

namespace carom::detection {

/// The smallest altitude of a triangle, on average over a few of them: how far apart features of a smooth surface are
/// that do not touch.
double typical_altitude(const bounds::In& in);

/// The rigid motions that parts of a surface have in common, judged by a few of their vertices: one motion of the whole
/// scene, or one of each object.
class CommonMotion {
 public:
  using Points = std::vector<Eigen::Vector3d>;

  /// Chooses the vertices to look at.
  void choose(std::span<const bounds::Out::Piece> pieces, std::size_t objects, bool by_object);

  void sample(std::span<const Eigen::Vector3d> positions, Points& out) const;
  /// From one sample to another.
  void fit(const Points& from, const Points& to);
  /// Of a vertex in a piece of this object.
  const RigidMotion& motion(Index object) const { return motions_[by_object_ ? static_cast<std::size_t>(object) : 0]; }
  /// How far three quarters of the vertices moved at most, beyond what they had in common. Changes motion().
  double typical_rest(const Points& from, const Points& to);

 private:
  bool by_object_ = false;
  std::vector<Index> vertices_;     ///< looked at, by group
  std::vector<std::size_t> begin_;  ///< of each group in `vertices_`
  std::vector<RigidMotion> motions_;
  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> next_;
  std::vector<double> rests_;
};

}  // namespace carom::detection
