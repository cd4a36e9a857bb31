#pragma once

#include <array>

#include "field/near_triangles.hpp"
#include "shapes/mesh_data.hpp"

namespace carom::field {

/// Distance at a point, exact but for rounding.
struct ExactDistance {
  double value = 0;  ///< m, signed: not above 0 inside and on the surface, above 0 outside
  Vec3 nearest;      ///< point of the surface
};

/// Known side of a point: 1 outside, -1 inside, 0 if it is not known.
using KnownSide = int;

/// Signed distance from a closed mesh, and the error of interpolating it.
class MeshDistance {
 public:
  explicit MeshDistance(const shapes::MeshData& mesh) : mesh_(mesh) {}

  /// The surface is known to be nearer than `below`, m; infinite if nothing is known.
  ExactDistance at(const Vec3& p, double below, KnownSide side) const;

  /// Upper bound of |interpolation - signed distance| in a cell, m. Where it is above `wanted` it need not be the best
  /// that could be proven.
  double error_bound(const CellSamples& cell, double wanted) const;

  /// Rounding of a distance, m, at a point that is no farther from the origin than `reach`.
  double rounding(double reach) const;

 private:
  struct Slab {
    double low = INFINITY;
    double high = -INFINITY;
  };
  /// Bounds of f - d and of d - f, m, for the interpolation f and the signed distance d.
  struct Bounds {
    double above = 0;
    double below = 0;
    double largest() const { return std::max({above, below, 0.0}); }
  };
  template <class Skip, class Visit>
  bool walk_ball(const Vec3& center, double radius, Skip&& skip, Visit&& visit) const;
  bool find_slab(const CellSamples& cell, const Vec3& n, double lowest, double highest, Slab& slab) const;
  void bound_by_slab(const CellSamples& cell, double wanted, Bounds& bounds) const;
  void bound_by_tangents(const CellSamples& cell, Bounds& bounds) const;

  const shapes::MeshData& mesh_;
};

}  // namespace carom::field
