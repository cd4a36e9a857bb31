#include "carom/mesh/generate.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>

#include "carom/core/error.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// How much closer the second is to the truth than the first.
double gain(double first, double second, double truth) {
  return std::abs(first - truth) / std::abs(second - truth);
}

template <class Make>
void expect_refused(Make make, const std::string& part_of_message) {
  try {
    make();
    FAIL() << "accepted; expected an error with: " << part_of_message;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find(part_of_message), std::string::npos) << error.what();
  }
}

TEST(Box, HasSharedVerticesAndExactMeasures) {
  for (const int n : {1, 2, 3, 7}) {
    const MeshReport report = inspect(make_box({2, 3, 5}, n));
    EXPECT_EQ(report.triangles, 12u * static_cast<unsigned>(n * n));
    EXPECT_EQ(report.vertices, 6u * static_cast<unsigned>(n * n) + 2);
    EXPECT_TRUE(report.clean()) << n;
    EXPECT_EQ(report.components, 1u);
    EXPECT_EQ(report.box_min, Vector3d(-1, -1.5, -2.5));
    EXPECT_EQ(report.box_max, Vector3d(1, 1.5, 2.5));
    EXPECT_NEAR(report.area, 62, 62e-15 * n);
    EXPECT_NEAR(report.volume, 30, 30e-15 * n);
  }
}

TEST(Icosphere, IsCleanAndConvergesToTheSphere) {
  const double r = 1.5;
  const double area = 4 * pi * r * r;
  const double volume = area * r / 3;
  MeshReport coarse;
  for (int level = 0; level <= 5; ++level) {
    const TriangleMesh mesh = make_icosphere(r, level);
    const MeshReport report = inspect(mesh);
    EXPECT_EQ(report.triangles, 20u << (2 * level));
    EXPECT_EQ(report.vertices, (10u << (2 * level)) + 2);
    EXPECT_TRUE(report.clean()) << level;
    for (const Vector3d& p : mesh.positions) EXPECT_NEAR(p.norm(), r, 1e-15 * r);
    if (level >= 2) {  // the error is of second order in the length of the edges, which halves
      EXPECT_NEAR(gain(coarse.area, report.area, area), 4, 0.3);
      EXPECT_NEAR(gain(coarse.volume, report.volume, volume), 4, 0.3);
    }
    coarse = report;
  }
  EXPECT_NEAR(coarse.volume, volume, 2e-3 * volume);
  EXPECT_LT(coarse.volume, volume);  // inscribed
}

TEST(Torus, HasTheSizesAskedForAndConverges) {
  const double radius = 2;
  const double tube = 0.7;
  const double area = 4 * pi * pi * radius * tube;
  const double volume = 2 * pi * pi * radius * tube * tube;
  MeshReport coarse;
  std::size_t triangles = 1600;
  for (const int across : {20, 40, 80}) {
    const MeshReport report = inspect(make_torus(radius, tube, 2 * across, across));
    EXPECT_EQ(report.triangles, triangles);
    EXPECT_EQ(report.vertices, triangles / 2);
    EXPECT_TRUE(report.clean());
    EXPECT_EQ(report.components, 1u);
    if (across > 20) {
      EXPECT_NEAR(gain(coarse.area, report.area, area), 4, 0.1);
      EXPECT_NEAR(gain(coarse.volume, report.volume, volume), 4, 0.1);
    }
    coarse = report;
    triangles *= 4;
  }
  EXPECT_NEAR(coarse.volume, volume, 2e-3 * volume);
}

TEST(Torus, LiesOnTheTorusAroundTheYAxis) {
  for (const Vector3d& p : make_torus(2, 0.5, 17, 9).positions)
    EXPECT_NEAR(std::hypot(std::hypot(p.x(), p.z()) - 2, p.y()), 0.5, 2e-15);
}

TEST(Tube, AroundACircleIsATorus) {
  const auto circle = [](double t) { return Vector3d(2 * std::cos(2 * pi * t), 0, 2 * std::sin(2 * pi * t)); };
  const TriangleMesh tube = make_tube(circle, 0.5, 40, 12);
  const MeshReport report = inspect(tube);
  const MeshReport torus = inspect(make_torus(2, 0.5, 40, 12));
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.triangles, 960u);
  for (const Vector3d& p : tube.positions) EXPECT_NEAR(std::hypot(std::hypot(p.x(), p.z()) - 2, p.y()), 0.5, 1e-14);
  EXPECT_NEAR(report.volume, torus.volume, 0.01 * torus.volume);
}

double turn_between(const Vector3d& from, const Vector3d& to, const Vector3d& axis) {
  return std::atan2(axis.normalized().dot(from.cross(to)), from.dot(to));
}

TEST(Tube, TwistsEvenlyAndClosesWithoutAJump) {
  constexpr int along = 165;
  constexpr int across = 12;
  const auto knot = [](double t) { return trefoil(t, 1, 0.5); };
  const TriangleMesh mesh = make_tube(knot, 0.15, along, across);
  const auto seam = [&](int i) -> Vector3d {  // from the centre line to the first vertex of ring i
    return mesh.positions[static_cast<std::size_t>(i % along * across)] - knot(static_cast<double>(i % along) / along);
  };
  // From ring to ring the seam turns about the curve by one and the same small angle, also at the joint: pure
  // transport shows as no turn, and half a turn is the most there is to distribute.
  for (int i = 0; i < along; ++i) {
    const Vector3d chord = knot((i + 1.0) / along) - knot(static_cast<double>(i) / along);
    const Vector3d u = seam(i) - seam(i).dot(chord) / chord.squaredNorm() * chord;
    const Vector3d v = seam(i + 1) - seam(i + 1).dot(chord) / chord.squaredNorm() * chord;
    EXPECT_LT(std::abs(turn_between(u, v, chord)), pi / along + 0.01) << "ring " << i;
  }
}

TEST(Tube, TrefoilIsWatertightAndDoesNotFold) {
  constexpr int along = 165;
  constexpr int across = 12;
  constexpr double tube_radius = 0.2;
  const auto knot = [](double t) { return trefoil(t, 1, 0.5); };
  const auto centre = [&](int i) { return knot(static_cast<double>((i + along) % along) / along); };
  const TriangleMesh mesh = make_tube(knot, tube_radius, along, across);
  const MeshReport report = inspect(mesh);
  EXPECT_EQ(report.triangles, 3960u);
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.components, 1u);

  // Every triangle faces away from the centre line.
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto corner = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(mesh.triangles[t][k])]; };
    const Vector3d normal = (corner(1) - corner(0)).cross(corner(2) - corner(0));
    const int ring = static_cast<int>(t) / (2 * across);
    const Vector3d middle = 0.5 * (centre(ring) + centre(ring + 1));
    EXPECT_GT(normal.dot((corner(0) + corner(1) + corner(2)) / 3 - middle), 0) << "triangle " << t;
  }
  // Rings next to each other do not cross: each vertex is ahead of the plane of the ring before it.
  for (int i = 0; i < along; ++i) {
    const Vector3d tangent = centre(i + 1) - centre(i - 1);
    for (int j = 0; j < across; ++j) {
      const Vector3d& ahead = mesh.positions[static_cast<std::size_t>((i + 1) % along * across + j)];
      EXPECT_GT(tangent.dot(ahead - centre(i)), 0) << "ring " << i;
    }
  }
  // Strands keep apart: two points of the curve are closer than two radii only if they are close along it.
  for (int i = 0; i < along; ++i)
    for (int j = i + 15; j <= i + along - 15; ++j) EXPECT_GT((centre(i) - centre(j)).norm(), 2 * tube_radius);

  // A tube that does not overlap itself has the volume of its section times its length.
  double length = 0;
  for (int i = 0; i < 100'000; ++i) length += (knot((i + 1) * 1e-5) - knot(i * 1e-5)).norm();
  const double section = 0.5 * across * tube_radius * tube_radius * std::sin(2 * pi / across);
  EXPECT_NEAR(report.volume, section * length, 0.01 * section * length);
}

TEST(Trefoil, IsAClosedCurveOfTheSizeAskedFor) {
  EXPECT_TRUE(trefoil(0, 2, 0.5).isApprox(trefoil(1, 2, 0.5)));
  for (int i = 0; i < 120; ++i) {
    const Vector3d p = trefoil(i / 120.0, 2, 0.5);
    // On an ellipse around the middle circle: one semi-axis is half the radius, the other is the height.
    const double out = (std::hypot(p.x(), p.z()) - 2) / 1.0;
    EXPECT_NEAR(out * out + p.y() * p.y() / 0.25, 1, 1e-13);
  }
}

TEST(Tube, RefusesCurvesItCannotFollow) {
  expect_refused([] { make_tube({}, 1, 8, 8); }, "make_tube: closed_curve is empty");
  expect_refused([] { make_tube([](double) { return Vector3d(1, 2, 3); }, 1, 8, 8); }, "stands still");
  expect_refused([] { make_tube([](double t) { return Vector3d(t < 0.5 ? t : 1 - t, 0, 0); }, 1, 8, 8); },
                 "turns back at t = 0");
  expect_refused([] { make_tube([](double t) { return Vector3d(t > 0.6 ? nan : t, t * t, 0); }, 1, 8, 8); },
                 "closed_curve(0.625) is not finite");
}

TEST(Sheet, IsFlatOpenAndFacesUp) {
  const TriangleMesh mesh = make_sheet(3, 2, 6, 5);
  const MeshReport report = inspect(mesh);
  EXPECT_EQ(report.triangles, 60u);
  EXPECT_EQ(report.vertices, 42u);
  EXPECT_EQ(report.boundary_loops, 1u);
  EXPECT_TRUE(report.manifold());
  EXPECT_TRUE(report.oriented());
  EXPECT_NEAR(report.area, 6, 1e-14);
  EXPECT_EQ(report.box_min, Vector3d(-1.5, 0, -1));
  EXPECT_EQ(report.box_max, Vector3d(1.5, 0, 1));
  for (const Triangle& t : mesh.triangles) {
    const Vector3d a = mesh.positions[static_cast<std::size_t>(t[0])];
    const Vector3d b = mesh.positions[static_cast<std::size_t>(t[1])];
    const Vector3d c = mesh.positions[static_cast<std::size_t>(t[2])];
    EXPECT_GT((b - a).cross(c - a).y(), 0);
  }
}

TEST(Sheet, DiagonalsAlternate) {
  // Then every inner vertex has four or eight triangles, by turns.
  const TriangleMesh mesh = make_sheet(1, 1, 4, 4);
  const Topology topology = build_topology(mesh.positions.size(), mesh.triangles);
  for (int j = 1; j < 4; ++j)
    for (int i = 1; i < 4; ++i)
      EXPECT_EQ(topology.vertex_triangles[static_cast<std::size_t>(5 * j + i)].size(), (i + j) % 2 == 0 ? 8u : 4u);
}

TEST(Ribbon, FollowsItsPathAndIsAsWideAsItSays) {
  // A quarter of a circle, turned up halfway: neither flat nor straight.
  std::vector<Vector3d> path;
  for (int i = 0; i <= 12; ++i) {
    const double angle = i * 0.13;
    path.push_back({std::cos(angle), 0.1 * i * i / 12.0, -std::sin(angle)});
  }
  const int along = 60;
  const int across = 4;
  const TriangleMesh mesh = make_ribbon(path, 0.2, along, across);
  ASSERT_EQ(mesh.positions.size(), 61U * 5);
  ASSERT_EQ(mesh.triangles.size(), 2U * 60 * 4);
  const auto at = [&](int i, int k) { return mesh.positions[static_cast<std::size_t>(i * (across + 1) + k)]; };
  EXPECT_LT((at(0, 2) - path.front()).norm(), 1e-12);
  EXPECT_LT((at(along, 2) - path.back()).norm(), 1e-12);
  EXPECT_NEAR(at(0, 0).y(), at(0, 4).y(), 1e-12) << "level where it begins";
  const double step = (at(1, 2) - at(0, 2)).norm();
  for (int i = 0; i <= along; ++i) {
    EXPECT_NEAR((at(i, 4) - at(i, 0)).norm(), 0.2, 1e-12) << i;
    if (i == 0) continue;
    EXPECT_NEAR((at(i, 2) - at(i - 1, 2)).norm(), step, 0.01 * step) << i;
    const Vector3d side = (at(i, 4) - at(i, 0)).normalized();
    EXPECT_NEAR(side.dot((at(i, 2) - at(i - 1, 2)).normalized()), 0, 0.05) << i;
  }
  // All points of the path are on the middle line.
  for (const Vector3d& p : path) {
    double nearest = INFINITY;
    for (int i = 0; i <= along; ++i) nearest = std::min(nearest, (at(i, 2) - p).norm());
    EXPECT_LT(nearest, 0.6 * step);
  }
  expect_refused([] { make_ribbon(std::vector<Vector3d>{{0, 0, 0}}, 1, 1, 1); }, "path has 1 points");
  expect_refused(
      [] {
        make_ribbon(std::vector<Vector3d>{{0, 0, 0}, {0, 0, 0}}, 1, 1, 1);
      },
      "point 1 is the one before");
  expect_refused([] { make_ribbon(std::vector<Vector3d>{{0, 0, 0}, {1, 0, 0}}, 0, 1, 1); }, "width is 0");
}

TEST(Roll, IsASpiralWithItsGapBetweenLayers) {
  constexpr int along = 400;
  constexpr int across = 6;
  const TriangleMesh mesh = make_roll(0.5, 0.05, 3.25, 2, along, across);
  const MeshReport report = inspect(mesh);
  EXPECT_EQ(report.triangles, 2u * along * across);
  EXPECT_EQ(report.boundary_loops, 1u);
  EXPECT_TRUE(report.manifold());
  EXPECT_TRUE(report.oriented());
  EXPECT_NEAR(report.box_min.z(), -1, 1e-15);
  EXPECT_NEAR(report.box_max.z(), 1, 1e-15);
  EXPECT_LT((mesh.positions[0] - Vector3d(0.5, 0, -1)).norm(), 1e-14);
  EXPECT_LT((mesh.positions.back() - Vector3d(0, 0.5 + 3.25 * 0.05, 1)).norm(), 1e-12) << "a quarter turn too far";

  double angle = 0;
  double shortest = 1;
  double longest = 0;
  for (std::size_t j = 1; j <= along; ++j) {
    const Vector3d before = mesh.positions[(j - 1) * (across + 1)];
    const Vector3d here = mesh.positions[j * (across + 1)];
    angle += std::atan2(before.x() * here.y() - before.y() * here.x(), before.x() * here.x() + before.y() * here.y());
    EXPECT_NEAR(std::hypot(here.x(), here.y()), 0.5 + 0.05 * angle / (2 * std::numbers::pi), 1e-12);
    shortest = std::min(shortest, (here - before).norm());
    longest = std::max(longest, (here - before).norm());
  }
  EXPECT_NEAR(angle, 3.25 * 2 * std::numbers::pi, 1e-12);
  EXPECT_NEAR(shortest, longest, 1e-4 * longest) << "chords of equal arcs differ by their curvature only";
  for (const Triangle& t : mesh.triangles) {
    const Vector3d a = mesh.positions[static_cast<std::size_t>(t[0])];
    const Vector3d b = mesh.positions[static_cast<std::size_t>(t[1])];
    const Vector3d c = mesh.positions[static_cast<std::size_t>(t[2])];
    EXPECT_GT((b - a).cross(c - a).dot(Vector3d(a.x(), a.y(), 0)), 0) << "facing outward";
  }
}

TEST(Generators, NameTheParameterThatIsOutOfRange) {
  expect_refused([] { make_roll(0, 1, 1, 1, 1, 1); }, "make_roll: inner_radius is 0");
  expect_refused([] { make_roll(1, -1, 1, 1, 1, 1); }, "make_roll: gap is -1");
  expect_refused([] { make_roll(1, 1, nan, 1, 1, 1); }, "make_roll: turns is nan");
  expect_refused([] { make_roll(1, 1, 1, 0, 1, 1); }, "make_roll: width is 0");
  expect_refused([] { make_roll(1, 1, 1, 1, 0, 1); }, "make_roll: along is 0; expected at least 1");
  expect_refused([] { make_roll(1, 1, 1, 1, 1, 0); }, "make_roll: across is 0; expected at least 1");
  expect_refused([] { make_roll(1, 1, 1, 1, 1 << 20, 1 << 20); }, "along and across ask for");
  expect_refused([] { make_roll(1e308, 1e308, 1e308, 1, 5, 5); }, "too long or too short");
  expect_refused([] { make_box({1, 0, 1}); }, "make_box: size.y is 0; expected a positive number");
  expect_refused([] { make_box({1, 1, nan}); }, "size.z is nan");
  expect_refused([] { make_box({1, 1, 1}, 0); }, "make_box: segments is 0; expected at least 1");
  expect_refused([] { make_box({1, 1, 1}, 2'000'000'000); }, "segments ask for 48000000000000000000 triangles");
  expect_refused([] { make_icosphere(-1, 2); }, "make_icosphere: radius is -1");
  expect_refused([] { make_icosphere(1, -1); }, "subdivisions is -1");
  expect_refused([] { make_icosphere(1, 14); }, "subdivisions ask for 5368709120 triangles");
  expect_refused([] { make_icosphere(1, 2'000'000'000); }, "subdivisions ask for");
  expect_refused([] { make_torus(1, -1, 8, 8); }, "make_torus: tube_radius is -1; expected a positive number");
  expect_refused([] { make_torus(1, 1, 8, 8); }, "make_torus: tube_radius is 1; expected less than radius, 1");
  expect_refused([] { make_torus(1.7e308, 1.6e308, 8, 8); }, "make_torus: radius is 1.7e+308");
  expect_refused([] { make_torus(2, 1, 2, 8); }, "make_torus: around is 2; expected at least 3");
  expect_refused([] { make_torus(2, 1, 8, 2); }, "make_torus: across is 2; expected at least 3");
  expect_refused([] { make_torus(2, 1, 2'000'000'000, 2'000'000'000); }, "around and across ask for");
  expect_refused([] { make_sheet(0, 1, 1, 1); }, "make_sheet: size_x is 0");
  expect_refused([] { make_sheet(1, -2, 1, 1); }, "make_sheet: size_z is -2");
  expect_refused([] { make_sheet(1, 1, 1, 0); }, "make_sheet: segments_z is 0");
  expect_refused([] { make_sheet(1, 1, 1, (1 << 30) - 1); },
                 "ask for 2147483648 vertices; expected at most 2147483647");
}

TEST(Dent, MovesOnlyWhatIsInsideAndByTheFormula) {
  Dent dent;
  dent.center = {1, 0, 0};
  dent.radius = 2;
  dent.depth = 0.25;
  std::vector<Vector3d> positions = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {1, 0, 5}, {nan, 0, 0}};
  apply_dent(dent, positions);
  EXPECT_EQ(positions[0], Vector3d(1, -0.25, 0));
  EXPECT_EQ(positions[1], Vector3d(2, -0.25 * 0.75 * 0.75, 0));  // r / radius = 1 / 2
  EXPECT_EQ(positions[2], Vector3d(3, 0, 0));                    // exactly on the rim
  EXPECT_EQ(positions[3], Vector3d(1, 0, 5));
  EXPECT_TRUE(std::isnan(positions[4].x()));
}

TEST(Dent, RefusesWhatItCannotDo) {
  std::vector<Vector3d> positions = {{0, 0, 0}};
  expect_refused([&] { apply_dent({.direction = {0, 2, 0}}, positions); }, "dent.direction has length 2; expected 1");
  expect_refused([&] { apply_dent({.direction = {0, nan, 0}}, positions); }, "dent.direction has length nan");
  expect_refused([&] { apply_dent({.radius = 0}, positions); }, "dent.radius is 0");
  expect_refused([&] { apply_dent({.depth = nan}, positions); }, "dent.depth is nan");
  expect_refused([&] { apply_dent({.center = {nan, 0, 0}}, positions); }, "dent.center is not finite");
}

}  // namespace
}  // namespace carom
