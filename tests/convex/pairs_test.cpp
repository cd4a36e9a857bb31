#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <set>

#include "carom/query/query.hpp"
#include "shapes/shape_samples.hpp"

// What must hold for every pair of convex shapes, whatever their kind, size and pose.
namespace carom {
namespace {

struct Kind {
  const char* name;
  Shape (*make)(double size, std::mt19937_64& random);
};

/// One line for each kind, made of about the given size.
const std::vector<Kind>& kinds() {
  using Random = std::mt19937_64;
  static const std::vector<Kind> all{
      {"sphere", [](double s, Random&) { return Shape::sphere(0.8 * s); }},
      {"box",
       [](double s, Random&) {
         return Shape::box({0.5 * s, 0.9 * s, 0.3 * s});
       }},
      {"capsule", [](double s, Random&) { return Shape::capsule(0.3 * s, 0.7 * s); }},
      {"cylinder", [](double s, Random&) { return Shape::cylinder(0.6 * s, 0.5 * s); }},
      {"cone", [](double s, Random&) { return Shape::cone(0.7 * s, 0.6 * s); }},
      {"ellipsoid",
       [](double s, Random&) {
         return Shape::ellipsoid({0.4 * s, 0.7 * s, s});
       }},
      {"half-space",
       [](double, Random&) {
         return Shape::half_space({0.3, -0.5, 2}, 0);
       }},
      {"hull of 8",
       [](double s, Random& random) {
         auto points = test::random_points(random, 8);
         for (auto& p : points) p *= s;
         return Shape::hull(points);
       }},
      {"hull of 150",
       [](double s, Random& random) {
         auto points = test::random_points(random, 150);
         for (auto& p : points) p *= s;
         return Shape::hull(points);
       }},
      {"triangle",
       [](double s, Random&) {
         return Shape::triangle({0.7 * s, -0.2 * s, 0}, {-0.5 * s, 0.8 * s, 0.3 * s}, {-0.1 * s, -0.6 * s, -0.2 * s});
       }},
      {"needle",
       [](double s, Random&) {
         return Shape::hull(std::vector<Eigen::Vector3d>{
             {-s, 0, 0}, {s, 0, 0}, {0, 1e-6 * s, 0}, {0, -1e-6 * s, 1e-6 * s}, {0, 0, -1e-6 * s}});
       }},
      {"plate",
       [](double s, Random&) {
         return Shape::box({s, 0.8 * s, 1e-6 * s});
       }},
      {"segment",
       [](double s, Random&) {
         return Shape::hull(std::vector<Eigen::Vector3d>{{-s, 0, 0}, {s, 0.1 * s, 0}});
       }},
      {"point",
       [](double s, Random&) {
         return Shape::hull(std::vector<Eigen::Vector3d>{{0.1 * s, 0, 0}});
       }},
  };
  return all;
}

TEST(ConvexPairs, NoConvexKindIsForgotten) {
  std::mt19937_64 random(1);
  std::set<ShapeKind> seen;
  for (const Kind& kind : kinds()) seen.insert(kind.make(1, random).kind());
  for (int k = 0; k < shape_kind_count; ++k) {
    const auto kind = static_cast<ShapeKind>(k);
    if (kind == ShapeKind::mesh || kind == ShapeKind::compound) continue;
    EXPECT_TRUE(seen.contains(kind)) << to_string(kind);
  }
}

struct Case {
  Shape a;
  Eigen::Isometry3d pose_a;
  Shape b;
  Eigen::Isometry3d pose_b;
  double size;         ///< of both together
  bool round = false;  ///< one of them at least, apart from its margin
  bool same = false;   ///< in shape and pose: then there is nothing to mirror
};

constexpr double pi = 3.14159265358979323846;

/// Rotations by quarter turns make faces parallel and edges coplanar.
Eigen::Matrix3d draw_rotation(std::mt19937_64& random, int how) {
  if (how == 0) return Eigen::Matrix3d::Identity();
  if (how == 1) {
    return (Eigen::AngleAxisd(pi / 2 * std::floor(test::number(random, 0, 4)), Eigen::Vector3d::UnitX()) *
            Eigen::AngleAxisd(pi / 2 * std::floor(test::number(random, 0, 4)), Eigen::Vector3d::UnitZ()))
        .toRotationMatrix();
  }
  return test::random_pose(random, 1).linear();
}

Case draw_case(const Kind& first, const Kind& second, std::mt19937_64& random) {
  const auto pick = [&](std::initializer_list<double> of) {
    return of.begin()[static_cast<std::size_t>(test::number(random, 0, static_cast<double>(of.size())))];
  };
  const double size_a = pick({1.0, 1.0, 1.0, 1e-3, 1e3});
  const double size_b = size_a * pick({1.0, 1.0, 0.1, 1e-6});
  Case c{first.make(size_a, random), Eigen::Isometry3d::Identity(), second.make(size_b, random),
         Eigen::Isometry3d::Identity(), size_a + size_b};
  if (test::number(random, 0, 1) < 0.3) c.a = c.a.with_margin(0.05 * size_a);
  const int how = static_cast<int>(test::number(random, 0, 4));
  c.pose_a.linear() = draw_rotation(random, how);
  c.pose_b.linear() = how == 3 ? c.pose_a.linear() : draw_rotation(random, how);
  c.pose_a.translation() = pick({0.0, 0.0, 1.0, 1e4}) * test::random_vector(random);
  const Eigen::Vector3d travel =
      how < 2 ? Eigen::Vector3d(Eigen::Vector3d::Unit(static_cast<Eigen::Index>(test::number(random, 0, 3))))
              : Eigen::Vector3d(test::random_vector(random));
  c.pose_b.translation() = c.pose_a.translation() + pick({0.0, 0.1, 0.5, 1.0, 2.0, 5.0}) * size_a * travel;
  // Touching, to rounding.
  if (test::number(random, 0, 1) < 0.3) {
    const QueryResult r = distance(c.a, c.pose_a, c.b, c.pose_b);
    if (std::isfinite(r.distance)) c.pose_b.translation() -= r.distance * r.normal;
  }
  for (const Shape* shape : {&c.a, &c.b}) {
    const ShapeKind kind = shape->kind();
    c.round = c.round || kind == ShapeKind::cylinder || kind == ShapeKind::cone || kind == ShapeKind::ellipsoid;
  }
  c.same = first.name == second.name && c.pose_a.matrix() == c.pose_b.matrix() && c.a.margin() == c.b.margin();
  return c;
}

/// What rounding of coordinates may do, where the poses are.
double rounding(const Case& c) {
  return 1e-14 * (c.size + c.pose_a.translation().norm() + c.pose_b.translation().norm());
}

bool half_spaces(const Case& c) {
  return c.a.kind() == ShapeKind::half_space && c.b.kind() == ShapeKind::half_space;
}

/// How far p is outside of the shape, from above: along the directions tried.
double outside(const Shape& shape, const Eigen::Isometry3d& pose, const Eigen::Vector3d& p, std::mt19937_64& random) {
  if (shape.kind() == ShapeKind::half_space) return 0;
  double largest = -INFINITY;
  for (int i = 0; i < 12; ++i) {
    Eigen::Vector3d d = test::random_vector(random).normalized();
    if (i < 6) d = Eigen::Vector3d::Unit(i / 2) * (i % 2 == 0 ? 1 : -1);
    const Eigen::Vector3d local = pose.linear().transpose() * (p - pose.translation());
    largest = std::max(largest, d.dot(local - shape.support(d)));
  }
  return largest;
}

void check_one(const Case& c, const std::string& what, std::mt19937_64& random) {
  const QueryResult d = distance(c.a, c.pose_a, c.b, c.pose_b);
  const QueryResult p = penetration(c.a, c.pose_a, c.b, c.pose_b);
  const bool touching = collide(c.a, c.pose_a, c.b, c.pose_b);
  const double slack = rounding(c);
  const double tolerance = (c.round ? 2e-5 : 1e-7) * c.size;

  // No NaN, and the three agree.
  ASSERT_FALSE(std::isnan(d.distance)) << what;
  ASSERT_TRUE(d.normal.allFinite() && d.point_a.allFinite() && d.point_b.allFinite()) << what;
  ASSERT_TRUE(p.normal.allFinite() && p.point_a.allFinite() && p.point_b.allFinite()) << what;
  ASSERT_EQ(touching, d.distance <= 0) << what << " " << d.distance;
  ASSERT_EQ(touching, p.distance <= 0) << what << " " << d.distance << " " << p.distance;
  if (touching) {
    ASSERT_EQ(p.distance, d.distance) << what;
  } else {
    ASSERT_LE(p.distance, d.distance + 1e-9 * d.distance + slack) << what;
  }

  // Swapped, the mirror image to the last bit.
  const QueryResult s = distance(c.b, c.pose_b, c.a, c.pose_a);
  ASSERT_EQ(s.distance, d.distance) << what;
  if (!c.same) {
    ASSERT_EQ(s.normal, -d.normal) << what;
    ASSERT_EQ(s.point_a, d.point_b) << what;
    ASSERT_EQ(s.point_b, d.point_a) << what;
    ASSERT_EQ(s.feature_a.corners, d.feature_b.corners) << what;
  }
  ASSERT_EQ(collide(c.b, c.pose_b, c.a, c.pose_a), touching) << what;

  ASSERT_NEAR(d.normal.norm(), 1, 1e-12) << what;
  if (half_spaces(c)) return;

  // The points are where they should be, and on the shapes.
  ASSERT_LE((d.point_b - d.point_a - d.distance * d.normal).norm(), (c.round ? 5e-4 : 1e-5) * c.size + slack)
      << what << " d " << d.distance << " error " << d.error << " it " << d.iterations << " limited " << d.limited;
  ASSERT_LE(outside(c.a, c.pose_a, d.point_a, random), (c.round ? 5e-4 : 1e-5) * c.size + slack)
      << what << " d " << d.distance << " error " << d.error << " it " << d.iterations << " limited " << d.limited;
  ASSERT_LE(outside(c.b, c.pose_b, d.point_b, random), (c.round ? 5e-4 : 1e-5) * c.size + slack)
      << what << " d " << d.distance << " error " << d.error << " it " << d.iterations << " limited " << d.limited;

  // Along the normal, the shapes are as far apart as said: the distance is no more than the gap, nor the depth less
  // than the overlap. This is a proof that it is neither too large nor, in depth, too small.
  if (c.a.kind() != ShapeKind::half_space && c.b.kind() != ShapeKind::half_space) {
    const Eigen::Vector3d na = c.pose_a.linear().transpose() * d.normal;
    const Eigen::Vector3d nb = c.pose_b.linear().transpose() * d.normal;
    const double gap = d.normal.dot(c.pose_b.translation() - c.pose_a.translation()) + nb.dot(c.b.support(-nb)) -
                       na.dot(c.a.support(na));
    ASSERT_NEAR(gap, d.distance, tolerance + slack) << what << " limited " << d.limited;
  }

  // Moved together.
  Eigen::Isometry3d move = test::random_pose(random, 1);
  const QueryResult m = distance(c.a, move * c.pose_a, c.b, move * c.pose_b);
  ASSERT_NEAR(m.distance, d.distance, tolerance + 100 * slack) << what;
  if (std::abs(d.distance) > 100 * slack + (c.round ? tolerance : 1e-10 * c.size)) {
    ASSERT_EQ(collide(c.a, move * c.pose_a, c.b, move * c.pose_b), touching) << what << " " << d.distance;
  }

  // Any cache gives the same answer, one of another pair included.
  QueryCache cache;
  cache.axis = test::random_vector(random);
  cache.corner_count = 4;
  for (auto& corner : cache.corners) corner = {static_cast<std::uint32_t>(test::number(random, 0, 20)), 1};
  const QueryResult warm = distance(c.a, c.pose_a, c.b, c.pose_b, &cache);
  ASSERT_NEAR(warm.distance, d.distance, tolerance + slack) << what;
  if (std::abs(d.distance) > 100 * slack + (c.round ? tolerance : 1e-10 * c.size)) {
    ASSERT_EQ(collide(c.a, c.pose_a, c.b, c.pose_b, &cache), touching) << what;
    ASSERT_EQ(penetration(c.a, c.pose_a, c.b, c.pose_b, &cache).distance <= 0, touching) << what;
  }
}

class ConvexPairs : public testing::TestWithParam<int> {};

TEST_P(ConvexPairs, AgreeMirrorAndMove) {
  const Kind& first = kinds()[static_cast<std::size_t>(GetParam())];
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam()) + 100);
  for (const Kind& second : kinds()) {
    for (int i = 0; i < 60; ++i) {
      check_one(draw_case(first, second, random),
                std::string(first.name) + " and " + second.name + ", case " + std::to_string(i), random);
      if (HasFatalFailure()) return;
    }
  }
}

RC_GTEST_PROP(ConvexPairsProperty, AgreeMirrorAndMove, ()) {
  const auto count = static_cast<int>(kinds().size());
  const auto first = static_cast<std::size_t>(*rc::gen::inRange(0, count));
  const auto second = static_cast<std::size_t>(*rc::gen::inRange(0, count));
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  check_one(draw_case(kinds()[first], kinds()[second], random),
            std::string(kinds()[first].name) + " and " + kinds()[second].name, random);
  RC_ASSERT(!testing::Test::HasFatalFailure());
}

INSTANTIATE_TEST_SUITE_P(OfEveryKind, ConvexPairs, testing::Range(0, static_cast<int>(kinds().size())),
                         [](const auto& kind) {
                           std::string name = kinds()[static_cast<std::size_t>(kind.param)].name;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace carom
