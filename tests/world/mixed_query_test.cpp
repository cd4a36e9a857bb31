#include <gtest/gtest.h>

#include <random>

#include "carom/detect/intersect.hpp"
#include "carom/query/query.hpp"
#include "world/mixed.hpp"

namespace carom {
namespace {

using namespace mixed;

/// Sheet of particles that has fallen over a box, a scripted mesh and a fixed one, and a rigid ball.
struct Everything {
  World world{{.dt = 0.005, .contact = {.distance = 0.01, .pairs = PairScope::between}, .threads = 1}};
  BodyId sheet, scripted, fixed, ball;

  Everything() {
    sheet = world.add(ParticleBody{
        .name = "sheet", .mesh = level_sheet(6, 1, {0, 0.3, 0}), .stretch_stiffness = 100, .bend_stiffness = 1});
    const TriangleMesh blob = make_icosphere(0.3, 1);
    scripted = world.add(ScriptedBody{.name = "scripted", .mesh = blob, .motion = [blob](double time, auto positions) {
                                        for (std::size_t i = 0; i < positions.size(); ++i) {
                                          positions[i] = (1 + time) * blob.positions[i] + Vector3d(1.5, 0.2, 0);
                                        }
                                      }});
    fixed = world.add(FixedBody{.name = "fixed", .mesh = placed(make_box({0.4, 0.4, 0.4}, 2), {0, 0, 0})});
    ball = world.add(RigidBody{.name = "ball", .shape = Shape::sphere(0.2), .pose = at({-1.5, 0.5, 0})});
    for (int i = 0; i < 50; ++i) world.step();
  }
  std::vector<TrianglePoints> triangles(BodyId body) const {
    std::vector<TrianglePoints> all;
    for (const Triangle& t : world.triangles(body)) {
      TrianglePoints points;
      for (std::size_t k = 0; k < 3; ++k) points[k] = world.positions(body)[static_cast<std::size_t>(t[k])];
      all.push_back(points);
    }
    return all;
  }
};

/// Time at which a ray meets a triangle, by Cramer's rule; infinite if it does not.
double ray_time(const Vector3d& origin, const Vector3d& direction, const TrianglePoints& t) {
  Eigen::Matrix3d m;
  m.col(0) = -direction;
  m.col(1) = t[1] - t[0];
  m.col(2) = t[2] - t[0];
  const Vector3d x = m.inverse() * (origin - t[0]);
  return x.allFinite() && x[0] >= 0 && x[1] >= 0 && x[2] >= 0 && x[1] + x[2] <= 1 ? x[0] : INFINITY;
}

TEST(MixedQuery, RaysMeetSurfacesAsTheyAreNow) {
  const Everything scene;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  std::size_t hits = 0;
  for (int i = 0; i < 300; ++i) {
    const Vector3d origin(2 * number(random), 2 + number(random), number(random));
    const Vector3d target(1.7 * number(random), 0.4 * number(random), 0.4 * number(random));
    const std::vector<WorldHit> found = scene.world.ray(origin, target - origin, 3);
    for (const BodyId body : {scene.sheet, scene.scripted, scene.fixed}) {
      double first = INFINITY;
      for (const TrianglePoints& t : scene.triangles(body))
        first = std::min(first, ray_time(origin, target - origin, t));
      const auto hit = std::find_if(found.begin(), found.end(), [&](const WorldHit& h) { return h.body == body; });
      ASSERT_EQ(hit != found.end(), first <= 3) << i;
      if (hit == found.end()) continue;
      ++hits;
      EXPECT_NEAR(hit->time, first, 1e-12);
      EXPECT_LT((hit->point - (origin + first * (target - origin))).norm(), 1e-11);
    }
    const std::optional<WorldHit> nearest = scene.world.closest_ray_hit(origin, target - origin, 3);
    ASSERT_EQ(nearest.has_value(), !found.empty());
    if (nearest) {
      EXPECT_EQ(nearest->body, found[0].body);
    }
  }
  EXPECT_GT(hits, 100U);
}

TEST(MixedQuery, ShapesMeetSurfacesAsTheyAreNow) {
  const Everything scene;
  std::mt19937 random(2);
  std::uniform_real_distribution<double> number(-1, 1);
  const Shape shape = Shape::sphere(0.05);
  const QueryFilter surfaces{.excluded = {scene.ball, scene.fixed}};
  std::size_t overlaps = 0;
  for (int i = 0; i < 200; ++i) {
    const Vector3d place(1.9 * number(random), 0.3 + 0.5 * number(random), 0.7 * number(random));
    double nearest = INFINITY;
    std::vector<BodyId> touching;
    for (const BodyId body : {scene.sheet, scene.scripted}) {
      double own = INFINITY;
      for (const TrianglePoints& t : scene.triangles(body)) {
        own = std::min(
            own, distance(shape, at(place), Shape::triangle(t[0], t[1], t[2]), Eigen::Isometry3d::Identity()).distance);
      }
      if (own <= 0) touching.push_back(body);
      nearest = std::min(nearest, own);
    }
    EXPECT_EQ(scene.world.overlapping(shape, at(place), surfaces), touching) << i;
    overlaps += touching.size();
    const std::optional<WorldClosest> closest = scene.world.closest(shape, at(place), 10, surfaces);
    ASSERT_TRUE(closest.has_value());
    EXPECT_NEAR(closest->closest.distance, nearest, 1e-9) << i;
    // Straight down onto whatever is there: the first time is that of the triangles one by one.
    const ShapeMotion motion{at({place.x(), 3, place.z()}), at({place.x(), -1, place.z()})};
    const std::vector<WorldHit> hits = scene.world.cast(shape, motion, {}, surfaces);
    double first = INFINITY;
    for (const BodyId body : {scene.sheet, scene.scripted}) {
      for (const TrianglePoints& t : scene.triangles(body)) {
        const CastResult one =
            cast(shape, motion.from, motion.to, Shape::triangle(t[0], t[1], t[2]), Eigen::Isometry3d::Identity());
        if (one.hit) first = std::min(first, one.time);
      }
    }
    ASSERT_EQ(!hits.empty(), first <= 1) << i;
    if (!hits.empty()) {
      EXPECT_NEAR(hits[0].time, first, 1e-5) << i;
    }
  }
  EXPECT_GT(overlaps, 5U);
}

}  // namespace
}  // namespace carom
