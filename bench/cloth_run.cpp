#include "bench/cloth_run.hpp"

#include <algorithm>

#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/mesh/surface.hpp"

namespace carom::bench {
namespace {

double length_of(std::span<const Eigen::Vector3d> positions, Index a, Index b) {
  return (positions[static_cast<std::size_t>(a)] - positions[static_cast<std::size_t>(b)]).norm();
}

/// Strain of each side of each triangle, of which the 99th percentile counts. A frame that is no number counts as
/// infinite.
double strain_of(const TriangleMesh& rest, std::span<const Eigen::Vector3d> now) {
  std::vector<double> strain;
  for (const Triangle& t : rest.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const double before = length_of(rest.positions, t[k], t[(k + 1) % 3]);
      strain.push_back(length_of(now, t[k], t[(k + 1) % 3]) / before - 1);
      if (!std::isfinite(strain.back())) return INFINITY;
    }
  }
  const auto place = strain.begin() + static_cast<std::ptrdiff_t>(strain.size() * 99 / 100);
  std::nth_element(strain.begin(), place, strain.end());
  return *place;
}

}  // namespace

TriangleMesh sheet_of(const ClothScene& scene) {
  TriangleMesh mesh = make_sheet(scene.size, scene.size, scene.vertices - 1, scene.vertices - 1);
  for (Eigen::Vector3d& p : mesh.positions) p.y() += scene.radius + scene.drop;
  return mesh;
}

void note_frame(const TriangleMesh& rest, std::span<const Eigen::Vector3d> now, bool count_pairs, ClothRun& run) {
  run.strain.push_back(strain_of(rest, now));
  if (!count_pairs || !std::isfinite(run.strain.back())) return;
  const Surface surface(now.size(), rest.triangles);
  run.intersecting_pairs = intersections(surface, now, {.threads = 1}).size();
  run.intersecting_frames += run.intersecting_pairs > 0 ? 1 : 0;
}

}  // namespace carom::bench
