#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "carom/carom.hpp"
#include "shapes/shape_samples.hpp"

/// Results that were not filled in are not numbers, and results of an answered question are.
namespace carom {
namespace {

using Eigen::Vector3d;

bool is_unset(double value) {
  return std::isnan(value);
}
template <int D>
bool is_unset(const Eigen::Matrix<double, D, 1>& v) {
  return v.array().isNaN().all();
}
template <std::size_t N>
bool is_unset(const std::array<double, N>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

/// Whether none of some values was given.
template <class... Values>
bool all_unset(const Values&... values) {
  return (is_unset(values) && ...);
}

template <class Result>
bool ends_unset(const Result& r) {
  return all_unset(r.start, r.end);
}
template <class Result>
bool points_unset(const Result& r) {
  return all_unset(r.normal, r.point_a, r.point_b);
}

TEST(UnsetResults, DefaultMadeOnesAreNotNumbers) {
  const auto query_unset = [](const QueryResult& r) { return points_unset(r) && all_unset(r.distance, r.error); };
  EXPECT_TRUE(query_unset({}));
  EXPECT_FALSE(QueryResult{}.colliding());
  EXPECT_TRUE(query_unset(CastResult{}.closest) && all_unset(CastResult{}.time, CastResult{}.tolerance));
  EXPECT_TRUE(query_unset(WorldClosest{}.closest));
  EXPECT_TRUE(query_unset(Manifold{}.closest));
  EXPECT_TRUE(all_unset(ManifoldPoint{}.point_a, ManifoldPoint{}.point_b, ManifoldPoint{}.distance));
  EXPECT_TRUE(points_unset(ClosestFeatures{}) && all_unset(ClosestFeatures{}.distance));
  EXPECT_TRUE(points_unset(OverlapRegion{}));
  EXPECT_TRUE(all_unset(OverlapRegion{}.depth, OverlapRegion{}.error, OverlapRegion{}.deepest));
  EXPECT_TRUE(points_unset(Clash{}) && all_unset(Clash{}.distance));
  EXPECT_TRUE(points_unset(ClashRegion{}) && all_unset(ClashRegion{}.depth));
  EXPECT_TRUE(all_unset(TriangleManifold{}.normal, TriangleManifold{}.points[3].distance));
  EXPECT_TRUE(ends_unset(MeshCrossing{}) && ends_unset(TriangleIntersection{}) && ends_unset(Intersection{}));
  EXPECT_TRUE(all_unset(AxisSeparation<2>{}.distance, AxisSeparation<2>{}.normal));
  EXPECT_TRUE(all_unset(AxisSeparation<3>{}.distance, AxisSeparation<3>{}.normal));
  EXPECT_TRUE(all_unset(ContactInterval<2>{}.first, ContactInterval<2>{}.last, ContactInterval<2>{}.normal));
  EXPECT_TRUE(all_unset(ContactInterval<3>{}.first, ContactInterval<3>{}.last, ContactInterval<3>{}.normal));
  EXPECT_TRUE(points_unset(Contact{}) && all_unset(Contact{}.distance, Contact{}.weights));
  EXPECT_TRUE(points_unset(WorldContact{}) && all_unset(WorldContact{}.distance, WorldContact{}.normal_speed));
  EXPECT_TRUE(all_unset(WorldHit{}.time, WorldHit{}.point, WorldHit{}.normal));
  EXPECT_TRUE(all_unset(ProxyHit{}.t));
  const VertexTriangleClosest on_face;
  EXPECT_TRUE(all_unset(on_face.weights, on_face.point, on_face.distance));
  const EdgeEdgeClosest on_edges;
  EXPECT_TRUE(all_unset(on_edges.s, on_edges.t, on_edges.point_a, on_edges.point_b, on_edges.distance));
}

void expect_answered(const QueryResult& r, const std::string& pair) {
  EXPECT_TRUE(std::isfinite(r.distance)) << pair;
  EXPECT_GE(r.error, 0) << pair;
  EXPECT_NEAR(r.normal.norm(), 1, 1e-9) << pair;
  EXPECT_TRUE(r.point_a.allFinite() && r.point_b.allFinite()) << pair;
}

struct Solid {
  std::string name;
  Shape shape;
};

/// Convex shapes without half-spaces, a compound, a closed mesh and an open one.
std::vector<Solid> solids() {
  std::vector<Solid> all;
  for (const test::Sample& sample : test::convex_samples())
    if (sample.shape.kind() != ShapeKind::half_space) all.push_back({sample.name, sample.shape});
  all.push_back({"rounded", Shape::box({0.4, 0.3, 0.6}).with_margin(0.1)});
  Eigen::Isometry3d beside = Eigen::Isometry3d::Identity();
  beside.translation() = Vector3d(0.8, 0, 0);
  all.push_back({"compound", Shape::compound(std::vector<Shape::Part>{
                                 {Shape::sphere(0.4), Eigen::Isometry3d(Eigen::Isometry3d::Identity())},
                                 {Shape::box({0.3, 0.2, 0.4}), beside}})});
  all.push_back({"torus", Shape::mesh(make_torus(0.7, 0.25, 12, 8))});
  all.push_back({"sheet", Shape::mesh(make_sheet(1.5, 1.5, 3, 3))});
  return all;
}

TEST(UnsetResults, EveryFieldOfAnAnswerIsFinite) {
  std::mt19937_64 random(17);
  const std::vector<Solid> all = solids();
  for (const Solid& a : all) {
    for (const Solid& b : all) {
      const std::string pair = a.name + " and " + b.name;
      for (const double place : {0.2, 1.0, 4.0}) {
        const Eigen::Isometry3d pose_a = test::random_pose(random, place);
        const Eigen::Isometry3d pose_b = test::random_pose(random, place);
        expect_answered(distance(a.shape, pose_a, b.shape, pose_b), pair);
        EXPECT_TRUE(std::isfinite(distance(a.shape, pose_a, b.shape, pose_b).error)) << pair;
        expect_answered(penetration(a.shape, pose_a, b.shape, pose_b), pair);
        const CastResult hit = cast(a.shape, pose_a, test::random_pose(random, place), b.shape, pose_b);
        EXPECT_TRUE(hit.time >= 0 && hit.time <= 1 && hit.tolerance >= 0) << pair;
        if (hit.hit) expect_answered(hit.closest, pair);
        if (a.shape.convex() && b.shape.convex()) {
          const Manifold m = manifold(a.shape, pose_a, b.shape, pose_b, 0.5);
          expect_answered(m.closest, pair);
          for (const ManifoldPoint& p : m.points)
            EXPECT_TRUE(p.point_a.allFinite() && p.point_b.allFinite() && std::isfinite(p.distance)) << pair;
        }
        const bool mesh = a.shape.kind() == ShapeKind::mesh || b.shape.kind() == ShapeKind::mesh;
        if (!mesh || a.shape.kind() == ShapeKind::compound || b.shape.kind() == ShapeKind::compound) continue;
        for (const OverlapRegion& r : overlap_regions(a.shape, pose_a, b.shape, pose_b)) {
          EXPECT_TRUE(std::isfinite(r.depth) && std::isfinite(r.error) && r.normal.allFinite()) << pair;
          EXPECT_TRUE(r.point_a.allFinite() && r.point_b.allFinite() && r.deepest.allFinite()) << pair;
          for (const MeshCrossing& c : r.crossings) EXPECT_TRUE(c.start.allFinite() && c.end.allFinite()) << pair;
        }
      }
    }
  }
}

TEST(UnsetResults, ClosestFeaturesAndAxesAreSetWhereTheShapesAreApart) {
  std::mt19937_64 random(18);
  int apart = 0;
  for (int i = 0; i < 200; ++i) {
    const ConvexPolyhedron a(Shape::hull(test::random_points(random, 12)));
    const ConvexPolyhedron b(Shape::box({0.5, 0.7, 0.9}));
    const Eigen::Isometry3d pose_a = test::random_pose(random, 1.5);
    const Eigen::Isometry3d pose_b = test::random_pose(random, 1.5);
    const ClosestFeatures c = closest_features(a, pose_a, b, pose_b);
    EXPECT_TRUE(std::isfinite(c.distance));
    EXPECT_EQ(points_unset(c), c.overlapping);
    EXPECT_EQ(c.normal.allFinite() && c.point_a.allFinite() && c.point_b.allFinite(), !c.overlapping);
    apart += c.overlapping ? 0 : 1;
    const AxisSeparation<3> axis = separation(a, pose_a, b, pose_b);
    EXPECT_TRUE(std::isfinite(axis.distance));
    EXPECT_NEAR(axis.normal.norm(), 1, 1e-9);
    const ContactInterval<3> times = contact_interval(a, pose_a, test::random_vector(random), b, pose_b, {0, 0, 0});
    if (!times.meet) continue;
    EXPECT_TRUE(times.first >= 0 && times.last >= times.first);
    EXPECT_EQ(times.normal.allFinite(), !times.overlap_at_start);
  }
  EXPECT_GT(apart, 20);
  EXPECT_LT(apart, 180);
}

TEST(UnsetResults, IntersectionsOfTrianglesHaveEnds) {
  std::mt19937_64 random(19);
  const auto corner = [&] {
    return Vector3d(0.25 * static_cast<double>(random() % 5), 0.25 * static_cast<double>(random() % 5),
                    0.25 * static_cast<double>(random() % 3));
  };
  int found = 0;
  for (int i = 0; i < 20000; ++i) {
    const TrianglePoints a{corner(), corner(), corner()};
    const TrianglePoints b{corner(), corner(), corner()};
    const auto where = intersection(a, b);
    if (!where) continue;
    ++found;
    EXPECT_TRUE(where->start.allFinite() && where->end.allFinite());
  }
  EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace carom
