#include <array>
#include <limits>

#include "geometry/closest_check.hpp"

namespace carom {
namespace {

using namespace closest_check;

struct Case {
  Vector3d p, a, b, c;
};

double check(const Case& x) {
  return check_vertex_triangle(x.p, x.a, x.b, x.c);
}

/// Every coordinate times a power of two, which is exact: the answer must scale with it.
Case scaled(const Case& x, int exponent) {
  const auto scale = [&](const Vector3d& v) -> Vector3d {
    return v.unaryExpr([&](double t) { return std::ldexp(t, exponent); });
  };
  return {scale(x.p), scale(x.a), scale(x.b), scale(x.c)};
}

/// A sliver with its thin height, and a vertex over a point of it.
Case sliver(Random& random, bool cap, double aspect, double distance) {
  Case x;
  x.a = random.vector();
  x.c = random.vector();
  x.b = x.a + (cap ? random.in(0, 1) : 0) * (x.c - x.a) + aspect * random.vector();
  const double u = random.in(0, 1);
  const double v = random.in(0, 1 - u);
  x.p = x.a + u * (x.b - x.a) + v * (x.c - x.a) + distance * random.vector();
  // Each corner in each place.
  if (random.integer(0, 1) == 0) std::swap(x.a, x.b);
  if (random.integer(0, 2) == 0) std::swap(x.a, x.c);
  if (random.integer(0, 1) == 0) std::swap(x.b, x.c);
  return x;
}

TEST(ClosestVertexTriangle, KnowsTheSevenRegions) {
  Random random(1);
  Worst worst("seven regions");
  for (int i = 0; i < 2000; ++i) {
    // A right-angled triangle in a random frame: its regions are those of the plane, known by construction.
    const Eigen::Quaterniond turn =
        Eigen::Quaterniond(random.in(-1, 1), random.in(-1, 1), random.in(-1, 1), 1).normalized();
    const Vector3d origin = random.vector();
    const auto place = [&](double x, double y, double z) -> Vector3d { return origin + turn * Vector3d(x, y, z); };
    const Vector3d a = place(0, 0, 0);
    const Vector3d b = place(1, 0, 0);
    const Vector3d c = place(0, 1, 0);
    const double h = random.in(-1, 1);
    const double k = random.in(0.05, 0.9);
    const double out = random.in(0.05, 1);
    struct Region {
      Vector3d p;
      std::array<bool, 3> used;  // corners with a weight above zero
    };
    const Region regions[7] = {
        {place(-out, -k, h), {true, false, false}},
        {place(1 + out, random.in(-1, 0.9) * out, h), {false, true, false}},
        {place(random.in(-1, 0.9) * out, 1 + out, h), {false, false, true}},
        {place(k, -out, h), {true, true, false}},
        {place(1 - k + out, k + out, h), {false, true, true}},
        {place(-out, k, h), {true, false, true}},
        {place(0.9 * k, 0.9 * (1 - k), h), {true, true, true}},
    };
    for (const Region& region : regions) {
      worst.add(check_vertex_triangle(region.p, a, b, c));
      const Vector3d w = closest_vertex_triangle(region.p, a, b, c).weights;
      for (std::size_t corner = 0; corner < 3; ++corner)
        EXPECT_EQ(w[static_cast<Eigen::Index>(corner)] > 0, region.used[corner])
            << "region " << &region - regions << ", weights " << w.transpose();
    }
    if (HasFailure()) return;
  }
}

TEST(ClosestVertexTriangle, IsRightForRandomOnes) {
  Random random(2);
  Worst worst("random");
  for (int i = 0; i < 20'000 && !HasFailure(); ++i)
    worst.add(check({random.vector(), random.vector(), random.vector(), random.vector()}));
}

// A small lattice hits every degenerate case many times: zero area, one point, touching, exact ties.
TEST(ClosestVertexTriangle, IsRightOnASmallLattice) {
  Random random(3);
  Worst worst("lattice");
  for (int i = 0; i < 60'000 && !HasFailure(); ++i) {
    const int n = 1 + i % 3;
    worst.add(check({random.lattice(n), random.lattice(n), random.lattice(n), random.lattice(n)}));
  }
}

TEST(ClosestVertexTriangle, IsRightForSlivers) {
  Random random(4);
  Worst worst("slivers");
  for (const double aspect : {1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1e-18})
    for (const double distance : {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1.0})
      for (const bool cap : {false, true})
        for (int i = 0; i < 250 && !HasFailure(); ++i) worst.add(check(sliver(random, cap, aspect, distance)));
}

// Where the face point and the edge point are about equally wrong: the distance is h^2 / (eps L).
TEST(ClosestVertexTriangle, IsRightForTheWorstSlivers) {
  Random random(5);
  Worst worst("worst slivers");
  for (int i = 0; i < 20'000 && !HasFailure(); ++i) {
    const double aspect = random.magnitude(1e-16, 1e-7);
    const double distance = std::min(1.0, aspect * aspect * random.magnitude(1e14, 1e18));
    worst.add(check(sliver(random, i % 2 == 0, aspect, distance)));
  }
}

TEST(ClosestVertexTriangle, TreatsATriangleOfZeroAreaAsASegmentOrAPoint) {
  Random random(6);
  Worst worst("zero area");
  for (int i = 0; i < 3000 && !HasFailure(); ++i) {
    const Vector3d a = random.lattice(100);
    const Vector3d step = random.lattice(100);
    const Vector3d b = a + random.integer(-3, 3) * step;
    const Vector3d c = a + random.integer(-3, 3) * step;
    worst.add(check({100 * random.vector(), a, b, c}));
    worst.add(check({100 * random.vector(), a, a, a}));
    worst.add(check({a, a, b, c}));
  }
}

TEST(ClosestVertexTriangle, IsExactlyZeroAtACorner) {
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    const std::array<Vector3d, 3> t = {random.vector(), random.vector(), random.vector()};
    for (std::size_t k = 0; k < 3; ++k) {
      const VertexTriangleClosest result = closest_vertex_triangle(t[k], t[0], t[1], t[2]);
      EXPECT_EQ(result.distance, 0);
      EXPECT_EQ(result.point, t[k]);
    }
  }
}

TEST(ClosestVertexTriangle, IsWithinRoundingOfZeroOnTheFace) {
  Random random(8);
  Worst worst("touching");
  for (int i = 0; i < 5000 && !HasFailure(); ++i) {
    const double u = random.in(0, 1);
    const double v = random.in(0, 1 - u);
    const Vector3d a = random.vector();
    const Vector3d b = random.vector();
    const Vector3d c = random.vector();
    worst.add(check({(1 - u - v) * a + u * b + v * c, a, b, c}));
  }
}

// The coordinates carry an error of 1e-10 here, but they are what was given: the distance is that of the
// points as given, to the rounding of their size and not of their place.
TEST(ClosestVertexTriangle, KeepsItsDigitsFarFromTheOrigin) {
  Random random(9);
  Worst worst("far from the origin");
  for (int i = 0; i < 5000 && !HasFailure(); ++i) {
    const Vector3d far = 1e6 * random.vector();
    worst.add(check({far + random.vector(), far + random.vector(), far + random.vector(), far + random.vector()}));
  }
}

TEST(ClosestVertexTriangle, WorksAtEveryScale) {
  Random random(10);
  Worst worst("scales");
  for (const double scale : {1e-300, 1e-200, 1e-150, 1e-100, 1e-61, 1e-59, 1e69, 1e71, 1e100, 1e150, 1e200, 1e290})
    for (int i = 0; i < 300 && !HasFailure(); ++i) {
      Case x = i % 3 == 0 ? sliver(random, i % 2 == 0, 1e-10, 1e-10)
                          : Case{random.vector(), random.vector(), random.vector(), random.vector()};
      x = {scale * x.p, scale * x.a, scale * x.b, scale * x.c};
      worst.add(check(x));
    }
}

TEST(ClosestVertexTriangle, MixesScales) {
  Random random(11);
  Worst worst("mixed scales");
  for (int i = 0; i < 5000 && !HasFailure(); ++i) {
    const double tiny = random.magnitude(1e-250, 1e-1);
    const double whole = random.magnitude(1e-50, 1e50);
    const Vector3d a = whole * random.vector();
    const Vector3d b = a + whole * tiny * random.vector();
    const Vector3d c = i % 2 == 0 ? Vector3d(a + whole * tiny * random.vector()) : Vector3d(whole * random.vector());
    const Vector3d p = i % 3 == 0 ? Vector3d(a + whole * tiny * random.vector()) : Vector3d(whole * random.vector());
    worst.add(check({p, a, b, c}));
  }
}

TEST(ClosestVertexTriangle, ScalesWithItsInputToTheLastBit) {
  Random random(12);
  for (int i = 0; i < 1000; ++i) {
    const Case x = {random.vector(), random.vector(), random.vector(), random.vector()};
    const VertexTriangleClosest here = closest_vertex_triangle(x.p, x.a, x.b, x.c);
    for (const int exponent : {-900, -300, -10, 10, 300, 900}) {
      const Case y = scaled(x, exponent);
      const VertexTriangleClosest there = closest_vertex_triangle(y.p, y.a, y.b, y.c);
      EXPECT_EQ(there.weights, here.weights);
      EXPECT_EQ(there.distance, std::ldexp(here.distance, exponent));
    }
  }
}

TEST(ClosestVertexTriangle, SurvivesBothEndsOfTheRange) {
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
    const VertexTriangleClosest result = closest_vertex_triangle(x.p, x.a, x.b, x.c);
    ASSERT_TRUE(result.weights.minCoeff() >= 0 && result.weights.maxCoeff() <= 1) << result.weights.transpose();
    ASSERT_NEAR(result.weights.sum(), 1, 2 * epsilon);
    ASSERT_TRUE(result.point.allFinite());
    ASSERT_FALSE(std::isnan(result.distance));
    if (i % 20 != 0) continue;  // two thousand digits take their time
    const mpq_class truth =
        oracle::point_triangle_squared(oracle::exact(x.p), oracle::exact(x.a), oracle::exact(x.b), oracle::exact(x.c));
    if (std::isinf(result.distance)) {  // says: more than a double can hold
      ASSERT_TRUE(truth >= mpq_class(huge * (1 - bound)) * mpq_class(huge * (1 - bound)));
      continue;
    }
    const double size = std::min(huge / 4, largest_coordinate({x.p, x.a, x.b, x.c})) * 4;
    // Below the normal numbers the unit of rounding is the smallest number itself.
    ASSERT_LE(std::abs(oracle::error_of(result.distance, truth)), std::max(bound * size, 4 * tiny));
  }
}

}  // namespace
}  // namespace carom
