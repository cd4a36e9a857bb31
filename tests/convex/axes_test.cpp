#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "carom/core/error.hpp"
#include "carom/query/cast.hpp"
#include "carom/query/separating_axes.hpp"
#include "oracle/exact_axes.hpp"
#include "oracle/exact_hulls.hpp"
#include "shapes/shape_samples.hpp"

// Convex polyhedra by separating axes.
namespace carom {
namespace {

using Points = std::vector<Eigen::Vector3d>;

Eigen::Isometry3d at(double x, double y, double z) {
  return Eigen::Isometry3d(Eigen::Translation3d(x, y, z));
}
const Eigen::Isometry3d here = at(0, 0, 0);

int whole(std::mt19937_64& random, int low, int high) {
  return low + static_cast<int>(test::number(random, 0, high - low + 1));
}

Points draw_points(std::mt19937_64& random, int count, int range) {
  Points points;
  for (int i = 0; i < count; ++i) {
    points.emplace_back(whole(random, -range, range), whole(random, -range, range), whole(random, -range, range));
  }
  return points;
}

/// How far a point is outside of a polyhedron, along the axes; at most 0 in it.
double outside(const ConvexPolyhedron& p, const Eigen::Isometry3d& pose, const Eigen::Vector3d& point) {
  return separation(p, pose, ConvexPolyhedron(Shape::hull(Points{point})), here).distance;
}

TEST(PolyhedronAxes, FacesAndEdgesFitTogether) {
  std::mt19937_64 random(51);
  for (const Shape& shape : {Shape::box({1, 2, 3}), Shape::hull(test::random_points(random, 20)),
                             Shape::hull(test::random_points(random, 300))}) {
    const ConvexPolyhedron p(shape);
    EXPECT_EQ(p.corners().size() + p.faces().size(), p.edges().size() + 2);  // Euler
    Eigen::Vector3d middle = Eigen::Vector3d::Zero();
    for (const auto& c : p.corners()) middle += c / static_cast<double>(p.corners().size());
    for (std::size_t f = 0; f < p.faces().size(); ++f) {
      const auto corner = [&](std::size_t k) { return p.corners()[static_cast<std::size_t>(p.faces()[f][k])]; };
      EXPECT_LT((corner(1) - corner(0)).cross(corner(2) - corner(0)).dot(middle - corner(0)), 0);
    }
  }
}

TEST(PolyhedronAxes, TimesOfContactAreThoseOfRationalArithmetic) {
  std::mt19937_64 random(52);
  int meets = 0;
  int grazes = 0;
  int total = 0;
  int flat = 0;
  for (int round = 0; round < 150; ++round) {
    Points pa = draw_points(random, whole(random, 3, 6), 3);
    Points pb = draw_points(random, whole(random, 1, 5), 3);
    if (round % 4 == 0)
      pa = {{-2, -2, -2}, {2, -2, -2}, {-2, 2, -2}, {2, 2, -2}, {-2, -2, 2}, {2, -2, 2}, {-2, 2, 2}, {2, 2, 2}};
    for (auto& p : pb) p += Eigen::Vector3d(8, whole(random, -3, 3), whole(random, -3, 3));
    const Eigen::Vector3d v(whole(random, -5, 0), whole(random, -2, 2), whole(random, -2, 2));
    const ConvexPolyhedron a(Shape::hull(pa));
    const ConvexPolyhedron b(Shape::hull(pb));
    // The oracle has no directions for differences that span no volume.
    if (oracle::signed_squared_gap(pa, pb, 3) == 0 || pa.size() + pb.size() < 7) continue;
    const ContactInterval<3> c = contact_interval(a, here, {0, 1, 0}, b, here, v + Eigen::Vector3d(0, 1, 0));
    const auto truth = oracle::contact_interval(pa, pb, v, 3);
    ++total;
    flat += a.faces().size() < 4 || b.faces().size() < 4 ? 1 : 0;
    ASSERT_EQ(c.meet, truth.has_value()) << round;
    if (!truth) continue;
    ++meets;
    ASSERT_NEAR(c.first, truth->first.get_d(), 1e-13 * (1 + c.first)) << round;
    ASSERT_EQ(std::isfinite(c.last), truth->last.has_value()) << round;
    if (truth->last) {
      ASSERT_NEAR(c.last, truth->last->get_d(), 1e-13 * (1 + c.last)) << round;
      grazes += *truth->last == truth->first ? 1 : 0;
    }
    ASSERT_EQ(c.overlap_at_start, truth->overlap) << round;
    if (c.overlap_at_start) continue;
    ASSERT_GE(c.points.size(), 1U);
    for (const Eigen::Vector3d& p : c.points) {
      ASSERT_LE(outside(a, at(0, c.first, 0), p), 1e-8) << round;
      Eigen::Isometry3d pose_b = here;
      pose_b.translation() = c.first * (v + Eigen::Vector3d(0, 1, 0));
      ASSERT_LE(outside(b, pose_b, p), 1e-8) << round;
    }
  }
  EXPECT_GT(total, 80);
  EXPECT_GT(flat, 10);
  EXPECT_GT(meets, total / 6);
  EXPECT_LT(meets, total * 5 / 6);
  EXPECT_GT(grazes, 0);
}

Shape draw_polytope(std::mt19937_64& random, int i) {
  if (i % 4 == 0) return Shape::box(0.2 * Eigen::Vector3d::Ones() + 0.5 * test::random_vector(random).cwiseAbs());
  auto points = test::random_points(random, 4 + (i * 7) % 40);
  if (i % 4 == 1) {
    for (auto& p : points) p.x() *= 1e-3;
  }
  return Shape::hull(points);
}

TEST(PolyhedronAxes, DepthIsThatOfTheExpandingPolytope) {
  std::mt19937_64 random(53);
  int overlapping = 0;
  for (int i = 0; i < 600; ++i) {
    const Shape a = draw_polytope(random, i);
    const Shape b = draw_polytope(random, i / 4);
    const Eigen::Isometry3d pose_a = test::random_pose(random, i % 5 == 0 ? 1e3 : 1);
    Eigen::Isometry3d pose_b = test::random_pose(random, 1);
    if (i % 3 == 0) pose_b.linear() = pose_a.linear();  // parallel edges and faces where boxes meet
    if (i % 7 == 0) pose_b.linear() = Eigen::AngleAxisd(1e-7, Eigen::Vector3d(1, 2, 3).normalized()) * pose_a.linear();
    pose_b.translation() = pose_a.translation() + test::number(random, 0, 1.5) * test::random_vector(random);
    const QueryResult truth = distance(a, pose_a, b, pose_b);
    const AxisSeparation<3> s = separation(ConvexPolyhedron(a), pose_a, ConvexPolyhedron(b), pose_b);
    ASSERT_NEAR(s.normal.norm(), 1, 1e-12);
    if (std::abs(truth.distance) > 1e-11) {
      ASSERT_EQ(s.distance > 0, truth.distance > 0) << i;
    }
    ASSERT_LE(s.distance, truth.distance + 1e-11) << i;
    if (truth.distance > 0) continue;
    ++overlapping;
    ASSERT_NEAR(s.distance, truth.distance, 1e-10) << i;
    Eigen::Isometry3d moved = pose_b;
    moved.translation() -= (s.distance - 1e-9) * s.normal;
    ASSERT_FALSE(collide(a, pose_a, b, moved)) << i;
  }
  EXPECT_GT(overlapping, 200);
}

TEST(PolyhedronAxes, DepthIsThatOfRationalArithmetic) {
  std::mt19937_64 random(54);
  for (int i = 0; i < 20; ++i) {
    const Shape a = Shape::hull(test::random_points(random, 4 + i % 6));
    const Shape b = i % 2 == 0 ? Shape::box({0.5, 0.7, 0.2}) : Shape::hull(test::random_points(random, 5));
    const Eigen::Isometry3d pose_a = test::random_pose(random, 1);
    Eigen::Isometry3d pose_b = test::random_pose(random, 1);
    pose_b.translation() = pose_a.translation() + 0.4 * test::random_vector(random);
    const double truth = oracle::depth(a, pose_a, b, pose_b);
    const AxisSeparation<3> s = separation(ConvexPolyhedron(a), pose_a, ConvexPolyhedron(b), pose_b);
    EXPECT_NEAR(-s.distance, truth, 1e-13) << i;
  }
}

TEST(PolyhedronAxes, MovingShapesMeetWhereACastSays) {
  std::mt19937_64 random(55);
  int meets = 0;
  for (int i = 0; i < 300; ++i) {
    const auto polytope = [&](int k) {
      if (k % 6 == 1)
        return Shape::triangle(test::random_vector(random), test::random_vector(random), test::random_vector(random));
      if (k % 6 == 2) return Shape::hull(Points{{-1, 0, 0}, {1, 0.1, 0.2}});
      if (k % 6 == 3) return Shape::hull(Points{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}});
      return draw_polytope(random, k);
    };
    const Shape a = polytope(i);
    const Shape b = polytope(i / 6);
    const Eigen::Isometry3d from = test::random_pose(random, 1);
    Eigen::Isometry3d pose_b = test::random_pose(random, 1);
    pose_b.translation() += Eigen::Vector3d(4, 0, 0);
    const Eigen::Vector3d v = Eigen::Vector3d(8, 0, 0) + test::random_vector(random);
    Eigen::Isometry3d to = from;
    to.translation() += v;
    const CastResult truth = cast(a, from, to, b, pose_b, {.tolerance = 1e-10});
    const ContactInterval<3> c =
        contact_interval(ConvexPolyhedron(a), from, v, ConvexPolyhedron(b), pose_b, {0, 0, 0}, 1);
    ASSERT_EQ(c.meet, truth.hit) << i;
    if (!c.meet) continue;
    ++meets;
    ASSERT_NEAR(c.first, truth.time, 1e-7) << i;
    const auto gap = [&](double t) {
      Eigen::Isometry3d pose = from;
      pose.translation() += t * v;
      return distance(a, pose, b, pose_b).distance;
    };
    ASSERT_NEAR(gap(c.first), 0, 1e-10) << i;
    ASSERT_NEAR(gap(c.last), 0, 1e-10) << i;
    ASSERT_GT(gap(c.last + 1e-6), 0) << i;
    ASSERT_LE(gap(0.5 * (c.first + c.last)), 1e-12) << i;
    // The normal separates them just before.
    ASSERT_LT(c.normal.dot(-v), 0) << i;
    ASSERT_GT(c.normal.dot((pose_b * b.support(pose_b.linear().transpose() * -c.normal)) -
                           (from * a.support(from.linear().transpose() * c.normal))),
              0)
        << i;
  }
  EXPECT_GT(meets, 100);
  EXPECT_LT(meets, 300);
}

TEST(PolyhedronAxes, ContactSetsOfBoxes) {
  const ConvexPolyhedron cube(Shape::box({1, 1, 1}));
  // Face on face, shifted: a rectangle of 1 by 0.5.
  const ContactInterval<3> faces = contact_interval(cube, here, {0, 0, 0}, cube, at(1, 1.5, 6), {0, 0, -2});
  ASSERT_TRUE(faces.meet);
  EXPECT_EQ(faces.first, 2);
  EXPECT_EQ(faces.last, 4);
  EXPECT_EQ(faces.normal, Eigen::Vector3d(0, 0, 1));
  EXPECT_EQ(faces.corners_a.size(), 4U);
  EXPECT_EQ(faces.corners_b.size(), 4U);
  ASSERT_EQ(faces.points.size(), 4U);
  double area = 0;
  for (std::size_t i = 1; i < 3; ++i) {
    area += 0.5 * (faces.points[i] - faces.points[0]).cross(faces.points[i + 1] - faces.points[0]).dot(faces.normal);
  }
  EXPECT_NEAR(area, 0.5, 1e-8);
  // Edge on face: turned by an eighth.
  Eigen::Isometry3d tilted = at(0, 0.25, 6);
  tilted.linear() = Eigen::AngleAxisd(0.78539816339744831, Eigen::Vector3d::UnitX()).toRotationMatrix();
  const ContactInterval<3> edge = contact_interval(cube, here, {0, 0, 0}, cube, tilted, {0, 0, -1});
  ASSERT_TRUE(edge.meet);
  EXPECT_NEAR(edge.first, 5 - std::sqrt(2.0), 1e-14);
  EXPECT_EQ(edge.corners_b.size(), 2U);
  ASSERT_EQ(edge.points.size(), 2U);
  EXPECT_NEAR((edge.points[0] - edge.points[1]).norm(), 2, 1e-8);
  // Edge across edge.
  Eigen::Isometry3d under = here;
  under.linear() = Eigen::AngleAxisd(0.78539816339744831, Eigen::Vector3d::UnitY()).toRotationMatrix();
  const ContactInterval<3> cross = contact_interval(cube, under, {0, 0, 0}, cube, tilted, {0, 0, -1});
  ASSERT_TRUE(cross.meet);
  EXPECT_EQ(cross.kind, AxisKind::edges);
  EXPECT_NEAR(cross.first, 6 - 2 * std::sqrt(2.0), 1e-14);
  ASSERT_EQ(cross.points.size(), 1U);
  EXPECT_LE((cross.points[0] - Eigen::Vector3d(0, 0.25, std::sqrt(2.0))).norm(), 1e-9);
  // Corner on face.
  const ConvexPolyhedron pyramid(Shape::hull(Points{{0, 0, -1}, {1, 0, 1}, {-1, 1, 1}, {-1, -1, 1}}));
  const ContactInterval<3> corner = contact_interval(cube, here, {0, 0, 0}, pyramid, at(0.5, 0.5, 4), {0, 0, -1});
  ASSERT_TRUE(corner.meet);
  EXPECT_EQ(corner.first, 2);
  EXPECT_EQ(corner.corners_b.size(), 1U);
  ASSERT_EQ(corner.points.size(), 1U);
  EXPECT_LE((corner.points[0] - Eigen::Vector3d(0.5, 0.5, 1)).norm(), 1e-12);
  // Edge along edge, and corner on corner: they graze.
  const ContactInterval<3> along = contact_interval(cube, here, {0, 0, 0}, cube, at(-9, 2, 2), {3, 0, 0});
  ASSERT_TRUE(along.meet);
  EXPECT_NEAR(along.first, 7.0 / 3, 1e-15);
  EXPECT_NEAR(along.last, 11.0 / 3, 1e-15);
  EXPECT_EQ(along.points.size(), 1U);
  EXPECT_FALSE(contact_interval(cube, here, {0, 0, 0}, cube, at(-9, 2, 2.0000001), {3, 0, 0}).meet);
  // Together for good.
  EXPECT_EQ(contact_interval(cube, here, {1, 1, 1}, cube, at(1, 1, 1), {1, 1, 1}).last, INFINITY);
}

TEST(PolyhedronAxes, TimesBeyondAllNumbersAreNone) {
  const ConvexPolyhedron cube(Shape::box({1, 1, 1}));
  EXPECT_FALSE(contact_interval(cube, here, {0, 0, 0}, cube, at(5, 0, 0), {-1e-320, 0, 0}).meet);
  // They meet, but nowhere that could be told.
  const ContactInterval<3> far = contact_interval(cube, here, {0, 1e50, 0}, cube, at(5, 0, 0), {-1e-300, 1e50, 0});
  ASSERT_TRUE(far.meet);
  EXPECT_NEAR(far.first, 3e300, 1e286);
  EXPECT_TRUE(far.points.empty());
  EXPECT_THROW(contact_interval(cube, here, {1e308, 0, 0}, cube, at(5, 0, 0), {-1e308, 0, 0}), Error);
}

TEST(PolyhedronAxes, ErrorsNameTheArgument) {
  EXPECT_THROW(ConvexPolyhedron(Shape::sphere(1)), Error);
  EXPECT_THROW(ConvexPolyhedron(Shape::box({1, 1, 1}).with_margin(0.1)), Error);
  const ConvexPolyhedron cube(Shape::box({1, 1, 1}));
  try {
    contact_interval(cube, here, {NAN, 0, 0}, cube, here, {0, 0, 0});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("velocity_a"), std::string::npos);
  }
}

}  // namespace
}  // namespace carom
