#include "bodies/soft_cut.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <random>
#include <set>

#include "bodies/soft_blocks.hpp"
#include "bodies/soft_cut_masses.hpp"
#include "bodies/soft_lattice.hpp"
#include "carom/core/error.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/mesh/generate.hpp"

namespace carom::solid {
namespace {

using Eigen::Vector3d;

SoftBody cuttable(TriangleMesh mesh, double voxel_size) {
  SoftBody body;
  body.name = "body";
  body.mesh = std::move(mesh);
  body.voxel_size = voxel_size;
  body.cuttable = true;
  body.elasticity = {.density = 500, .young_modulus = 3e4, .poisson_ratio = 0.4};
  return body;
}

/// Surface without vertices that are gone.
TriangleMesh surface_of(const BodyState& state) {
  TriangleMesh mesh;
  std::vector<Index> number(state.lattice->rest.size(), none);
  for (Triangle t : state.lattice->surface.triangles) {
    for (Index& v : t) {
      Index& found = number[static_cast<std::size_t>(v)];
      if (found == none) {
        found = static_cast<Index>(mesh.positions.size());
        mesh.positions.push_back(state.model->surface.mean(static_cast<std::size_t>(v), state.nodes));
      }
      v = found;
    }
    mesh.triangles.push_back(t);
  }
  return mesh;
}

double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

Vector3d momentum_of(const BodyState& state) {
  Vector3d sum(0, 0, 0);
  for (std::size_t n = 0; n < state.nodes.size(); ++n) sum += state.model->mass[n] * state.velocities[n];
  return sum;
}

/// Closed, manifold, oriented, without intersections.
void expect_closed(const BodyState& state) {
  const TriangleMesh mesh = surface_of(state);
  const MeshReport report = inspect(mesh);
  RC_ASSERT(report.watertight());
  RC_ASSERT(report.manifold());
  RC_ASSERT(report.oriented());
  RC_ASSERT(report.zero_area_triangles.empty());
  RC_ASSERT(intersections(Surface(mesh.positions.size(), mesh.triangles), mesh.positions).empty());
}

/// Parts by a plain flood fill over cells, from the links alone.
std::size_t count_parts(const CutLattice& lattice) {
  std::set<Index> left(lattice.voxels.begin(), lattice.voxels.end());
  std::size_t count = 0;
  while (!left.empty()) {
    ++count;
    std::vector<Index> stack{*left.begin()};
    left.erase(left.begin());
    while (!stack.empty()) {
      const Index v = stack.back();
      stack.pop_back();
      for (int d = 0; d < mesh::direction_count; ++d) {
        if (lattice.links.joined(v, d) && left.erase(lattice.links.neighbor(v, d)) > 0)
          stack.push_back(lattice.links.neighbor(v, d));
      }
    }
  }
  return count;
}

/// Nodes and weights of each vertex.
std::vector<std::vector<std::pair<Index, double>>> places_of(const Embedding& embedding) {
  std::vector<std::vector<std::pair<Index, double>>> places(embedding.count());
  for (std::size_t v = 0; v < places.size(); ++v) {
    for (std::uint32_t i = embedding.ranges[v].begin; i < embedding.ranges[v].end(); ++i)
      places[v].emplace_back(embedding.nodes[i], embedding.weights[i]);
  }
  return places;
}

/// Links by boxes of blocks are those of all voxels, wherever the nodes were at the start of the step.
void expect_same_links(BodyState state, const mesh::BladeMotion& blade, std::mt19937_64& random) {
  std::uniform_real_distribution<double> shift(-0.3, 0.3);
  const std::vector<Vector3d> start = state.nodes;
  for (const bool moved : {false, true}) {
    if (moved) {
      for (Vector3d& p : state.nodes) p += Vector3d(shift(random), shift(random), shift(random));
      place_boxes(start, state);
    }
    std::array<std::vector<Vector3d>, 2> centers;
    for (const auto& corners : state.lattice->nodes) {
      centers[0].emplace_back(0, 0, 0);
      centers[1].emplace_back(0, 0, 0);
      for (const Index n : corners) {
        centers[0].back() += start[static_cast<std::size_t>(n)];
        centers[1].back() += state.nodes[static_cast<std::size_t>(n)];
      }
      for (auto& list : centers) list.back() *= 0.125;
    }
    const auto all = mesh::link_crossings(state.lattice->links, state.lattice->voxels, centers[0], centers[1], blade);
    const auto near = crossed_links(state, start, blade);
    RC_ASSERT(near.size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      RC_ASSERT(near[i].link == all[i].link);
      RC_ASSERT(near[i].fraction == all[i].fraction);
    }
  }
}

/// Triangles that are not named did not change, and masses that follow the cut are those of the whole surface.
void expect_local(const BodyState& before, const BodyState& after, const SoftCut& result) {
  std::vector<Triangle> triangles = before.lattice->surface.triangles;
  triangles.resize(after.lattice->surface.triangles.size());
  for (const Index t : result.triangles)
    triangles[static_cast<std::size_t>(t)] = after.lattice->surface.triangles[static_cast<std::size_t>(t)];
  RC_ASSERT(triangles == after.lattice->surface.triangles);
  WeighScratch work;
  std::vector<double> whole(after.model->surface.count());
  weigh_surface(after, work, whole);
  std::vector<double> followed(before.model->surface.count());
  weigh_surface(before, work, followed);
  followed.resize(whole.size());
  weigh_near(after, result.voxels, work, followed);
  for (std::size_t v = 0; v < whole.size(); ++v) {
    if (!after.lattice->surface.vertices[v].voxels.empty()) RC_ASSERT(followed[v] == whole[v]);
  }
}

/// What follows a cut is what is made of its lattice, to the bit.
void expect_as_made(const BodyState& state, std::mt19937_64& random) {
  const std::shared_ptr<const BodyModel> made = make_model(*state.lattice);
  const BodyModel& model = *state.model;
  RC_ASSERT(model.mass == made->mass);
  RC_ASSERT(places_of(model.surface) == places_of(made->surface));
  RC_ASSERT(std::abs(model.rest_volume - made->rest_volume) < 1e-12 * model.rest_volume);
  RC_ASSERT(std::ranges::equal(model.elements.inverse_mass(), made->elements.inverse_mass()));
  RC_ASSERT(model.elements.inner_step() == made->elements.inner_step());
  std::uniform_real_distribution<double> shift(-0.05, 0.05);
  std::vector<Vector3d> nodes = state.nodes;
  for (Vector3d& p : nodes) p += Vector3d(shift(random), shift(random), shift(random));
  RC_ASSERT(model.elements.energy(nodes) == made->elements.energy(nodes));
  Workers workers(1);
  const std::vector<Vector3d> still(nodes.size(), Vector3d::Zero());
  std::array<std::vector<Vector3d>, 2> velocities{still, still};
  Projection().run(workers, model.elements, 1e-3, nodes, still, velocities[0]);
  Projection().run(workers, made->elements, 1e-3, nodes, still, velocities[1]);
  RC_ASSERT(velocities[0] == velocities[1]);
}

TEST(SoftCut, SurfaceOfABoxIsTheBox) {
  SoftBody body = cuttable(make_box({1, 0.6, 0.4}, 1), 0.1);
  const BodyState state = make_cuttable_state(body);
  const MeshReport report = inspect(body.mesh);
  EXPECT_TRUE(report.watertight());
  EXPECT_NEAR(report.volume, 0.24, 1e-12);
  EXPECT_NEAR(sum_of(state.model->mass), 500 * 0.24, 1e-9);
  EXPECT_EQ(body.mesh.triangles.size(), 4U * 2 * (10 * 6 + 6 * 4 + 10 * 4));
}

TEST(SoftCut, SurfaceOfABallIsNearIt) {
  SoftBody body = cuttable(make_icosphere(1, 4), 0.15);
  const double volume = inspect(body.mesh).volume;
  const BodyState state = make_cuttable_state(body);
  EXPECT_NEAR(sum_of(state.model->mass), 500 * volume, 1e-9 * volume);
  const TriangleMesh mesh = surface_of(state);
  EXPECT_TRUE(inspect(mesh).watertight());
  EXPECT_TRUE(intersections(Surface(mesh.positions.size(), mesh.triangles), mesh.positions).empty());
  // Corners may go 0.4 voxels along each axis, and those of the voxels that are kept are within one of the mesh.
  for (const Vector3d& p : mesh.positions) EXPECT_NEAR(p.norm(), 1, 0.6 * 0.15);
  EXPECT_NEAR(inspect(mesh).volume, volume, 0.05 * volume);
}

TEST(SoftCut, HalvesOfASymmetricCutMirrorEachOther) {
  SoftBody body = cuttable(make_box({0.8, 0.4, 0.4}, 1), 0.1);
  BodyState state = make_cuttable_state(body);
  const std::vector<Vector3d> start{{0, 1, -1}, {0, 1, 1}};
  const std::vector<Vector3d> end{{0, -1, -1}, {0, -1, 1}};
  const auto links = crossed_links(*state.lattice, state.nodes, state.nodes, {start, end});
  ASSERT_EQ(links.size(), 16U);
  const SoftCut result = cut(state, links, 0.1);
  EXPECT_EQ(result.cut, 16U);
  EXPECT_EQ(result.separated, 25U);
  EXPECT_NEAR(result.area, 0.16, 1e-12);
  const auto parts = parts_of(*state.lattice);
  ASSERT_EQ(parts.size(), 2U);
  std::vector<Index> vertices;
  std::array<std::vector<std::array<double, 3>>, 2> points;
  for (std::size_t i = 0; i < 2; ++i) {
    const BodyState half = extract(state, parts[i], i == 0, vertices);
    EXPECT_NEAR(sum_of(half.model->mass), 500 * 0.064, 1e-10);
    for (const Vector3d& p : surface_of(half).positions) {
      EXPECT_GE(std::abs(p.x()), 0.1 * 0.1 / 2 - 1e-12) << "half a kerf from the middle";
      points[i].push_back({std::round(1e9 * std::abs(p.x())), std::round(1e9 * p.y()), std::round(1e9 * p.z())});
    }
    std::sort(points[i].begin(), points[i].end());
  }
  EXPECT_EQ(points[0], points[1]);
}

TEST(SoftCut, EveryBladeLeavesSolidsAndKeepsMassAndMomentum) {
  EXPECT_TRUE(rc::check("blades at random, crossing earlier cuts", [] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::uniform_real_distribution<double> place(-1.6, 1.6);
    const auto point = [&]() -> Vector3d {
      const double x = place(random);
      const double y = place(random);
      const double z = place(random);
      return {x, y, z};
    };
    const bool round = random() % 2 == 0;
    SoftBody body = cuttable(round ? make_icosphere(1, 2) : make_box({1.6, 1.2, 2}, 1), 0.4);
    BodyState state = make_cuttable_state(body);
    for (Vector3d& v : state.velocities) v = point();
    const double mass = sum_of(state.model->mass);
    const double volume = state.model->rest_volume;
    const Vector3d momentum = momentum_of(state);
    const std::vector<Vector3d> at_first = state.nodes;
    std::vector<BodyState> bodies{state};
    for (int stroke = 0; stroke < 3; ++stroke) {
      const std::vector<Vector3d> start{point(), point(), point()};
      const std::vector<Vector3d> end{point(), point(), point()};
      std::vector<BodyState> next;
      for (BodyState& each : bodies) {
        const std::size_t vertices_before = each.lattice->rest.size();
        const auto links = crossed_links(*each.lattice, each.nodes, each.nodes, {start, end});
        expect_same_links(each, {start, end}, random);
        const BodyState before = each;
        const SoftCut result = cut(each, links, 0.1);
        RC_ASSERT(result.cut == links.size());
        expect_local(before, each, result);
        RC_ASSERT(each.lattice->rest.size() >= vertices_before);
        expect_closed(each);
        expect_as_made(each, random);
        const auto parts = parts_of(*each.lattice);
        RC_ASSERT(parts.size() == count_parts(*each.lattice));
        if (parts.size() == 1) {
          next.push_back(each);
          continue;
        }
        std::vector<Index> vertices;
        for (std::size_t i = 0; i < parts.size(); ++i) {
          next.push_back(extract(each, parts[i], i == 0, vertices));
          expect_closed(next.back());
          RC_ASSERT(parts_of(*next.back().lattice).size() == 1);
        }
      }
      bodies = std::move(next);
      double mass_now = 0;
      double volume_now = 0;
      Vector3d momentum_now(0, 0, 0);
      for (const BodyState& each : bodies) {
        mass_now += sum_of(each.model->mass);
        volume_now += each.model->rest_volume;
        momentum_now += momentum_of(each);
      }
      RC_ASSERT(std::abs(mass_now - mass) < 1e-12 * mass);
      RC_ASSERT(std::abs(volume_now - volume) < 1e-12 * volume);
      RC_ASSERT((momentum_now - momentum).norm() < 1e-12 * mass * 3);
    }
  }));
}

TEST(SoftCut, CopiesOfTheStateAreLeftAlone) {
  SoftBody body = cuttable(make_box({1, 0.6, 0.4}, 1), 0.1);
  BodyState state = make_cuttable_state(body);
  const BodyState copy = state;
  const std::vector<Vector3d> rest = copy.lattice->rest;
  const std::vector<double> mass = copy.model->mass;
  const std::vector<Vector3d> start{{0.1, 1, -1}, {0.1, 1, 1}};
  const std::vector<Vector3d> end{{0.1, 0, -1}, {0.1, 0, 1}};
  cut(state, crossed_links(*state.lattice, state.nodes, state.nodes, {start, end}), 0.1);
  EXPECT_EQ(copy.lattice->rest, rest);
  EXPECT_EQ(copy.model->mass, mass);
  EXPECT_GT(state.lattice->rest.size(), rest.size());
}

TEST(SoftCut, VerticesAndTrianglesThatNoCutTouchesKeepTheirNumbersAndPlaces) {
  SoftBody body = cuttable(make_box({1, 0.6, 0.4}, 1), 0.1);
  BodyState state = make_cuttable_state(body);
  const std::vector<Vector3d> before = state.lattice->rest;
  const std::vector<Triangle> triangles = state.lattice->surface.triangles;
  const std::vector<Vector3d> start{{0.1, 1, -1}, {0.1, 1, 1}};
  const std::vector<Vector3d> end{{0.1, 0, -1}, {0.1, 0, 1}};
  const SoftCut result = cut(state, crossed_links(*state.lattice, state.nodes, state.nodes, {start, end}), 0.1);
  EXPECT_GT(result.cut, 0U);
  std::size_t kept = 0;
  for (std::size_t v = 0; v < before.size(); ++v) {
    if (std::abs(before[v].x() - 0.1) < 0.06) continue;
    EXPECT_EQ(state.lattice->rest[v], before[v]);
    EXPECT_FALSE(std::ranges::binary_search(result.placed, static_cast<Index>(v)));
    ++kept;
  }
  EXPECT_GT(kept, before.size() / 2);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const bool far = std::none_of(triangles[t].begin(), triangles[t].end(), [&](Index v) {
      return std::abs(before[static_cast<std::size_t>(v)].x() - 0.1) < 0.06;
    });
    if (!far) continue;
    EXPECT_EQ(state.lattice->surface.triangles[t], triangles[t]);
  }
}

TEST(SoftCut, WhatDoesNotGoTogetherIsNamed) {
  SoftBody body = cuttable(make_box({1, 1, 1}, 1), 0.25);
  body.field = FieldOptions{};
  try {
    make_cuttable_state(body);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("field"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace carom::solid
