#include <array>
#include <limits>

#include "geometry/closest_check.hpp"

namespace carom {
namespace {

using namespace closest_check;

struct Case {
  Vector3d a0, a1, b0, b1;
};

double check(const Case& x) {
  return check_edge_edge(x.a0, x.a1, x.b0, x.b1);
}

double distance(const Case& x) {
  return closest_edge_edge(x.a0, x.a1, x.b0, x.b1).distance;
}

/// Two edges that pass each other at an angle, the closest points somewhere on both.
Case passing(Random& random, double angle, double apart) {
  Case x;
  x.a0 = random.vector();
  x.a1 = random.vector();
  const Vector3d along = x.a1 - x.a0;
  const Vector3d other = random.magnitude(0.05, 20) * (along + angle * random.vector());
  const Vector3d meeting = x.a0 + random.in(0, 1) * along + apart * random.vector();
  const double u = random.in(0, 1);
  x.b0 = meeting - u * other;
  x.b1 = meeting + (1 - u) * other;
  return x;
}

// The closest pair of two segments that are not parallel is known by its conditions: with r from the point on a to
// the point on b, r is perpendicular to an edge at an inner point of it, and points away from it
// at an end. So take the pair and r, and build the edges around them.
TEST(ClosestEdgeEdge, KnowsTheNineRegions) {
  Random random(1);
  Worst worst("nine regions");
  for (int i = 0; i < 1000; ++i) {
    const Vector3d da = random.vector();
    const Vector3d db = random.vector();
    const Vector3d n = da.cross(db);
    if (n.norm() < 0.1 * da.norm() * db.norm()) continue;
    for (int on_a = 0; on_a < 3; ++on_a)
      for (int on_b = 0; on_b < 3; ++on_b) {
        const double s = on_a == 0 ? 0 : on_a == 1 ? 1 : random.in(0.1, 0.9);
        const double t = on_b == 0 ? 0 : on_b == 1 ? 1 : random.in(0.1, 0.9);
        const double r_da = on_a == 0 ? -random.in(0.1, 1) : on_a == 1 ? random.in(0.1, 1) : 0;
        const double r_db = on_b == 0 ? random.in(0.1, 1) : on_b == 1 ? -random.in(0.1, 1) : 0;
        const double scale = 1 / n.squaredNorm();
        const Vector3d r = scale * (r_da * db.cross(n) + r_db * n.cross(da)) + random.in(-1, 1) * n;
        const Vector3d point_a = random.vector();
        const Vector3d point_b = point_a + r;
        const Case x = {point_a - s * da, point_a + (1 - s) * da, point_b - t * db, point_b + (1 - t) * db};
        worst.add(check(x));
        const EdgeEdgeClosest result = closest_edge_edge(x.a0, x.a1, x.b0, x.b1);
        // Ends are exact; inner points are as exact as the construction.
        EXPECT_NEAR(result.s, s, on_a == 2 ? 1e-9 : 0) << on_a << on_b;
        EXPECT_NEAR(result.t, t, on_b == 2 ? 1e-9 : 0) << on_a << on_b;
      }
    if (HasFailure()) return;
  }
}

TEST(ClosestEdgeEdge, IsRightForRandomOnes) {
  Random random(2);
  Worst worst("random");
  for (int i = 0; i < 20'000 && !HasFailure(); ++i)
    worst.add(check({random.vector(), random.vector(), random.vector(), random.vector()}));
}

// A small lattice hits every degenerate case many times: parallel, collinear and overlapping or not, zero
// length, touching, crossing, exact ties.
TEST(ClosestEdgeEdge, IsRightOnASmallLattice) {
  Random random(3);
  Worst worst("lattice");
  for (int i = 0; i < 60'000 && !HasFailure(); ++i) {
    const int n = 1 + i % 3;
    worst.add(check({random.lattice(n), random.lattice(n), random.lattice(n), random.lattice(n)}));
  }
}

TEST(ClosestEdgeEdge, IsRightForNearlyParallelEdges) {
  Random random(4);
  Worst worst("nearly parallel");
  for (const double angle : {1e-3, 1e-5, 1e-7, 1e-8, 1e-9, 1e-11, 1e-13, 1e-15, 1e-17})
    for (const double apart : {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1.0})
      for (int i = 0; i < 250 && !HasFailure(); ++i) worst.add(check(passing(random, angle, apart)));
}

// Where the inner pair and the end points are about equally wrong: the distance is (phi L)^2 / (eps L).
TEST(ClosestEdgeEdge, IsRightForTheWorstAngles) {
  Random random(5);
  Worst worst("worst angles");
  for (int i = 0; i < 20'000 && !HasFailure(); ++i) {
    const double angle = random.magnitude(1e-16, 1e-7);
    worst.add(check(passing(random, angle, std::min(1.0, angle * angle * random.magnitude(1e14, 1e18)))));
  }
}

TEST(ClosestEdgeEdge, TreatsEdgesOfZeroLengthAsPoints) {
  Random random(6);
  Worst worst("zero length");
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    const Vector3d a = random.vector();
    const Vector3d b0 = random.vector();
    const Vector3d b1 = random.vector();
    worst.add(check({a, a, b0, b1}));
    worst.add(check({b0, b1, a, a}));
    worst.add(check({a, a, b0, b0}));
    EXPECT_EQ(distance({a, a, a, a}), 0);
    EXPECT_EQ(distance({a, a, a, b0}), 0);
  }
}

TEST(ClosestEdgeEdge, GivesOneOfTheClosestPairsOfParallelEdges) {
  Random random(7);
  Worst worst("parallel");
  for (int i = 0; i < 5000 && !HasFailure(); ++i) {
    const Vector3d origin = random.lattice(1000);
    const Vector3d step = random.lattice(20);
    const Vector3d offset = i % 2 == 0 ? Vector3d(Vector3d::Zero()) : random.lattice(50);
    const auto at = [&] { return Vector3d(origin + random.integer(-9, 9) * step); };
    worst.add(check({at(), at(), at() + offset, at() + offset}));
  }
}

TEST(ClosestEdgeEdge, IsExactlyZeroAtACommonEnd) {
  Random random(8);
  for (int i = 0; i < 1000; ++i) {
    const Vector3d common = random.vector();
    const EdgeEdgeClosest result = closest_edge_edge(random.vector(), common, common, random.vector());
    EXPECT_EQ(result.distance, 0);
    EXPECT_EQ(result.point_a, common);
    EXPECT_EQ(result.point_b, common);
  }
}

TEST(ClosestEdgeEdge, KeepsItsDigitsFarFromTheOrigin) {
  Random random(9);
  Worst worst("far from the origin");
  for (int i = 0; i < 5000 && !HasFailure(); ++i) {
    const Vector3d far = 1e6 * random.vector();
    const Case x = passing(random, i % 2 == 0 ? 1 : 1e-6, random.magnitude(1e-9, 1));
    worst.add(check({far + x.a0, far + x.a1, far + x.b0, far + x.b1}));
  }
}

TEST(ClosestEdgeEdge, WorksAtEveryScale) {
  Random random(10);
  Worst worst("scales");
  for (const double scale : {1e-300, 1e-200, 1e-150, 1e-100, 1e-61, 1e-59, 1e69, 1e71, 1e100, 1e150, 1e200, 1e290})
    for (int i = 0; i < 300 && !HasFailure(); ++i) {
      const Case x = passing(random, i % 3 == 0 ? 1e-10 : 1, random.magnitude(1e-12, 1));
      worst.add(check({scale * x.a0, scale * x.a1, scale * x.b0, scale * x.b1}));
    }
}

TEST(ClosestEdgeEdge, MixesScales) {
  Random random(11);
  Worst worst("mixed scales");
  for (int i = 0; i < 5000 && !HasFailure(); ++i) {
    const double tiny = random.magnitude(1e-250, 1e-1);
    const double whole = random.magnitude(1e-50, 1e50);
    const Vector3d a0 = whole * random.vector();
    const Vector3d a1 = a0 + whole * tiny * random.vector();
    const Vector3d b0 = i % 2 == 0 ? Vector3d(a0 + whole * tiny * random.vector()) : Vector3d(whole * random.vector());
    const Vector3d b1 = i % 3 == 0 ? Vector3d(b0 + whole * tiny * random.vector()) : Vector3d(whole * random.vector());
    worst.add(check({a0, a1, b0, b1}));
  }
}

TEST(ClosestEdgeEdge, HasOneDistanceForEveryOrderOfItsArguments) {
  Random random(12);
  for (int i = 0; i < 30'000; ++i) {
    Case x = i % 4 == 0   ? passing(random, random.magnitude(1e-17, 1), random.magnitude(1e-17, 1))
             : i % 4 == 1 ? Case{random.lattice(2), random.lattice(2), random.lattice(2), random.lattice(2)}
                          : Case{random.vector(), random.vector(), random.vector(), random.vector()};
    const double scale = i % 8 < 4 ? 1 : random.magnitude(1e-250, 1e250);
    x = {scale * x.a0, scale * x.a1, scale * x.b0, scale * x.b1};
    const double d = distance(x);
    ASSERT_EQ(distance({x.a1, x.a0, x.b0, x.b1}), d) << "case " << i;
    ASSERT_EQ(distance({x.a0, x.a1, x.b1, x.b0}), d) << "case " << i;
    ASSERT_EQ(distance({x.a1, x.a0, x.b1, x.b0}), d) << "case " << i;
    ASSERT_EQ(distance({x.b0, x.b1, x.a0, x.a1}), d) << "case " << i;
    ASSERT_EQ(distance({x.b1, x.b0, x.a0, x.a1}), d) << "case " << i;
    ASSERT_EQ(distance({x.b0, x.b1, x.a1, x.a0}), d) << "case " << i;
    ASSERT_EQ(distance({x.b1, x.b0, x.a1, x.a0}), d) << "case " << i;
  }
}

TEST(ClosestEdgeEdge, SurvivesBothEndsOfTheRange) {
  const double huge = std::numeric_limits<double>::max();
  const double tiny = std::numeric_limits<double>::denorm_min();
  Random random(13);
  for (int i = 0; i < 20'000; ++i) {
    const auto extreme = [&] {
      const double values[] = {0, tiny, -tiny, 1e-310, 1, huge, -huge, huge / 2, -huge / 2, 1e154, -1e-154};
      const auto pick = [&] { return values[random.integer(0, 10)]; };
      return Vector3d(pick(), pick(), pick());
    };
    const Case x = {extreme(), extreme(), extreme(), extreme()};
    const EdgeEdgeClosest result = closest_edge_edge(x.a0, x.a1, x.b0, x.b1);
    ASSERT_TRUE(result.s >= 0 && result.s <= 1 && result.t >= 0 && result.t <= 1);
    ASSERT_TRUE(result.point_a.allFinite() && result.point_b.allFinite());
    ASSERT_FALSE(std::isnan(result.distance));
    if (i % 20 != 0) continue;  // two thousand digits take their time
    const mpq_class truth = oracle::segment_segment_squared(oracle::exact(x.a0), oracle::exact(x.a1),
                                                            oracle::exact(x.b0), oracle::exact(x.b1));
    if (std::isinf(result.distance)) {  // says: more than a double can hold
      ASSERT_TRUE(truth >= mpq_class(huge * (1 - bound)) * mpq_class(huge * (1 - bound)));
      continue;
    }
    const double size = std::min(huge / 4, largest_coordinate({x.a0, x.a1, x.b0, x.b1})) * 4;
    // Below the normal numbers the unit of rounding is the smallest number itself.
    ASSERT_LE(std::abs(oracle::error_of(result.distance, truth)), std::max(bound * size, 4 * tiny));
  }
}

}  // namespace
}  // namespace carom
