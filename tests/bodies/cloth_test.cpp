#include "bodies/cloth.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <random>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "oracle/soup.hpp"

// Cloth without contacts against what is known of sheets.
namespace carom::cloth {
namespace {

constexpr double gravity = 9.81;

/// Cloth that nothing touches.
struct FreeCloth {
  FreeCloth(const TriangleMesh& mesh, const Fabric& fabric, int threads = 1)
      : rest{mesh.positions, mesh.triangles}, model(rest, fabric), x(mesh.positions), workers(threads) {
    mass = masses("cloth", rest, std::span(&fabric, 1));
    for (const double m : mass) inverse_mass.push_back(1 / m);
    v.assign(x.size(), Eigen::Vector3d::Zero());
  }
  template <class Where>
  void pin(const Where& where) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (where(x[i])) inverse_mass[i] = 0;
    }
  }
  /// `drag`: 1/s, of the velocity.
  void step(double h, double g = gravity, double drag = 0) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (inverse_mass[i] == 0) continue;
      v[i].y() -= h * g;
      v[i] /= 1 + h * drag;
    }
    projection.run(workers, model, h, x, inverse_mass, v);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += h * v[i];
  }
  double energy(double g = gravity) const {
    double sum = model.energy(x);
    for (std::size_t i = 0; i < x.size(); ++i) sum += mass[i] * (0.5 * v[i].squaredNorm() + g * x[i].y());
    return sum;
  }
  double lowest() const {
    double low = INFINITY;
    for (const Eigen::Vector3d& p : x) low = std::min(low, p.y());
    return low;
  }

  RestShape rest;
  Model model;
  std::vector<Eigen::Vector3d> x;
  std::vector<Eigen::Vector3d> v;
  std::vector<double> mass;
  std::vector<double> inverse_mass;
  Workers workers;
  Projection projection;
};

/// Strip that hangs from y = 0; its warp runs along y.
TriangleMesh hanging_strip(double length, double width, int along, int across) {
  TriangleMesh mesh = make_sheet(length, width, along, across);
  for (Eigen::Vector3d& p : mesh.positions) p = Eigen::Vector3d(0, p.x() - length / 2, p.z());
  return mesh;
}

std::vector<double> masses_of(const TriangleMesh& mesh, double density) {
  const Fabric fabric{.density = density};
  return masses("flag", {mesh.positions, mesh.triangles}, std::span(&fabric, 1));
}

template <class Make>
std::string error_of(Make&& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Cloth, MassIsDensityTimesArea) {
  const TriangleMesh mesh = make_sheet(2, 1.5, 7, 5);
  const std::vector<double> mass = masses_of(mesh, 0.3);
  EXPECT_NEAR(std::accumulate(mass.begin(), mass.end(), 0.0), 0.3 * 3, 1e-12);
}

TEST(Cloth, EnergyOfStretchAndShearIsThatOfTheContinuum) {
  const TriangleMesh mesh = make_sheet(2, 1, 5, 4);
  const Fabric fabric{.warp_stiffness = 1000, .weft_stiffness = 300, .shear_stiffness = 70, .bend_stiffness = 1e-3};
  const Model model({mesh.positions, mesh.triangles}, fabric);
  const auto energy_of = [&](double xx, double zz, double xz) {
    std::vector<Eigen::Vector3d> x;
    for (const Eigen::Vector3d& p : mesh.positions) x.emplace_back((1 + xx) * p.x() + xz * p.z(), 0, (1 + zz) * p.z());
    return model.energy(x);
  };
  const double area = 2;
  EXPECT_NEAR(energy_of(0, 0, 0), 0, 1e-20);
  EXPECT_NEAR(energy_of(0.01, 0, 0), 0.5 * 1000 * 1e-4 * area, 1e-12);
  EXPECT_NEAR(energy_of(0, -0.02, 0), 0.5 * 300 * 4e-4 * area, 1e-12);
  // The weft is longer by a part of the second order.
  EXPECT_NEAR(energy_of(0, 0, 0.001), 0.5 * 70 * 1e-6 * area, 1e-9);
}

/// Sheet of equilateral triangles in the x-z plane.
TriangleMesh equilateral_sheet(double size, int segments) {
  TriangleMesh mesh;
  const double edge = size / segments;
  const int rows = static_cast<int>(std::lround(segments / std::sqrt(0.75)));
  for (int j = 0; j <= rows; ++j) {
    for (int i = 0; i <= segments; ++i)
      mesh.positions.emplace_back((i + 0.5 * (j % 2)) * edge - size / 2, 0, j * std::sqrt(0.75) * edge - size / 2);
  }
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < segments; ++i) {
      const Index a = j * (segments + 1) + i;
      const Index c = a + segments + 1;
      if (j % 2 == 0) {
        mesh.triangles.push_back({a, c, a + 1});
        mesh.triangles.push_back({a + 1, c, c + 1});
      } else {
        mesh.triangles.push_back({a, c + 1, a + 1});
        mesh.triangles.push_back({a, c, c + 1});
      }
    }
  }
  return mesh;
}

/// Energy of a sheet bent to a cylinder whose axis is at an angle to z, over that of the plate.
double cylinder_ratio(const TriangleMesh& mesh, double degrees) {
  const double radius = 0.4;
  const double stiffness = 3e-3;
  // Stretch and shear hold nothing in this, so that what is left is bending.
  const Model model(
      {mesh.positions, mesh.triangles},
      {.warp_stiffness = 1e-12, .weft_stiffness = 1e-12, .shear_stiffness = 0, .bend_stiffness = stiffness});
  const double angle = degrees * std::numbers::pi / 180;
  const Eigen::Vector2d across(std::cos(angle), std::sin(angle));
  std::vector<Eigen::Vector3d> x;
  for (const Eigen::Vector3d& p : mesh.positions) {
    const Eigen::Vector2d flat(p.x(), p.z());
    const double s = across.dot(flat) / radius;
    const Eigen::Vector2d moved = flat + (radius * std::sin(s) - radius * s) * across;
    x.emplace_back(moved.x(), radius * (1 - std::cos(s)), moved.y());
  }
  const std::vector<double> area = masses_of(mesh, 1);
  const double total = std::accumulate(area.begin(), area.end(), 0.0);
  return model.energy(x) / (0.5 * stiffness / (radius * radius) * total);
}

TEST(Cloth, EnergyOfACylinderIsThatOfThePlate) {
  const auto converges = [](const auto& make, double degrees, double truth) {
    double last_error = INFINITY;
    for (const int segments : {20, 40, 80}) {
      const double error = std::abs(cylinder_ratio(make(segments), degrees) - truth);
      // Edges of the border bend nothing: an error of the first order.
      EXPECT_LT(error, 0.6 * last_error) << degrees << ' ' << segments;
      last_error = error;
    }
    EXPECT_LT(last_error, 0.03) << degrees;
  };
  const auto equilateral = [](int segments) { return equilateral_sheet(0.3, segments); };
  for (const double degrees : {0.0, 20.0, 45.0, 70.0, 90.0}) converges(equilateral, degrees, 1);
  // On squares cut in two that is so about the axes only; in between edges at an angle add up to half of it.
  const auto squares = [](int segments) { return make_sheet(0.3, 0.3, segments, segments); };
  for (const double degrees : {0.0, 90.0}) converges(squares, degrees, 1);
  converges(squares, 45, 1.5);
}

TEST(Cloth, RestOfACurvedMeshHoldsNoEnergyAndTheOtherSideDoes) {
  const TriangleMesh mesh = make_icosphere(0.5, 2);
  const Fabric fabric{.warp_stiffness = 1e-12, .weft_stiffness = 1e-12, .shear_stiffness = 0, .bend_stiffness = 1};
  const Model model({mesh.positions, mesh.triangles}, fabric);
  EXPECT_NEAR(model.energy(mesh.positions), 0, 1e-20);
  // Turned inside out every edge is bent by as much the other side: (2 c)^2 instead of c^2 against flat.
  std::vector<Eigen::Vector3d> mirrored = mesh.positions;
  for (Eigen::Vector3d& p : mirrored) p.x() = -p.x();
  // Mirrored triangles face inward: the bend against the normals has the other sign.
  EXPECT_GT(model.energy(mirrored), 1);
}

TEST(Cloth, HangingStripStretchesAsTheContinuum) {
  const double stiffness = 50;
  const double density = 0.2;
  // Weight over stiffness, summed up from below.
  const double truth = density * gravity / (2 * stiffness);
  for (const int along : {10, 20}) {
    const TriangleMesh mesh = hanging_strip(1, 0.2, along, along / 5);
    FreeCloth cloth(mesh, {.density = density,
                           .warp_stiffness = stiffness,
                           .weft_stiffness = stiffness,
                           .shear_stiffness = stiffness,
                           .bend_stiffness = 1e-6});
    cloth.pin([](const Eigen::Vector3d& p) { return p.y() > -1e-9; });
    const double h = 0.1 * cloth.model.inner_step(cloth.inverse_mass);
    for (double t = 0; t < 2; t += h) cloth.step(h, gravity, 12);
    EXPECT_NEAR(-cloth.lowest() - 1, truth, 0.02 * truth) << along;
  }
}

TEST(Cloth, SwingsWithThePeriodOfAHangingChain) {
  const double length = 1;
  const TriangleMesh mesh = hanging_strip(length, 0.1, 40, 4);
  const double density = 0.2;
  const double stiffness = 400;
  FreeCloth cloth(mesh,
                  {.density = density, .warp_stiffness = stiffness, .weft_stiffness = stiffness, .bend_stiffness = 0});
  cloth.pin([](const Eigen::Vector3d& p) { return p.y() > -1e-9; });
  // First mode: J0 of 2.40483 times the root of the height above the lower end.
  const double zero = 2.404825557695773;
  std::vector<double> shape;
  for (Eigen::Vector3d& p : cloth.x) {
    shape.push_back(std::cyl_bessel_j(0.0, zero * std::sqrt(std::max(0.0, 1 + p.y() / length))));
    p.x() = 0.02 * shape.back();
    // Stretched by its weight, as it hangs.
    p.y() -= density * gravity / stiffness * (-length * p.y() - 0.5 * p.y() * p.y());
  }
  const double truth = 2 * std::numbers::pi / (0.5 * zero * std::sqrt(gravity / length));
  const double h = 1.0 / 2400;
  // Modes of the chain are orthogonal: this sees the first only.
  const auto amplitude = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < cloth.x.size(); ++i) sum += cloth.mass[i] * shape[i] * cloth.x[i].x();
    return sum;
  };
  std::vector<double> crossings;
  double last = amplitude();
  const double begin = last;
  double back = 0;
  for (int k = 1; crossings.size() < 4 && k * h < 4; ++k) {
    cloth.step(h);
    const double x = amplitude();
    if (last * x < 0) crossings.push_back((k - x / (x - last)) * h);
    if (k * h > 0.75 * truth && k * h < 1.25 * truth) back = std::max(back, x);
    last = x;
  }
  ASSERT_EQ(crossings.size(), 4U);
  EXPECT_NEAR(crossings[3] - crossings[1], truth, 0.01 * truth);
  EXPECT_GT(back, 0.97 * begin);  // undamped
}

/// Sheet with random velocities, stretched and bent, of a shape at rest that is not flat.
void disturb(FreeCloth& cloth, double size) {
  std::mt19937_64 random(3);
  const auto number = [&] { return size * (2 * oracle::uniform(random) - 1); };
  for (std::size_t i = 0; i < cloth.x.size(); ++i) {
    cloth.x[i] += 0.01 * Eigen::Vector3d(number(), number(), number());
    cloth.v[i] += Eigen::Vector3d(number() + 0.5, number(), number());
  }
}

TEST(Cloth, MomentumOfFreeClothIsKept) {
  for (const bool damped : {false, true}) {
    Fabric fabric{.density = 0.2, .bend_stiffness = 1e-4};
    if (damped) fabric.warp_damping = fabric.weft_damping = fabric.shear_damping = 1, fabric.bend_damping = 1e-6;
    const TriangleMesh mesh = make_torus(0.5, 0.2, 24, 12);
    FreeCloth cloth(mesh, fabric);
    disturb(cloth, 1);
    const auto momentum = [&] {
      Eigen::Vector3d sum(0, 0, 0);
      for (std::size_t i = 0; i < cloth.x.size(); ++i) sum += cloth.mass[i] * cloth.v[i];
      return sum;
    };
    const auto scale = [&] {
      double sum = 0;
      for (std::size_t i = 0; i < cloth.x.size(); ++i) sum += cloth.mass[i] * cloth.v[i].norm();
      return sum;
    };
    const auto angular = [&] {
      Eigen::Vector3d sum(0, 0, 0);
      for (std::size_t i = 0; i < cloth.x.size(); ++i) sum += cloth.mass[i] * cloth.x[i].cross(cloth.v[i]);
      return sum;
    };
    const Eigen::Vector3d before = momentum();
    const Eigen::Vector3d turning = angular();
    const double size = scale();
    for (int k = 0; k < 2000; ++k) cloth.step(1.0 / 2400, 0);
    EXPECT_LT((momentum() - before).norm(), 1e-9 * size);
    EXPECT_LT((angular() - turning).norm(), 0.02 * size) << "of the order of the inner step";
    // It did something.
    EXPECT_LT(scale(), 0.999 * size);
  }
}

/// From one start momentum is taken out after every fourth inner step: all that rounding has added since.
TEST(Cloth, MomentumOfFreeClothIsKeptOverFourInnerSteps) {
  const TriangleMesh mesh = make_torus(0.5, 0.2, 24, 12);
  FreeCloth cloth(mesh, {.density = 0.2, .bend_stiffness = 1e-4});
  disturb(cloth, 1);
  const auto momentum = [&] {
    Eigen::Vector3d sum(0, 0, 0);
    for (std::size_t i = 0; i < cloth.x.size(); ++i) sum += cloth.mass[i] * cloth.v[i];
    return sum;
  };
  double size = 0;
  for (std::size_t i = 0; i < cloth.x.size(); ++i) size += cloth.mass[i] * cloth.v[i].norm();
  const Eigen::Vector3d before = momentum();
  const double h = 1.0 / 2400;
  for (int step = 0; step < 100; ++step) {
    std::vector<Eigen::Vector3d> displacements(cloth.x.size(), Eigen::Vector3d::Zero());
    cloth.projection.begin(cloth.model.bend_step(cloth.inverse_mass));
    for (int k = 0; k < 8; ++k) {
      cloth.projection.run(cloth.workers, cloth.model, {}, h, cloth.x, displacements, cloth.inverse_mass, cloth.v);
      for (std::size_t i = 0; i < cloth.x.size(); ++i) displacements[i] += h * cloth.v[i];
    }
    for (std::size_t i = 0; i < cloth.x.size(); ++i) cloth.x[i] += displacements[i];
    ASSERT_LT((momentum() - before).norm(), 1e-11 * size) << step;
  }
}

TEST(Cloth, EnergyNeverGrows) {
  for (const double bend : {0.0, 1e-4}) {
    const TriangleMesh mesh = make_sheet(1, 1, 16, 16);
    FreeCloth cloth(
        mesh,
        {.density = 0.2, .warp_stiffness = 100, .weft_stiffness = 100, .shear_stiffness = 30, .bend_stiffness = bend});
    cloth.pin([](const Eigen::Vector3d& p) { return p.x() < -0.499; });
    const double h = 1.0 / 4800;
    const double scale = 0.2 * gravity;  // falls by a metre
    double last = cloth.energy();
    for (int step = 0; step < 60; ++step) {
      for (int k = 0; k < 80; ++k) cloth.step(h);
      const double now = cloth.energy();
      EXPECT_LT(now, last + 1e-5 * scale) << step;
      last = std::min(last, now);
    }
    EXPECT_GT(cloth.energy(), -0.6 * scale);
  }
}

TEST(Cloth, ShapeDoesNotDependOnTheNumberOfInnerSteps) {
  const TriangleMesh mesh = make_sheet(1, 1, 16, 16);
  const auto lowest_after = [&](int inner_steps, double dt) {
    FreeCloth cloth(mesh, {.density = 0.15});
    cloth.pin([](const Eigen::Vector3d& p) { return std::abs(std::abs(p.x()) - 0.5) < 1e-9 && p.z() < -0.499; });
    for (int k = 0; k < static_cast<int>(std::lround(0.3 / dt)) * inner_steps; ++k) cloth.step(dt / inner_steps);
    double middle = 0;
    for (std::size_t i = 0; i < cloth.x.size(); ++i) middle += cloth.mass[i] / 0.15 * cloth.x[i].y();
    return middle;
  };
  const double fine = lowest_after(160, 1.0 / 60);
  EXPECT_LT(fine, -0.1);
  EXPECT_NEAR(lowest_after(40, 1.0 / 60), fine, 0.02 * std::abs(fine));
  EXPECT_NEAR(lowest_after(80, 1.0 / 60), fine, 0.01 * std::abs(fine));
  EXPECT_NEAR(lowest_after(80, 1.0 / 30), fine, 0.02 * std::abs(fine));
}

TEST(Cloth, StrainLimitHolds) {
  const TriangleMesh mesh = hanging_strip(1, 0.2, 10, 2);
  const auto stretch = [&](double limit) {
    FreeCloth cloth(mesh, {.density = 0.5, .warp_stiffness = 5, .weft_stiffness = 5, .strain_limit = limit});
    cloth.pin([](const Eigen::Vector3d& p) { return p.y() > -1e-9; });
    const double h = 1.0 / 4800;
    for (double t = 0; t < 1; t += h) cloth.step(h, gravity, 10);
    const std::vector<double> strains = cloth.model.strains(cloth.x);
    return *std::max_element(strains.begin(), strains.end());
  };
  EXPECT_GT(stretch(0), 0.5);
  EXPECT_LT(stretch(0.05), 0.055);
}

TEST(Cloth, SameBitsForAnyNumberOfThreads) {
  const TriangleMesh mesh = make_sheet(1, 1, 80, 80);
  const auto run = [&](int threads) {
    FreeCloth cloth(mesh, {.warp_damping = 0.1, .bend_damping = 1e-8}, threads);
    disturb(cloth, 0.1);
    for (int k = 0; k < 40; ++k) cloth.step(1.0 / 1200);
    return cloth.x;
  };
  const std::vector<Eigen::Vector3d> one = run(1);
  for (const int threads : {2, 4}) {
    const std::vector<Eigen::Vector3d> many = run(threads);
    for (std::size_t i = 0; i < one.size(); ++i) {
      for (int k = 0; k < 3; ++k)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(one[i][k]), std::bit_cast<std::uint64_t>(many[i][k]))
            << threads << ' ' << i;
    }
  }
}

TEST(Cloth, TakesMeshesThatAreNotManifold) {
  // Three sheets at one edge, a triangle without an area, a fan of 500 triangles.
  TriangleMesh mesh;
  mesh.positions = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, 0, 2}};
  mesh.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {0, 1, 5}, {1, 5, 2}};
  const auto center = static_cast<Index>(mesh.positions.size());
  mesh.positions.emplace_back(5, 0, 0);
  const int fan = 500;
  for (int k = 0; k < fan; ++k) {
    const double a = 2 * std::numbers::pi * k / fan;
    mesh.positions.emplace_back(5 + std::cos(a), 0.1, std::sin(a));
    mesh.triangles.push_back({center, center + 1 + k, center + 1 + (k + 1) % fan});
  }
  FreeCloth cloth(mesh, {});
  EXPECT_EQ(cloth.model.triangle_count(), mesh.triangles.size() - 1);
  EXPECT_EQ(cloth.model.hinge_count(), 2U + 1U + static_cast<std::size_t>(fan));
  EXPECT_GE(cloth.model.color_count(), static_cast<std::size_t>(2 * fan));
  disturb(cloth, 0.1);
  for (int k = 0; k < 200; ++k) cloth.step(1.0 / 2400);
  for (const Eigen::Vector3d& p : cloth.x) ASSERT_TRUE(p.allFinite());
  EXPECT_LT(cloth.model.energy(cloth.x), 100);
}

TEST(Cloth, ErrorsNameBodyAndField) {
  EXPECT_EQ(error_of([] { check("flag", Fabric{.density = 0}); }),
            "body 'flag': density is 0; expected a positive number");
  EXPECT_EQ(error_of([] { check("flag", Fabric{.bend_stiffness = -1}); }),
            "body 'flag': bend_stiffness is -1; expected a number that is not negative");
  EXPECT_EQ(error_of([] { check("flag", Fabric{.density = -1}, "regions[2]."); }),
            "body 'flag': regions[2].density is -1; expected a positive number");
  TriangleMesh mesh = make_sheet(1, 1, 2, 2);
  mesh.positions.emplace_back(5, 0, 0);
  EXPECT_EQ(masses_of(mesh, 1).back(), 0) << "in no triangle";
  mesh.triangles.push_back({0, 1, 9});
  mesh.positions[9] = 2 * mesh.positions[1] - mesh.positions[0];
  EXPECT_EQ(error_of([&] { masses_of(mesh, 1); }),
            "body 'flag': vertex 9 is in no triangle with an area, so its mass would be zero; triangle 8 has none");
}

}  // namespace
}  // namespace carom::cloth
