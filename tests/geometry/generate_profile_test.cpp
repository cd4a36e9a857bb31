#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/shape/shape.hpp"
#include "geometry/simple_polygon.hpp"

namespace carom {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double pi = std::numbers::pi;

/// Area of a polygon, positive if it is counter-clockwise.
double area(const std::vector<Vector2d>& polygon) {
  double sum = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vector2d& p = polygon[i];
    const Vector2d& q = polygon[(i + 1) % polygon.size()];
    sum += p.x() * q.y() - p.y() * q.x();
  }
  return sum / 2;
}

/// Closed, manifold, oriented and facing outward, with this volume.
void expect_solid(const TriangleMesh& mesh, double volume) {
  const MeshReport report = inspect(mesh);
  EXPECT_TRUE(report.manifold());
  EXPECT_TRUE(report.oriented());
  EXPECT_EQ(report.boundary_loops, 0U);
  double sum = 0;
  for (const Triangle& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
    sum += corner(0).dot(corner(1).cross(corner(2))) / 6;
  }
  EXPECT_NEAR(sum, volume, 1e-12 * volume);
}

/// A polygon around the origin with corners at random distances: simple, and mostly concave.
std::vector<Vector2d> random_star(std::mt19937& random, int corners) {
  std::uniform_real_distribution<double> radius(0.1, 1);
  std::vector<Vector2d> polygon;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * pi * i / corners;
    polygon.push_back(radius(random) * Vector2d(std::cos(angle), std::sin(angle)));
  }
  return polygon;
}

TEST(Extrusion, IsASolidOfTheAreaTimesTheLength) {
  std::mt19937 random(5);
  for (int corners = 3; corners < 40; ++corners) {
    std::vector<Vector2d> outline = random_star(random, corners);
    const double volume = 0.7 * area(outline);
    const TriangleMesh mesh = make_extrusion(outline, 0.7);
    EXPECT_EQ(mesh.triangles.size(), static_cast<std::size_t>(4 * corners - 4));
    EXPECT_EQ(mesh.positions.size(), static_cast<std::size_t>(2 * corners));
    expect_solid(mesh, volume);
    std::reverse(outline.begin(), outline.end());
    expect_solid(make_extrusion(outline, 0.7), volume);
  }
}

TEST(Extrusion, TakesSpiralsAndCornersOnALine) {
  std::vector<Vector2d> spiral;
  for (int i = 0; i <= 60; ++i) spiral.push_back((1 + 0.05 * i) * Vector2d(std::cos(0.3 * i), std::sin(0.3 * i)));
  for (int i = 60; i >= 0; --i) spiral.push_back((1.4 + 0.05 * i) * Vector2d(std::cos(0.3 * i), std::sin(0.3 * i)));
  expect_solid(make_extrusion(spiral, 2), 2 * std::abs(area(spiral)));
  const std::vector<Vector2d> plus{{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
  expect_solid(make_extrusion(plus, 1), 4);
}

TEST(Triangulation, OverlapsNowhereAndTurnsAsThePolygonDoes) {
  std::mt19937 random(8);
  const std::vector<Vector3d> polygon = geometry::simple_polygon("it", random_star(random, 30));
  double sum = 0;
  for (const Triangle& t : geometry::triangulate(polygon)) {
    const auto corner = [&](std::size_t k) { return polygon[static_cast<std::size_t>(t[k])]; };
    const double twice = (corner(1) - corner(0)).cross(corner(2) - corner(0)).z();
    EXPECT_GT(twice, 0);
    sum += twice / 2;
  }
  std::vector<Vector2d> flat;
  for (const Vector3d& p : polygon) flat.emplace_back(p.x(), p.y());
  EXPECT_NEAR(sum, area(flat), 1e-12) << "positive areas that add up to the whole";
}

TEST(Revolution, OfARectangleIsAPipe) {
  const TriangleMesh mesh = make_revolution(std::vector<Vector2d>{{1, -1}, {2, -1}, {2, 1}, {1, 1}}, 12);
  EXPECT_EQ(mesh.triangles.size(), 2U * 4 * 12);
  expect_solid(mesh, 2 * 12 / 2.0 * std::sin(2 * pi / 12) * (4 - 1));
}

TEST(Revolution, HasOneVertexOnTheAxisForEachCornerThere) {
  const TriangleMesh cone = make_revolution(std::vector<Vector2d>{{0, 0}, {1, 0}, {0, 3}}, 10);
  EXPECT_EQ(cone.positions.size(), 12U);
  EXPECT_EQ(cone.triangles.size(), 20U);
  expect_solid(cone, 10 / 2.0 * std::sin(2 * pi / 10));
  const TriangleMesh clockwise = make_revolution(std::vector<Vector2d>{{0, 3}, {1, 0}, {0, 0}}, 10);
  expect_solid(clockwise, 10 / 2.0 * std::sin(2 * pi / 10));
}

template <class Make>
void expect_refused(const Make& make, const std::string& part) {
  try {
    make();
    FAIL() << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Profiles, AreRefusedWithTheirFault) {
  using SupportPolygon = std::vector<Vector2d>;
  const SupportPolygon square{{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  expect_refused([&] { make_extrusion(square, 0); }, "make_extrusion: length is 0; expected a positive number");
  expect_refused([&] { make_revolution(square, 2); }, "make_revolution: around is 2; expected at least 3");
  expect_refused(
      [] {
        make_extrusion(SupportPolygon{{0, 0}, {1, 0}}, 1);
      },
      "outline has 2 corners; expected 3 to 10000");
  expect_refused([] { make_extrusion(SupportPolygon(10'001, Vector2d(0, 0)), 1); }, "outline has 10001 corners");
  expect_refused(
      [] {
        make_extrusion(SupportPolygon{{0, 0}, {1, NAN}, {0, 1}}, 1);
      },
      "outline: corner 1 is not finite");
  expect_refused(
      [] {
        make_extrusion(SupportPolygon{{0, 0}, {1, 0}, {1, 0}, {0, 1}}, 1);
      },
      "outline: corners 1 and 2 are at the same place");
  expect_refused(
      [] {
        make_extrusion(SupportPolygon{{0, 0}, {1, 1}, {1, 0}, {0, 1}}, 1);
      },
      "outline: the edges after corners 0 and 2 touch");
  expect_refused(
      [] {
        make_extrusion(SupportPolygon{{0, 0}, {2, 0}, {2, 2}, {1, 0}, {0, 2}}, 1);
      },
      "outline: the edges after corners 0 and 2 touch");
  expect_refused([] { make_extrusion(SupportPolygon{{0, 0}, {2, 0}, {1, 0}}, 1); }, "runs back along the one before");
  expect_refused(
      [] {
        make_revolution(SupportPolygon{{-0.5, 0}, {1, 0}, {1, 1}}, 5);
      },
      "profile: a corner has the radius -0.5; expected none below 0");
}

}  // namespace
}  // namespace carom
