#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "bodies/cloth.hpp"
#include "oracle/soup.hpp"

// Cusick's test of drape: a disc of 30 cm on a support of 18 cm.
namespace carom::cloth {
namespace {

constexpr double disc_radius = 0.15;
constexpr double support_radius = 0.09;

/// Disc in the x-z plane: rings of 6, 12, 18, ... vertices, as far apart as the vertices of a ring are.
TriangleMesh make_disc(double radius, int rings) {
  TriangleMesh mesh;
  mesh.positions.emplace_back(0, 0, 0);
  const auto first = [](int ring) { return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1); };
  for (int ring = 1; ring <= rings; ++ring) {
    for (int k = 0; k < 6 * ring; ++k) {
      const double angle = 2 * std::numbers::pi * k / (6 * ring);
      const double r = radius * ring / rings;
      mesh.positions.emplace_back(r * std::cos(angle), 0, r * std::sin(angle));
    }
    for (int side = 0; side < 6; ++side) {
      for (int k = 0; k < ring; ++k) {
        const auto outer = [&](int i) { return static_cast<Index>(first(ring) + (side * ring + i) % (6 * ring)); };
        const auto inner = [&](int i) {
          return static_cast<Index>(ring == 1 ? 0 : first(ring - 1) + (side * (ring - 1) + i) % (6 * (ring - 1)));
        };
        mesh.triangles.push_back({inner(k), outer(k), outer(k + 1)});
        if (k + 1 < ring) mesh.triangles.push_back({inner(k), outer(k + 1), inner(k + 1)});
      }
    }
  }
  return mesh;
}

/// Shadow from above, m^2, in squares of a millimeter.
double shadow(const TriangleMesh& mesh, std::span<const Eigen::Vector3d> x) {
  constexpr int cells = 320;
  constexpr double cell = 0.001;
  std::vector<std::uint8_t> dark(static_cast<std::size_t>(cells) * cells, 0);
  for (const Triangle& t : mesh.triangles) {
    Eigen::Vector2d p[3];
    for (std::size_t k = 0; k < 3; ++k)
      p[k] = {x[static_cast<std::size_t>(t[k])].x() / cell + cells / 2.0,
              x[static_cast<std::size_t>(t[k])].z() / cell + cells / 2.0};
    const auto turn = [](const Eigen::Vector2d& a, const Eigen::Vector2d& b, const Eigen::Vector2d& c) {
      return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
    };
    const Eigen::Vector2d low = p[0].cwiseMin(p[1]).cwiseMin(p[2]);
    const Eigen::Vector2d high = p[0].cwiseMax(p[1]).cwiseMax(p[2]);
    for (int i = static_cast<int>(low.x()); i <= static_cast<int>(high.x()); ++i) {
      for (int j = static_cast<int>(low.y()); j <= static_cast<int>(high.y()); ++j) {
        const Eigen::Vector2d c(i + 0.5, j + 0.5);
        const double a = turn(p[0], p[1], c);
        const double b = turn(p[1], p[2], c);
        const double d = turn(p[2], p[0], c);
        if ((a >= 0 && b >= 0 && d >= 0) || (a <= 0 && b <= 0 && d <= 0))
          dark[static_cast<std::size_t>(i * cells + j)] = 1;
      }
    }
  }
  double sum = 0;
  for (const std::uint8_t d : dark) sum += d;
  return sum * cell * cell;
}

/// Part of the free ring that is in the shadow, in per cent.
double drape_coefficient(const Fabric& fabric, int rings) {
  const TriangleMesh mesh = make_disc(disc_radius, rings);
  const RestShape rest{mesh.positions, mesh.triangles};
  const Model model(rest, fabric);
  std::vector<double> inverse_mass;
  for (const double m : masses("disc", rest, std::span(&fabric, 1))) inverse_mass.push_back(1 / m);
  std::vector<Eigen::Vector3d> x = mesh.positions;
  std::vector<Eigen::Vector3d> v(x.size(), Eigen::Vector3d::Zero());
  // Not flat, so that folds have something to begin with.
  std::mt19937_64 random(5);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i].norm() < support_radius + 1e-9) inverse_mass[i] = 0;
    if (inverse_mass[i] > 0) x[i].y() += 1e-3 * (2 * oracle::uniform(random) - 1);
  }
  const double h = std::min(model.inner_step(inverse_mass), 1.0 / 600);
  Projection projection;
  Workers workers(1);
  for (double t = 0; t < 2; t += h) {
    // Undamped would swing for long; the last half second goes to rest.
    const double drag = t < 1.5 ? 4 : 20;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (inverse_mass[i] == 0) continue;
      v[i].y() -= h * 9.81;
      v[i] /= 1 + h * drag;
    }
    projection.run(workers, model, h, x, inverse_mass, v);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += h * v[i];
  }
  const double supported = std::numbers::pi * support_radius * support_radius;
  const double whole = shadow(mesh, mesh.positions);
  return 100 * (shadow(mesh, x) - supported) / (whole - supported);
}

/// Per cent by Cusick's regression over 130 fabrics (1965) from the bending length (cm) and the angle of shear
/// (degrees) at which a sample buckles.
double cusick(double bending_length, double shear_angle) {
  return 35.6 * bending_length - 3.61 * bending_length * bending_length - 2.59 * shear_angle +
         0.0461 * shear_angle * shear_angle + 17.0;
}

TEST(Drape, FabricsAreInTheRangeOfTheirBendingLength) {
  double last = 0;
  for (const std::string_view name : fabric_names()) {
    const Fabric fabric = fabric_by_name(name);
    const double bending_length = 100 * std::cbrt(fabric.bend_stiffness / (fabric.density * 9.81));
    const double coefficient = drape_coefficient(fabric, 10);
    // Fabrics shear by 2 (leather) to 25 degrees (silk) before they buckle.
    EXPECT_GT(coefficient, cusick(bending_length, 25)) << name << " bending length " << bending_length;
    EXPECT_LT(coefficient, cusick(bending_length, 2)) << name << " bending length " << bending_length;
    EXPECT_GT(coefficient, last) << name << ": silk, cotton, denim, leather drape less and less";
    last = coefficient;
  }
}

}  // namespace
}  // namespace carom::cloth
