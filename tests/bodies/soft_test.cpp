#include "bodies/soft.hpp"

#include <gtest/gtest.h>

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
  /// `drag`: 1/s, of the velocity.
  void step(double h, const Vector3d& gravity = Vector3d::Zero(), double drag = 0) {
    projection.damp(workers, model, h, x, none, v);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (model.inverse_mass()[i] == 0) continue;
      v[i] /= 1 + h * drag;
      v[i] += h * gravity;
    }
    projection.run(workers, model, h, x, none, v);
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
  for (const double poisson : {0.0, 0.3, 0.45, 0.49}) {
    const Elements elements = voxels(make_box({0.4, 0.1, 0.1}), 0.05);
    const double young = 1e5;
    FreeBody body(elements, {.density = 1000, .young_modulus = young, .poisson_ratio = poisson});
    const double stress = 20;  // Pa, little enough to be linear
    const double h = body.model.inner_step();
    for (int i = 0; i < 6000; ++i) {
      for (Vector3d& v : body.v) v /= 1 + h * 20;
      for (std::size_t n = 0; n < body.x.size(); ++n) {
        const Vector3d& at = elements.nodes[n];
        if (std::abs(std::abs(at.x()) - 0.2) > 1e-9) continue;
        const int edges = (std::abs(at.y()) > 0.049 ? 1 : 0) + (std::abs(at.z()) > 0.049 ? 1 : 0);
        const double area = 0.05 * 0.05 / (edges == 0 ? 1 : edges == 1 ? 2 : 4);
        body.v[n].x() += h * body.model.inverse_mass()[n] * stress * area * (at.x() > 0 ? 1 : -1);
      }
      body.step(h);
    }
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
    EXPECT_NEAR(body.model.volume(body.x) / 0.004 - 1, (1 - 2 * poisson) * stress / young, 0.03 * stress / young)
        << poisson;
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

/// Free bodies keep their momentum to rounding, and lose angular momentum in proportion to the inner step.
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
      for (int i = 0; i < 300 * finer; ++i) body.step(body.model.inner_step() / finer);
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
    for (const int wrong : {0, 1, 2}) {
      FreeBody body(elements, {.density = 1000, .young_modulus = 1e5, .poisson_ratio = 0.4, .damping = 0.01});
      std::mt19937_64 random(4);
      for (Vector3d& p : body.x) {
        const Vector3d r(oracle::uniform(random), oracle::uniform(random), oracle::uniform(random));
        if (wrong == 0) p.x() = -p.x();                           // inside out
        if (wrong == 1) p.y() *= 1e-3;                            // flat
        if (wrong == 2) p = 0.4 * (r - Vector3d(0.5, 0.5, 0.5));  // in disorder
      }
      for (int i = 0; i < 20000; ++i) body.step(body.model.inner_step(), Vector3d::Zero(), 1);
      EXPECT_LT(body.model.energy(body.x), 1e-3) << tetrahedra << " " << wrong;
      EXPECT_NEAR(body.model.volume(body.x), 0.064, 1e-4) << tetrahedra << " " << wrong;
    }
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
