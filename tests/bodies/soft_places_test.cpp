#include "bodies/soft_places.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "carom/mesh/generate.hpp"

namespace carom::solid {
namespace {

using Eigen::Vector3d;

double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

BodyState make_ball(double voxel_size) {
  SoftBody body;
  body.name = "ball";
  body.mesh = make_icosphere(0.2, 2);
  body.voxel_size = voxel_size;
  body.elasticity = {.density = 1000, .young_modulus = 1e5, .poisson_ratio = 0.3};
  body.field = FieldOptions{.tolerance = 0.01, .band = 0.02};
  return make_state(body);
}

/// Six tetrahedra to a cube.
BodyState make_tetrahedra() {
  SoftBody body;
  body.name = "cube";
  constexpr Index n = 4;
  const auto node = [&](Index x, Index y, Index z) { return (z * (n + 1) + y) * (n + 1) + x; };
  for (Index z = 0; z <= n; ++z) {
    for (Index y = 0; y <= n; ++y) {
      for (Index x = 0; x <= n; ++x)
        body.tetrahedra.positions.push_back(Vector3d(x, y, z) * (0.4 / n) - Vector3d(0.2, 0.2, 0.2));
    }
  }
  constexpr std::array<std::array<int, 3>, 6> orders{
      {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  for (Index z = 0; z < n; ++z) {
    for (Index y = 0; y < n; ++y) {
      for (Index x = 0; x < n; ++x) {
        for (const auto& order : orders) {
          std::array<Index, 3> at{x, y, z};
          Tetrahedron t{node(x, y, z), 0, 0, 0};
          for (std::size_t k = 0; k < 3; ++k) {
            ++at[static_cast<std::size_t>(order[k])];
            t[k + 1] = node(at[0], at[1], at[2]);
          }
          body.tetrahedra.tetrahedra.push_back(t);
        }
      }
    }
  }
  body.elasticity = {.density = 1000, .young_modulus = 1e5, .poisson_ratio = 0.3};
  body.field = FieldOptions{.tolerance = 0.01, .band = 0.02};
  return make_state(body);
}

void expect_same_place(const std::optional<FieldPlace>& a, const std::optional<FieldPlace>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_EQ(a->rest, b->rest);
  EXPECT_EQ(a->depth.distance, b->depth.distance);
  EXPECT_EQ(a->depth.normal, b->depth.normal);
}

/// Whatever the shape, a turn, a twist, a pinch to a plane or disorder: cells find the element that a search of all of
/// them finds.
TEST(SoftPlaces, CellsFindWhatASearchOfAllElementsFinds) {
  std::mt19937_64 random(7);
  for (const bool tetrahedra : {false, true}) {
    BodyState state = tetrahedra ? make_tetrahedra() : make_ball(0.05);
    const std::vector<Vector3d> rest = state.nodes;
    int found = 0;
    for (int shape = 0; shape < 6; ++shape) {
      const Eigen::AngleAxisd turn(0.7 * shape, Vector3d(1, 2, 3).normalized());
      for (std::size_t n = 0; n < rest.size(); ++n) {
        Vector3d p = rest[n];
        if (shape == 1 || shape == 4) p = Eigen::AngleAxisd(5 * p.y(), Vector3d::UnitY()) * p;
        if (shape == 2) p.x() *= 0.01;
        if (shape == 3) p.z() *= -2;
        if (shape >= 4)
          p += 0.03 * (shape - 3) * Vector3d(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
        state.nodes[n] = turn * p + Vector3d(3, -1, shape);
      }
      ElementCells cells;
      cells.build(state.model->rest, state.nodes);
      for (int i = 0; i < 300; ++i) {
        Vector3d point =
            turn * Vector3d(uniform(random, -0.25, 0.25), uniform(random, -0.25, 0.25), uniform(random, -0.3, 0.3)) +
            Vector3d(3, -1, shape);
        if (i % 10 == 0) point = state.nodes[static_cast<std::size_t>(i) % state.nodes.size()];
        const auto by_cells = place_in_field(state, cells, point);
        expect_same_place(by_cells, place_in_field(state, point));
        if (HasFailure()) return;
        found += by_cells ? 1 : 0;
      }
    }
    EXPECT_GT(found, 300);
  }
}

TEST(SoftPlaces, FewElementsAreInACell) {
  const BodyState state = make_ball(0.02);
  ElementCells cells;
  cells.build(state.model->rest, state.nodes);
  std::mt19937_64 random(3);
  std::size_t most = 0;
  for (int i = 0; i < 1000; ++i)
    most = std::max(
        most, cells.at({uniform(random, -0.2, 0.2), uniform(random, -0.2, 0.2), uniform(random, -0.2, 0.2)}).size());
  EXPECT_GT(state.model->rest.count(), 2000u);
  EXPECT_LE(most, 27u) << "boxes of the size of a cell meet two cells along each axis";
  EXPECT_TRUE(cells.at({1, 0, 0}).empty());
}

TEST(SoftPlaces, CellsOfBodiesFollowTheNodes) {
  BodyState state = make_ball(0.05);
  CellsOfBodies known;
  const Vector3d point(0.05, 0.02, 0.01);
  expect_same_place(known.place(1, state, point), place_in_field(state, point));
  ASSERT_TRUE(known.place(1, state, point).has_value());
  for (Vector3d& node : state.nodes) node += Vector3d(1, 0, 0);
  EXPECT_FALSE(known.place(1, state, point).has_value());
  expect_same_place(known.place(1, state, point + Vector3d(1, 0, 0)), place_in_field(state, point + Vector3d(1, 0, 0)));
}

}  // namespace
}  // namespace carom::solid
