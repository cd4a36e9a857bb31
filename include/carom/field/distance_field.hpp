#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <span>

#include "carom/core/unset.hpp"
#include "carom/shape/shape.hpp"

/// Signed distance fields: the distance of any point from a solid, and the direction out of it, from a table.
namespace carom {

namespace field {
struct FieldData;
}

/// Options of a distance field. Lengths are fractions of the diagonal of the shape's box, as those of DecomposeOptions.
struct FieldOptions {
  /// Error accepted in the band. Where a surface is smooth, cells are as large as the square root of this times its
  /// radius of curvature; along sharp edges they are as small as the error, so that halving it doubles their number.
  double tolerance = 0.002;
  /// Distance from the surface, on both sides, up to which the tolerance holds. Contacts of most scenes are closer.
  double band = 0.01;
  /// Error accepted beyond the band besides the tolerance, as a fraction of the distance from the band. Cells grow with
  /// the distance, so that the far field costs little.
  double far_error = 0.25;
  /// Cells at most; about 50 bytes each. Cells that are too coarse when there are so many stay, with the error they
  /// have, and the field is `limited`.
  std::size_t max_cells = 4'000'000;
  int threads = 0;  ///< that build the field; 0 = one for each core. The field does not depend on it

  bool operator==(const FieldOptions&) const = default;
};

/// Answer of a distance field at a point.
struct FieldSample {
  double distance = unset;  ///< m, negative inside of the solid
  /// Gradient of `distance`, without unit: the direction away from the solid, of length 1 but for the error.
  Eigen::Vector3d gradient = Eigen::Vector3d::Constant(unset);
  /// m; |distance - true distance| is at most this. Proven for each cell when the field is made.
  double error = unset;
};

/// Size and quality of a distance field.
struct FieldReport {
  std::size_t cells = 0;
  std::size_t nodes = 0;     ///< points at which the exact distance was computed
  std::size_t bytes = 0;     ///< memory of the field
  int levels = 0;            ///< of the tree of cells
  double smallest_cell = 0;  ///< m
  double tolerance = 0;      ///< m, as asked for
  double band = 0;           ///< m, as asked for
  double error = 0;          ///< m; the largest of FieldSample::error within the band
  /// Cells with a larger error than was asked for: `max_cells` or the smallest possible cell was reached.
  std::size_t limited = 0;
};

/// Signed distance of a solid on an adaptive grid, in the frame of the shape. Immutable: a copy is cheap and may be
/// used by many threads.
///
/// Space around the shape is cut into cubes, which are halved along all axes until the trilinear interpolation of the
/// distances at their eight corners is proven to be near enough to the true distance everywhere in them
/// (docs/methods/fields.md). Where cells of two sizes meet, the corners of the smaller take the values of the larger,
/// so that the field is continuous but for rounding to single precision. At each corner of each cell the sign is that
/// of the exact inside test of the mesh. Any point gets an answer: beyond the grid one from its border and from the box
/// of the shape, with an error that says so.
///
/// Distances are to the nearest triangle of a mesh, those in the inside of another piece of it included. Inside of a
/// compound the distance is the depth in one of its parts, the deepest. A margin lowers every distance by as much.
class DistanceField {
 public:
  /// Throws Error(bad_mesh) that names an edge if a mesh is open, Error(unsupported) for a half-space and
  /// Error(invalid_argument) for options out of range.
  explicit DistanceField(const Shape& shape, const FieldOptions& options = {});

  FieldSample sample(const Eigen::Vector3d& point) const;
  /// Many points at once; `out` is as long as `points`.
  void sample(std::span<const Eigen::Vector3d> points, std::span<FieldSample> out) const;

  const FieldReport& report() const;
  /// Whether the field was made from this mesh, or a copy of it, with this margin.
  bool is_of(const Shape& mesh) const;
  const field::FieldData& data() const { return *data_; }

 private:
  std::shared_ptr<const field::FieldData> data_;
};

}  // namespace carom
