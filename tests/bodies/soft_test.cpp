#include "bodies/soft.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "oracle/soup.hpp"

// Soft bodies without contacts against what is known of elastic solids.
namespace carom::solid {
namespace {

using Eigen::Vector3d;

/// Soft body that nothing touches.
struct FreeBody {
  FreeBody(const Elements& elements, const Elasticity& elasticity, std::vector<FixedRegion> fixed = {}, int threads = 1,
           std::vector<SoftRegion> regions = {})
      : model(elements, elasticity, regions, inverse_masses(elements, elasticity.density, fixed)),
        x(elements.nodes),
        v(x.size(), Vector3d::Zero()),
        none(x.size(), Vector3d::Zero()),
        workers(threads) {}
  /// As in a world: drag comes before the elements, loads after them. `drag`: 1/s, of the velocity; `forces`: N.
  void step(double h, const Vector3d& gravity = Vector3d::Zero(), double drag = 0,
            std::span<const Vector3d> forces = {}) {
    projection.damp(workers, model, h, x, none, v);
    for (Vector3d& each : v) each /= 1 + h * drag;
    projection.run(workers, model, h, x, none, v);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (model.inverse_mass()[i] == 0) continue;
      v[i] += h * gravity;
      if (!forces.empty()) v[i] += h * model.inverse_mass()[i] * forces[i];
    }
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += h * v[i];
  }
  double mass(std::size_t i) const { return model.inverse_mass()[i] > 0 ? 1 / model.inverse_mass()[i] : 0; }
  double energy(const Vector3d& gravity = Vector3d::Zero()) const {
    double sum = model.energy(x);
    for (std::size_t i = 0; i < x.size(); ++i) sum += mass(i) * (0.5 * v[i].squaredNorm() - gravity.dot(x[i]));
    return sum;
  }
  Vector3d momentum() const {
    Vector3d sum = Vector3d::Zero();
    for (std::size_t i = 0; i < x.size(); ++i) sum += mass(i) * v[i];
    return sum;
  }
  Vector3d angular_momentum() const {
    Vector3d sum = Vector3d::Zero();
    for (std::size_t i = 0; i < x.size(); ++i) sum += mass(i) * x[i].cross(v[i]);
    return sum;
  }

  Model model;
  std::vector<Vector3d> x;
  std::vector<Vector3d> v;
  std::vector<Vector3d> none;
  Workers workers;
  Projection projection;
};

Elements voxels(const TriangleMesh& mesh, double size) {
  return elements_of(mesh::make_voxels("body", mesh, {.size = size}));
}

/// Each voxel as six tetrahedra along its diagonal (Kuhn).
Elements kuhn(const Elements& lattice) {
  TetrahedralMesh mesh;
  mesh.positions = lattice.nodes;
  for (const auto& c : lattice.voxels) {
    for (const auto& [a, b] : {std::array{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}})
      mesh.tetrahedra.push_back({c[0], c[static_cast<std::size_t>(a)], c[static_cast<std::size_t>(b)], c[7]});
  }
  EXPECT_EQ(orient("box", mesh), 0U);
  return elements_of(mesh);
}

/// Squares of the frequencies of a body at rest, the largest: of the second derivatives of its energy, by differences,
/// over the masses of its nodes.
double largest_frequency(const Model& model, const std::vector<Vector3d>& nodes, double e) {
  const std::size_t count = 3 * nodes.size();
  std::vector<Vector3d> x = nodes;
  const auto coordinate = [&](std::size_t i) -> double& { return x[i / 3][static_cast<Eigen::Index>(i % 3)]; };
  const auto energy = [&](std::size_t i, double by_i, std::size_t j, double by_j) {
    coordinate(i) += by_i;
    coordinate(j) += by_j;
    const double found = model.energy(x);
    x = nodes;
    return found;
  };
  Eigen::MatrixXd matrix(count, count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double second =
          (energy(i, e, j, e) - energy(i, e, j, -e) - energy(i, -e, j, e) + energy(i, -e, j, -e)) / (4 * e * e);
      const double scaled = second * std::sqrt(model.inverse_mass()[i / 3] * model.inverse_mass()[j / 3]);
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = scaled;
      matrix(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)) = scaled;
    }
  }
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
}

/// No frequency of a body is above the largest of its elements with their parts of the masses: for lattices with
/// slivers at the border, nodes moved about, regions of other stiffness, parts that are fixed, and all Poisson ratios.
/// On lattices of full voxels the bound is not far off.
TEST(Soft, NoFrequencyIsAboveThatOfTheElements) {
  std::mt19937_64 random(12);
  for (const double poisson : {0.0, 0.3, 0.45, 0.49}) {
    for (const bool tetrahedra : {false, true}) {
      for (const int kind : {0, 1, 2}) {
        Elements elements =
            kind == 0 ? voxels(make_box({0.2, 0.2, 0.1}), 0.1) : voxels(make_icosphere(0.1, 2), kind == 1 ? 0.1 : 0.13);
        if (tetrahedra) elements = kuhn(elements);
        if (tetrahedra && kind > 0) {
          TetrahedralMesh mesh{elements.nodes, elements.tetrahedra};
          for (Vector3d& p : mesh.positions)
            p += 0.02 * Vector3d(oracle::uniform(random), oracle::uniform(random), oracle::uniform(random));
          elements = elements_of(mesh);
        }
        std::vector<FixedRegion> fixed;
        std::vector<SoftRegion> regions;
        if (kind == 1) regions.push_back({.min = {0, -1, -1}, .max = {1, 1, 1}, .stiffness = 20});
        if (kind == 2) fixed.push_back({{-1, -1, -1}, {-0.08, 1, 1}});
        const Elasticity e{.density = 1000, .young_modulus = 1e5, .poisson_ratio = poisson};
        const Model model(elements, e, regions, inverse_masses(elements, e.density, fixed));
        const double found = largest_frequency(model, elements.nodes, 1e-5);
        EXPECT_LE(found, 1.0001 * model.largest_rate()) << poisson << ' ' << tetrahedra << ' ' << kind;
        if (kind == 0) {
          EXPECT_GE(found, 0.3 * model.largest_rate()) << poisson << ' ' << tetrahedra;
        }
      }
    }
  }
}

TEST(Soft, RestIsKept) {
  for (const bool tetrahedra : {false, true}) {
    Elements elements = voxels(make_icosphere(0.5, 3), 0.13);
    if (tetrahedra) elements = kuhn(elements);
    FreeBody body(elements, {.young_modulus = 1e6});
    EXPECT_NEAR(body.model.energy(body.x), 0, 1e-9);
    for (int i = 0; i < 200; ++i) body.step(1e-3);
    for (std::size_t n = 0; n < body.x.size(); ++n) EXPECT_LT((body.x[n] - elements.nodes[n]).norm(), 1e-12) << n;
  }
}

/// Patch test: nodes at the border follow an affine map; those inside end where the map has them, on a lattice of
/// regions that all have one stiffness.
TEST(Soft, PatchTest) {
  for (const bool tetrahedra : {false, true}) {
    Elements elements = voxels(make_box({0.4, 0.4, 0.4}), 0.1);
    if (tetrahedra) elements = kuhn(elements);
    Eigen::Matrix3d map;
    map << 1.05, 0.03, 0, -0.02, 0.97, 0.04, 0.01, 0, 1.02;
    FreeBody body(elements, {.density = 1000, .young_modulus = 1e5, .poisson_ratio = 0.3});
    std::vector<double> inverse(body.model.inverse_mass().begin(), body.model.inverse_mass().end());
    for (std::size_t n = 0; n < inverse.size(); ++n) {
      if (elements.nodes[n].cwiseAbs().maxCoeff() > 0.19) {
        inverse[n] = 0;
        body.x[n] = map * elements.nodes[n];
      }
    }
    body.model = Model(elements, {.density = 1000, .young_modulus = 1e5, .poisson_ratio = 0.3}, {}, inverse);
    for (int i = 0; i < 3000; ++i) body.step(1e-3, Vector3d::Zero(), 30);
    for (std::size_t n = 0; n < body.x.size(); ++n) EXPECT_LT((body.x[n] - map * elements.nodes[n]).norm(), 1e-9) << n;
  }
}

/// Damping takes energy however strong it is, also at the border, where nodes are light.
TEST(Soft, DampingIsStable) {
  for (const double damping : {1e-3, 1e-2, 0.1, 10.0}) {
    for (const bool tetrahedra : {false, true}) {
      Elements elements = voxels(make_icosphere(0.2, 2), 0.09);
      if (tetrahedra) elements = kuhn(elements);
      FreeBody body(elements, {.density = 500, .young_modulus = 3e4, .poisson_ratio = 0.4, .damping = damping});
      for (std::size_t n = 0; n < body.x.size(); ++n) body.v[n] = {1 + body.x[n].y(), 2, 0};
      const double start = body.energy();
      const Vector3d momentum = body.momentum();
      for (int i = 0; i < 400; ++i) {
        body.step(6e-4);
        ASSERT_LT(body.energy(), 1.001 * start) << damping << ' ' << i;
      }
      EXPECT_LT((body.momentum() - momentum).norm(), 1e-9 * momentum.norm());
    }
  }
}

/// Bar that is pulled: strain along it is stress over modulus, across it Poisson's ratio of that, and the volume
/// changes accordingly.
TEST(Soft, StrainAndVolumeAreThoseOfTheModuli) {
  for (const double poisson : {0.0, 0.3, 0.45, 0.49, 0.499}) {
    const Elements elements = voxels(make_box({0.4, 0.1, 0.1}), 0.05);
    const double young = 1e5;
    FreeBody body(elements, {.density = 1000, .young_modulus = young, .poisson_ratio = poisson});
    const double stress = 2;  // Pa: the square of the strain is little of the change of volume
    const double h = body.model.inner_step();
    std::vector<Vector3d> forces(body.x.size(), Vector3d::Zero());
    for (std::size_t n = 0; n < body.x.size(); ++n) {
      const Vector3d& at = elements.nodes[n];
      if (std::abs(std::abs(at.x()) - 0.2) > 1e-9) continue;
      const int edges = (std::abs(at.y()) > 0.049 ? 1 : 0) + (std::abs(at.z()) > 0.049 ? 1 : 0);
      const double area = 0.05 * 0.05 / (edges == 0 ? 1 : edges == 1 ? 2 : 4);
      forces[n].x() = stress * area * (at.x() > 0 ? 1 : -1);
    }
    for (int i = 0; i < 6000; ++i) body.step(h, Vector3d::Zero(), 20, forces);
    Vector3d low = body.x[0];
    Vector3d high = low;
    for (const Vector3d& p : body.x) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
    const double along = (high.x() - low.x()) / 0.4 - 1;
    const double across = 1 - (high.y() - low.y()) / 0.1;
    EXPECT_NEAR(along, stress / young, 0.02 * stress / young) << poisson;
    EXPECT_NEAR(across, poisson * stress / young, 0.03 * stress / young) << poisson;
    // Of the change itself, which is a hundredth of the strain at 0.49. Beyond what inner steps follow it is larger.
    const double volume = (1 - 2 * poisson) * stress / young;
    EXPECT_NEAR(body.model.volume(body.x) / 0.004 - 1, volume, (poisson < 0.495 ? 0.05 : 0.5) * volume) << poisson;
  }
}

/// Tip of a beam that is clamped at one end and bends by its own weight, when it has come to rest.
double cantilever(const Elements& elements, const Elasticity& e, double length, double width, double g) {
  FreeBody body(elements, e, {{{-1, -1, -1}, {1e-9, 1, 1}}});
  const double h = body.model.inner_step();
  // Drag at which the slowest swing (Euler and Bernoulli) dies out fastest.
  const double swing = 3.516 * width / std::sqrt(12.0) / (length * length) * std::sqrt(e.young_modulus / e.density);
  for (int i = 0; i * h * swing < 14; ++i) body.step(h, {0, -g, 0}, 2 * swing);
  double tip = 0;
  int count = 0;
  for (std::size_t n = 0; n < body.x.size(); ++n) {
    if (elements.nodes[n].x() < length - 1e-9) continue;
    tip += elements.nodes[n].y() - body.x[n].y();
    ++count;
  }
  return tip / count;
}

TriangleMesh beam(double length, double width) {
  TriangleMesh mesh = make_box({length, width, width});
  for (Vector3d& p : mesh.positions) p.x() += length / 2;
  return mesh;
}

/// Timoshenko: bending and shear of a square cross section under its own weight.
double beam_theory(double length, double width, const Elasticity& e, double g) {
  const double load = e.density * width * width * g;  // N/m
  const double inertia = width * width * width * width / 12;
  const double shear_modulus = e.young_modulus / (2 * (1 + e.poisson_ratio));
  const double shear_factor = 10 * (1 + e.poisson_ratio) / (12 + 11 * e.poisson_ratio);
  return load * std::pow(length, 4) / (8 * e.young_modulus * inertia) +
         load * length * length / (2 * shear_factor * shear_modulus * width * width);
}

TEST(Soft, CantileverBendsAsBeamTheorySays) {
  const double length = 0.8;
  const double width = 0.1;
  const Elasticity e{.density = 1000, .young_modulus = 2e6, .poisson_ratio = 0.3};
  const double expected = beam_theory(length, width, e, 1);
  const double found = cantilever(voxels(beam(length, width), width / 6), e, length, width, 1);
  EXPECT_NEAR(found, expected, 0.03 * expected);
}

/// Nodes of a beam that is let go, after half a swing, with so many times the inner steps that it asks for.
std::vector<Vector3d> swung(const Elements& elements, const Elasticity& e, int factor) {
  constexpr double length = 0.4;
  constexpr double width = 0.1;
  FreeBody body(elements, e, {{{-1, -1, -1}, {1e-9, 1, 1}}});
  const double swing = 3.516 * width / std::sqrt(12.0) / (length * length) * std::sqrt(e.young_modulus / e.density);
  const double time = 3.14 / swing;
  const auto steps = static_cast<int>(std::ceil(time / body.model.inner_step())) * factor;
  // An eighth of the length at the tip, whatever the stiffness.
  const double g = 0.05 * e.young_modulus * width * width / (e.density * length * length * length) / 1.5;
  for (int i = 0; i < steps; ++i) body.step(time / steps, {0, -g, 0});
  return body.x;
}

/// Twice the inner steps change no node by more than 2% of how far the tip has gone, for stiff and for fine lattices:
/// the inner steps that a body asks for grow with its stiffness and its fineness.
TEST(Soft, StiffAndFineLatticesConvergeWithTheInnerSteps) {
  for (const bool tetrahedra : {false, true}) {
    for (const int across : {3, 6}) {
      if (tetrahedra && across > 3) continue;
      for (const double young : {1e5, 1e9}) {
        for (const double poisson : {0.3, 0.45}) {
          const Elasticity e{.density = 1000, .young_modulus = young, .poisson_ratio = poisson};
          const Elements lattice = voxels(beam(0.4, 0.1), 0.1 / across);
          const Elements elements = tetrahedra ? kuhn(lattice) : lattice;
          const std::vector<Vector3d> once = swung(elements, e, 1);
          const std::vector<Vector3d> twice = swung(elements, e, 2);
          double farthest = 0;
          double change = 0;
          for (std::size_t n = 0; n < once.size(); ++n) {
            farthest = std::max(farthest, (twice[n] - elements.nodes[n]).norm());
            change = std::max(change, (twice[n] - once[n]).norm());
          }
          EXPECT_GT(farthest, 0.01);
          EXPECT_LT(change, 0.02 * farthest)
              << (tetrahedra ? "tetrahedra, " : "voxels, ") << across << " across, " << young << " Pa, " << poisson;
        }
      }
    }
  }
}

/// First frequency of a bar that is free to swing along itself: speed of sound over twice its length.
TEST(Soft, BarSwingsAtItsNaturalFrequency) {
  const double length = 1;
  const Elements elements = voxels(make_box({length, 0.05, 0.05}), 0.025);
  FreeBody body(elements, {.density = 1000, .young_modulus = 1e6, .poisson_ratio = 0});
  const double strain = 1e-3;
  for (Vector3d& p : body.x) p.x() += strain * length / std::numbers::pi * std::sin(std::numbers::pi * p.x() / length);
  const double h = 0.5 * body.model.inner_step();
  const auto end = [&] {
    double sum = 0;
    for (std::size_t n = 0; n < body.x.size(); ++n) {
      if (elements.nodes[n].x() > length / 2 - 1e-9) sum += body.x[n].x() - elements.nodes[n].x();
    }
    return sum;
  };
  // Zeros of the displacement of the end, a half period apart.
  std::vector<double> zeros;
  double last = end();
  for (int i = 1; zeros.size() < 5 && i < 100000; ++i) {
    body.step(h);
    const double now = end();
    if ((last > 0) != (now > 0)) zeros.push_back((i - now / (now - last)) * h);
    last = now;
  }
  ASSERT_EQ(zeros.size(), 5U);
  const double found = 4 / (2 * (zeros[4] - zeros[0]));
  const double expected = std::sqrt(1e6 / 1000) / (2 * length);
  EXPECT_NEAR(found, expected, 0.01 * expected);
}

/// Free bodies keep their momentum to rounding, and lose angular momentum in proportion to the inner step: below 3%
/// in 1.5 s at 1 rad/s.
TEST(Soft, MomentumIsKept) {
  for (const bool tetrahedra : {false, true}) {
    Elements elements = voxels(make_icosphere(0.5, 2), 0.2);
    if (tetrahedra) elements = kuhn(elements);
    std::array<double, 2> lost{};
    for (const int finer : {1, 4}) {
      FreeBody body(elements, {.density = 1000, .young_modulus = 1e4, .poisson_ratio = 0.3});
      for (std::size_t n = 0; n < body.x.size(); ++n) {
        body.x[n] *= 1.1;
        body.v[n] = Vector3d(0.3, 0, 0) + Vector3d(0.2, 1, 0.1).cross(body.x[n]);
      }
      const Vector3d momentum = body.momentum();
      const Vector3d angular = body.angular_momentum();
      const auto steps = static_cast<int>(1.5 / body.model.inner_step()) * finer;
      for (int i = 0; i < steps; ++i) body.step(body.model.inner_step() / finer);
      EXPECT_LT((body.momentum() - momentum).norm(), 1e-10 * momentum.norm());
      lost[finer == 1 ? 0 : 1] = (body.angular_momentum() - angular).norm() / angular.norm();
    }
    EXPECT_LT(lost[0], 0.03);
    EXPECT_LT(lost[1], 0.35 * lost[0]);
  }
}

TEST(Soft, EnergyNeverGrows) {
  for (const double poisson : {0.0, 0.4, 0.49}) {
    FreeBody body(voxels(make_icosphere(0.5, 2), 0.15),
                  {.density = 1000, .young_modulus = 1e5, .poisson_ratio = poisson});
    std::mt19937_64 random(3);
    for (Vector3d& p : body.x) p = 1.1 * p + 0.02 * Vector3d(oracle::uniform(random), oracle::uniform(random), 0);
    double last = body.energy();
    const double first = last;
    for (int i = 0; i < 3000; ++i) {
      body.step(body.model.inner_step());
      const double now = body.energy();
      ASSERT_LE(now, last + 1e-3 * first) << poisson << " after " << i;
      last = std::min(last, now);
    }
  }
}

TEST(Soft, InvertedAndCrushedLatticesRecover) {
  for (const bool tetrahedra : {false, true}) {
    Elements elements = voxels(make_box({0.4, 0.4, 0.4}), 0.1);
    if (tetrahedra) elements = kuhn(elements);
    for (const bool flat : {false, true}) {
      FreeBody body(elements, {.density = 1000, .young_modulus = 1e5, .poisson_ratio = 0.4, .damping = 0.01});
      for (Vector3d& p : body.x) (flat ? p.y() : p.x()) *= flat ? 1e-3 : -1;  // or inside out
      for (int i = 0; i < 20000; ++i) body.step(body.model.inner_step(), Vector3d::Zero(), 1);
      EXPECT_LT(body.model.energy(body.x), 1e-3) << tetrahedra << " " << flat;
      EXPECT_NEAR(body.model.volume(body.x), 0.064, 1e-4) << tetrahedra << " " << flat;
    }
  }
}

/// Nodes anywhere in the block: most come back to its shape, and some to a rest with corners turned inside
/// (docs/limits.md).
TEST(Soft, MostLatticesInDisorderRecover) {
  constexpr int blocks = 10;
  for (const bool tetrahedra : {false, true}) {
    Elements elements = voxels(make_box({0.4, 0.4, 0.4}), 0.1);
    if (tetrahedra) elements = kuhn(elements);
    int recovered = 0;
    for (int seed = 1; seed <= blocks; ++seed) {
      FreeBody body(elements, {.density = 1000, .young_modulus = 1e5, .poisson_ratio = 0.4, .damping = 0.01});
      std::mt19937_64 random(static_cast<unsigned>(seed));
      for (Vector3d& p : body.x) {
        for (double& each : p) each = 0.4 * (oracle::uniform(random) - 0.5);
      }
      for (int i = 0; i < 20000; ++i) body.step(body.model.inner_step(), Vector3d::Zero(), 1);
      const double energy = body.model.energy(body.x);
      EXPECT_LT(energy, 1e3) << tetrahedra << " " << seed;
      recovered += energy < 1e-3 && std::abs(body.model.volume(body.x) - 0.064) < 1e-4 ? 1 : 0;
    }
    EXPECT_GE(recovered, tetrahedra ? blocks - 1 : blocks - 4) << tetrahedra;
  }
}

TEST(Soft, BitsDoNotDependOnTheNumberOfThreads) {
  std::vector<std::vector<Vector3d>> ends;
  for (const int threads : {1, 2, 4}) {
    FreeBody body(voxels(make_icosphere(0.5, 3), 0.05), {.young_modulus = 1e5, .damping = 0.01}, {}, threads);
    for (Vector3d& p : body.x) p.x() *= 1.2;
    for (int i = 0; i < 20; ++i) body.step(1e-3, {0, -9.81, 0});
    ends.push_back(body.x);
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_EQ(ends[0], ends[2]);
}

TEST(Soft, RegionsAreStifferAndFixedNodesStay) {
  const Elements elements = voxels(make_box({0.4, 0.1, 0.1}), 0.05);
  FreeBody body(elements, {.density = 1000, .young_modulus = 1e5, .poisson_ratio = 0}, {{{-1, -1, -1}, {-0.199, 1, 1}}},
                1, {{.min = {0, -1, -1}, .max = {1, 1, 1}, .stiffness = 4}});
  // Hangs along x: the strain at each height is the weight below over the modulus there.
  for (int i = 0; i < 20000; ++i) body.step(body.model.inner_step(), {1, 0, 0}, 10);
  double soft_half = 0;
  double stiff_half = 0;
  for (std::size_t n = 0; n < body.x.size(); ++n) {
    const double at = elements.nodes[n].x();
    if (at < -0.199) {
      EXPECT_EQ(body.x[n], elements.nodes[n]);
    }
    if (std::abs(at) < 1e-9 && elements.nodes[n].tail(2).norm() < 1e-9) soft_half = body.x[n].x() - at;
    if (at > 0.199 && elements.nodes[n].tail(2).norm() < 1e-9) stiff_half = body.x[n].x() - at;
  }
  // Lengths of 0.2 m: weight over the first is 0.3 m of bar in the mean, over the second 0.1 m.
  EXPECT_NEAR(soft_half, 1000 * 0.3 * 0.2 / 1e5, 2e-5);
  EXPECT_NEAR(stiff_half - soft_half, 1000 * 0.1 * 0.2 / 4e5, 5e-6);
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

TEST(Soft, ErrorsNameBodyAndField) {
  EXPECT_EQ(error_of([] { check("organ", {.density = 0}, {}, {}); }),
            "body 'organ': density is 0; expected a positive number");
  EXPECT_EQ(error_of([] { check("organ", {.poisson_ratio = 0.5}, {}, {}); }),
            "body 'organ': poisson_ratio is 0.5; expected 0 to 0.4999");
  EXPECT_EQ(error_of([] { check("organ", {.damping = -1}, {}, {}); }),
            "body 'organ': damping is -1; expected a number that is not negative");
  const std::vector<SoftRegion> wrong{{.min = {0, 0, 0}, .max = {1, 1, 1}, .stiffness = 0}};
  EXPECT_EQ(error_of([&] { check("organ", {}, wrong, {}); }),
            "body 'organ': stiffness of regions[0] is 0; expected a positive number");
}

}  // namespace
}  // namespace carom::solid
