#include "mesh/voxels.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/shape/shape.hpp"
#include "math/vec3.hpp"
#include "mesh/cell_moments.hpp"
#include "shapes/shape_data.hpp"
#include "shapes/winding.hpp"

namespace carom::mesh {
namespace {

using Eigen::Vector3d;

struct Named {
  const char* name;
  TriangleMesh mesh;
  double size;
};

TriangleMesh turned(TriangleMesh mesh, double angle) {
  const Eigen::AngleAxisd turn(angle, Vector3d(1, 2, 3).normalized());
  for (Vector3d& p : mesh.positions) p = turn * p + Vector3d(0.31, -0.2, 0.17);
  return mesh;
}

std::vector<Named> meshes() {
  std::vector<Named> list;
  list.push_back({"ball", make_icosphere(0.5, 3), 0.11});
  list.push_back({"torus", turned(make_torus(0.5, 0.2, 32, 16), 0.4), 0.07});
  list.push_back({"box that fits", make_box({0.4, 0.3, 0.2}, 2), 0.1});
  list.push_back({"box that is turned", turned(make_box({0.4, 0.3, 0.2}), 1.1), 0.05});
  list.push_back({"knot", make_tube([](double t) { return trefoil(t, 0.5, 0.2); }, 0.12, 60, 8), 0.06});
  list.push_back({"one voxel", make_icosphere(0.1, 1), 1});
  return list;
}

/// Whether a point is inside, by the exact winding number.
struct Inside {
  explicit Inside(const TriangleMesh& mesh) : shape(Shape::mesh(mesh)) {
    marks.assign(shape.data().mesh->closed.size(), 1);
  }
  bool operator()(const Vector3d& p) const {
    return shapes::winding_number(*shape.data().mesh, math::to_vec3(p), marks).number > 0;
  }
  Shape shape;
  std::vector<std::uint8_t> marks;
};

struct Moments {
  double volume = 0;
  Vector3d first = Vector3d::Zero();
};
/// By tetrahedra from the origin to each triangle.
Moments moments(const TriangleMesh& mesh) {
  Moments m;
  for (const Triangle& t : mesh.triangles) {
    const Vector3d& a = mesh.positions[static_cast<std::size_t>(t[0])];
    const Vector3d& b = mesh.positions[static_cast<std::size_t>(t[1])];
    const Vector3d& c = mesh.positions[static_cast<std::size_t>(t[2])];
    const double volume = a.dot(b.cross(c)) / 6;
    m.volume += volume;
    m.first += volume / 4 * (a + b + c);
  }
  return m;
}

TEST(Voxels, VolumeAndCenterAreThoseOfTheMesh) {
  for (const Named& given : meshes()) {
    const VoxelLattice lattice = make_voxels(given.name, given.mesh, {.size = given.size});
    const Moments expected = moments(given.mesh);
    double volume = 0;
    Vector3d first = Vector3d::Zero();
    for (std::size_t n = 0; n < lattice.nodes.size(); ++n) {
      volume += lattice.node_volume[n];
      first += lattice.node_volume[n] * lattice.nodes[n];
      EXPECT_GT(lattice.node_volume[n], 0) << given.name << " node " << n;
    }
    EXPECT_NEAR(volume, expected.volume, 1e-12 * expected.volume) << given.name;
    EXPECT_LT((first / volume - expected.first / expected.volume).norm(), 1e-10) << given.name;
  }
}

TEST(Voxels, CellsAreThoseWhoseCenterIsInsideOrThatTheSurfaceCrosses) {
  for (const Named& given : meshes()) {
    const VoxelLattice lattice = make_voxels(given.name, given.mesh, {.size = given.size});
    const std::set<Cell> found(lattice.cells.begin(), lattice.cells.end());
    ASSERT_EQ(found.size(), lattice.cells.size());
    const Inside inside(given.mesh);
    // Slow twin: points of each cell, by the exact test.
    constexpr int samples = 6;
    Cell low = lattice.cells[0];
    Cell high = low;
    for (const Cell& cell : lattice.cells) {
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], cell[k] - 1);
        high[k] = std::max(high[k], cell[k] + 1);
      }
    }
    for (int z = low[2]; z <= high[2]; ++z) {
      for (int y = low[1]; y <= high[1]; ++y) {
        for (int x = low[0]; x <= high[0]; ++x) {
          const Vector3d corner = lattice.origin + lattice.size * Vector3d(x, y, z);
          const bool center = inside(corner + 0.5 * lattice.size * Vector3d::Ones());
          int count = 0;
          for (int i = 0; i < samples * samples * samples; ++i) {
            const Vector3d local(i % samples + 0.5, i / samples % samples + 0.5, i / (samples * samples) + 0.5);
            count += inside(corner + lattice.size / samples * local) ? 1 : 0;
          }
          const bool is_voxel = found.contains({x, y, z});
          if (!is_voxel) {
            EXPECT_FALSE(center || count > 0) << given.name << " " << x << " " << y << " " << z;
            continue;
          }
          const auto v = static_cast<std::size_t>(std::find(lattice.cells.begin(), lattice.cells.end(), Cell{x, y, z}) -
                                                  lattice.cells.begin());
          EXPECT_NEAR(lattice.fill[v], static_cast<double>(count) / (samples * samples * samples), 0.12)
              << given.name << " " << x << " " << y << " " << z;
        }
      }
    }
  }
}

TEST(Voxels, SharesOfNodesAreIntegralsOfTheirWeights) {
  const TriangleMesh mesh = turned(make_torus(0.5, 0.2, 24, 12), 0.9);
  const VoxelLattice lattice = make_voxels("torus", mesh, {.size = 0.15});
  const Inside inside(mesh);
  // Slow twin: a fine grid of points, each with the weights of its cell.
  std::vector<double> share(lattice.nodes.size(), 0.0);
  constexpr int samples = 12;
  const double piece = std::pow(lattice.size / samples, 3);
  for (std::size_t v = 0; v < lattice.cells.size(); ++v) {
    const Vector3d corner =
        lattice.origin + lattice.size * Vector3d(lattice.cells[v][0], lattice.cells[v][1], lattice.cells[v][2]);
    for (int i = 0; i < samples * samples * samples; ++i) {
      const Vector3d t =
          Vector3d(i % samples + 0.5, i / samples % samples + 0.5, i / (samples * samples) + 0.5) / samples;
      if (!inside(corner + lattice.size * t)) continue;
      for (std::size_t c = 0; c < 8; ++c) {
        const double w = ((c & 1) != 0 ? t.x() : 1 - t.x()) * ((c >> 1 & 1) != 0 ? t.y() : 1 - t.y()) *
                         ((c >> 2 & 1) != 0 ? t.z() : 1 - t.z());
        share[static_cast<std::size_t>(lattice.corners[v][c])] += piece * w;
      }
    }
  }
  for (std::size_t n = 0; n < share.size(); ++n)
    EXPECT_NEAR(lattice.node_volume[n], share[n], 0.01 * std::pow(lattice.size, 3)) << n;
}

TEST(Voxels, VerticesAreTheSumsOfTheirNodes) {
  for (const Named& given : meshes()) {
    const VoxelLattice lattice = make_voxels(given.name, given.mesh, {.size = given.size});
    ASSERT_EQ(lattice.vertices.size(), given.mesh.positions.size());
    for (std::size_t v = 0; v < lattice.vertices.size(); ++v) {
      const Embedding& e = lattice.vertices[v];
      Vector3d sum = Vector3d::Zero();
      double weights = 0;
      for (std::size_t c = 0; c < 8; ++c) {
        sum += e.weights[c] *
               lattice.nodes[static_cast<std::size_t>(lattice.corners[static_cast<std::size_t>(e.voxel)][c])];
        weights += e.weights[c];
        EXPECT_GE(e.weights[c], -0.1) << given.name;
      }
      EXPECT_NEAR(weights, 1, 1e-12);
      EXPECT_LT((sum - given.mesh.positions[v]).norm(), 1e-12) << given.name << " vertex " << v;
    }
  }
}

TEST(Voxels, BoxThatFitsIsFullAndHasNoVoxelMore) {
  const VoxelLattice lattice = make_voxels("box", make_box({0.4, 0.3, 0.2}, 3), {.size = 0.1});
  ASSERT_EQ(lattice.cells.size(), 4U * 3 * 2);
  EXPECT_EQ(lattice.nodes.size(), 5U * 4 * 3);
  for (const double fill : lattice.fill) EXPECT_NEAR(fill, 1, 1e-12);
}

TEST(Voxels, NumberOfDegreesOfFreedomIsNearlyReached) {
  const TriangleMesh ball = make_icosphere(0.5, 4);
  for (const std::size_t wanted : {3000U, 30000U}) {
    const VoxelLattice lattice = make_voxels("ball", ball, {.degrees_of_freedom = wanted});
    EXPECT_LE(3 * lattice.nodes.size(), wanted);
    EXPECT_GE(3 * lattice.nodes.size(), wanted * 7 / 10);
  }
}

TEST(Voxels, NumberOfDegreesOfFreedomIsNearlyReachedByShapesThatAreNotCompact) {
  // One voxel as large as the box around each of them holds less than a third of material.
  TriangleMesh tori = make_torus(0.3, 0.06, 40, 16);
  const TriangleMesh other = make_torus(0.3, 0.06, 40, 16);
  const auto first = static_cast<Index>(tori.positions.size());
  for (const Vector3d& p : other.positions) tori.positions.emplace_back(p + Vector3d(0, 0.5, 0));
  for (const Triangle& t : other.triangles) tori.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  const std::vector<Named> list{{"bar", make_box({0.4, 0.1, 0.1}), 0},
                                {"needle", make_box({2, 0.02, 0.02}), 0},
                                {"torus", make_torus(0.3, 0.06, 40, 16), 0},
                                {"two tori", tori, 0}};
  for (const Named& given : list) {
    for (const std::size_t wanted : {1200U, 3000U, 10000U}) {
      const VoxelLattice lattice =
          make_voxels(given.name, given.mesh, {.degrees_of_freedom = wanted, .smallest_fill = 1.0 / 3});
      EXPECT_LE(3 * lattice.nodes.size(), wanted) << given.name;
      // A needle is one voxel thick, or two: it has few lattices to choose from.
      EXPECT_GE(3 * lattice.nodes.size(), wanted * (given.name == std::string("needle") ? 2 : 6) / 10) << given.name;
    }
  }
}

TEST(Voxels, RoundingAtPlanesOfTheGridMakesNoDifference) {
  // Property: a box of whole voxels, anywhere, is full, whichever way the last bits fall.
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-3, 3);
  for (int i = 0; i < 200; ++i) {
    const double size = 0.01 + 0.1 * std::abs(place(random));
    TriangleMesh mesh = make_box(size * Vector3d(3, 2, 4));
    const Vector3d offset(place(random), place(random), place(random));
    for (Vector3d& p : mesh.positions) p += offset;
    const VoxelLattice lattice = make_voxels("box", mesh, {.size = size});
    ASSERT_EQ(lattice.cells.size(), 24U) << i;
    for (const double fill : lattice.fill) ASSERT_NEAR(fill, 1, 1e-9);
  }
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

TEST(Voxels, ErrorsNameTheCulprit) {
  TriangleMesh open = make_box({1, 1, 1});
  const Triangle lost = open.triangles.back();
  open.triangles.pop_back();
  const std::string message = error_of([&] { make_voxels("organ", open, {.size = 0.2}); });
  EXPECT_NE(message.find("body 'organ'"), std::string::npos) << message;
  EXPECT_NE(message.find("one triangle only (3 such edges)"), std::string::npos) << message;
  bool named = false;
  for (std::size_t k = 0; k < 3; ++k) {
    const Index a = std::min(lost[k], lost[(k + 1) % 3]);
    const Index b = std::max(lost[k], lost[(k + 1) % 3]);
    named |= message.find("vertices " + std::to_string(a) + " and " + std::to_string(b)) != std::string::npos;
  }
  EXPECT_TRUE(named) << message;

  TriangleMesh inside_out = make_icosphere(1, 1);
  for (Triangle& t : inside_out.triangles) std::swap(t[0], t[1]);
  EXPECT_NE(error_of([&] { make_voxels("ball", inside_out, {.size = 0.2}); }).find("face outward, but its volume is -"),
            std::string::npos);
  const TriangleMesh ball = make_icosphere(1, 1);
  EXPECT_NE(error_of([&] { make_voxels("ball", ball, {}); }).find("expected one of them to be positive"),
            std::string::npos);
  EXPECT_NE(error_of([&] { make_voxels("ball", ball, {.size = 1e-6}); }).find("too small"), std::string::npos);
  EXPECT_NE(error_of([&] { make_voxels("ball", ball, {.degrees_of_freedom = 23}); }).find("24"), std::string::npos);
  // Lattices that no memory holds are refused before any of it is asked for.
  EXPECT_EQ(error_of([&] {
              make_voxels("box", make_box({2, 1, 1}), {.size = 0.002});
            }),
            "body 'box': voxel size 0.002 m asks for 2.5e+08 voxels in 2 m^3; at most 20000000 are possible, so at "
            "least 0.00466 m");
  EXPECT_EQ(error_of([&] { make_voxels("ball", ball, {.degrees_of_freedom = 200000000}); }),
            "body 'ball': degrees_of_freedom is 200000000; at most 60000000 are possible");
  const TriangleMesh sheet = make_box({1, 1, 0.01});
  EXPECT_EQ(error_of([&] { make_voxels("sheet", sheet, {.degrees_of_freedom = 300, .smallest_fill = 0.5}); }),
            "body 'sheet': no lattice of at most 300 degrees of freedom was found whose voxels hold a part in 2 of "
            "material; more are needed");
  EXPECT_NE(error_of([&] { make_voxels("sheet", sheet, {.size = 0.2, .smallest_fill = 0.5}); }).find("smaller voxels"),
            std::string::npos);
  TriangleMesh lonely = ball;
  lonely.positions.emplace_back(5, 5, 5);
  EXPECT_NE(error_of([&] { make_voxels("ball", lonely, {.size = 0.2}); }).find("is in no triangle"), std::string::npos);
}

}  // namespace
}  // namespace carom::mesh
