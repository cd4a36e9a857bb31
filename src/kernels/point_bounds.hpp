#pragma once

#include <cstddef>

namespace carom::kernels {

struct PointBounds {
  double low[3];
  double high[3];
  bool finite;  ///< if not, the rest means nothing
};

/// Lowest and highest coordinates of points that follow each other in memory, three numbers each. Reads everything
/// once, in order, so that memory is as fast as it gets. No point: infinity and minus infinity.
PointBounds bound_points(const double* positions, std::size_t count);

}  // namespace carom::kernels
