#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "carom/mesh/mesh.hpp"

namespace carom::bench {

/// Level set of OpenVDB: a narrow band of voxels of one size.
struct VdbField {
  std::size_t bytes = 0;
  std::size_t voxels = 0;
  /// Trilinear value and gradient at a point, summed up, so that nothing is left out.
  std::function<double(const std::vector<Eigen::Vector3d>& points, std::vector<double>& distances)> sample;
};

/// Nothing without OpenVDB. `half_width` in voxels, on either side.
std::optional<VdbField> make_vdb_field(const TriangleMesh& mesh, double voxel, double half_width);

}  // namespace carom::bench
