// Volumes of overlaps against those of CGAL in exact arithmetic.
#include <CGAL/Exact_predicates_exact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/corefinement.h>
#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Surface_mesh.h>
#include <gtest/gtest.h>

#include <random>

#include "carom/mesh/generate.hpp"
#include "oracle/placed.hpp"
#include "overlap/parts.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;
using Kernel = CGAL::Exact_predicates_exact_constructions_kernel;
using ExactMesh = CGAL::Surface_mesh<Kernel::Point_3>;
namespace pmp = CGAL::Polygon_mesh_processing;
using namespace overlap_parts;

ExactMesh exact(const TriangleMesh& mesh) {
  ExactMesh out;
  std::vector<ExactMesh::Vertex_index> vertices;
  for (const Vector3d& p : mesh.positions) vertices.push_back(out.add_vertex({p.x(), p.y(), p.z()}));
  const auto vertex = [&](Index i) { return vertices[static_cast<std::size_t>(i)]; };
  for (const Triangle& t : mesh.triangles) out.add_face(vertex(t[0]), vertex(t[1]), vertex(t[2]));
  return out;
}

double exact_volume(const TriangleMesh& a, const TriangleMesh& b) {
  ExactMesh left = exact(a);
  ExactMesh right = exact(b);
  ExactMesh both;
  EXPECT_TRUE(pmp::corefine_and_compute_intersection(left, right, both));
  return both.is_empty() ? 0 : CGAL::to_double(pmp::volume(both));
}

void expect_exact(const TriangleMesh& a, const TriangleMesh& b, double relative) {
  const double volume = exact_volume(a, b);
  const std::vector<Clash> found = check(a, b, {.tolerance = 0});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].volume, volume, found[0].volume_error);
  EXPECT_LT(found[0].volume_error, relative * volume);
}

TEST(OverlapExactVolume, TurnedBoxesAndBalls) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  const std::vector<TriangleMesh> parts{make_box({1, 0.7, 0.5}, 2), make_icosphere(0.5, 2), make_torus(0.5, 0.2, 14, 8),
                                        bumpy_ball(18, 9, 0.05, 0)};
  for (int i = 0; i < 8; ++i) {
    const Eigen::Quaterniond turn =
        Eigen::Quaterniond(unit(random), unit(random), unit(random), unit(random)).normalized();
    const Vector3d by(0.3 * unit(random), 0.3 * unit(random), 0.3 * unit(random));
    const auto& a = parts[static_cast<std::size_t>(i) % 4];
    const auto& b = parts[static_cast<std::size_t>(i / 2) % 4];
    expect_exact(a, placed(b, by, turn), 1e-6);
  }
}

TEST(OverlapExactVolume, FacesThatCoincide) {
  const TriangleMesh box = make_box({1, 1, 1}, 2);
  expect_exact(box, placed(box, Vector3d(0.25, 0, 0)), 1e-6);
  expect_exact(box, placed(box, Vector3d(0.25, 0.5, 0)), 1e-6);
  expect_exact(box, placed(make_box({0.5, 0.5, 1}, 1), Vector3d(0.25, 0.25, 0)), 1e-6);
  expect_exact(ring(5e-3, 12e-3, 0, 0.03, 24), ring(0, 5.01e-3, 0, 0.03, 24), 1e-4);
  expect_exact(ring(5e-3, 12e-3, 0, 0.03, 24), ring(0, 5.2e-3, 0, 0.03, 30, 0.05), 1e-4);
}

}  // namespace
}  // namespace carom
