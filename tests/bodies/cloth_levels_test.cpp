#include "bodies/cloth_levels.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "carom/mesh/generate.hpp"
#include "core/at.hpp"
#include "oracle/soup.hpp"

// Levels of cloth without contacts: their meshes, the three criteria of Zouiouche 2012, IV.4.2, and what is kept when
// they change.
namespace carom::cloth {
namespace {

using Eigen::Vector3d;

LevelModel model_of(const TriangleMesh& mesh, const Fabric& fabric, const std::vector<Index>& pinned = {},
                    int levels = 3) {
  LevelModel model;
  model.rest_positions = mesh.positions;
  model.triangles = mesh.triangles;
  model.fabrics = {fabric};
  model.hold = 0.25;
  const RestShape rest{model.rest_positions, model.triangles, model.warp};
  model.mass = masses("cloth", rest, model.fabrics);
  model.pinned.assign(mesh.positions.size(), 0);
  for (const Index v : pinned) model.pinned[at(v)] = 1;
  model.hierarchy = Hierarchy(rest, model.pinned, levels);
  return model;
}

std::vector<std::uint8_t> random_levels(const Hierarchy& h, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> wanted(h.patch_count());
  for (std::uint8_t& level : wanted) level = static_cast<std::uint8_t>(3 * oracle::uniform(random));
  return wanted;
}

/// Triangles of a resolution, as the constraints have them: made again from the images alone.
std::vector<Triangle> images_of(const LevelModel& model, const Resolution& r) {
  std::vector<Triangle> images;
  const std::set<Index> active(r.active().begin(), r.active().end());
  for (const Triangle& t : model.triangles) {
    Triangle image = t;
    for (Index& v : image) {
      while (!active.contains(v)) v = model.hierarchy.parent(v);
    }
    if (image[0] != image[1] && image[1] != image[2] && image[2] != image[0]) images.push_back(image);
  }
  return images;
}

Vector3d doubled(std::span<const Vector3d> x, const Triangle& t) {
  return (x[at(t[1])] - x[at(t[0])]).cross(x[at(t[2])] - x[at(t[0])]);
}

/// Sheet as users have them: inner vertices moved within the plane by up to a quarter of a square, vertices and
/// triangles in random order.
TriangleMesh irregular_sheet(double width, double depth, int segments_x, int segments_z, unsigned seed) {
  std::mt19937_64 random(seed);
  TriangleMesh mesh = make_sheet(width, depth, segments_x, segments_z);
  for (Vector3d& p : mesh.positions) {
    const Vector3d shift(oracle::uniform(random) - 0.5, 0, oracle::uniform(random) - 0.5);
    if (std::abs(p.x()) < 0.4999 * width && std::abs(p.z()) < 0.4999 * depth)
      p += 0.5 * Vector3d(shift.x() * width / segments_x, 0, shift.z() * depth / segments_z);
  }
  std::vector<Index> number(mesh.positions.size());
  std::iota(number.begin(), number.end(), Index{0});
  std::shuffle(number.begin(), number.end(), random);
  std::vector<Vector3d> positions(number.size());
  for (std::size_t v = 0; v < number.size(); ++v) positions[at(number[v])] = mesh.positions[v];
  mesh.positions = std::move(positions);
  for (Triangle& t : mesh.triangles) {
    for (Index& v : t) v = number[at(v)];
  }
  std::shuffle(mesh.triangles.begin(), mesh.triangles.end(), random);
  return mesh;
}

TEST(ClothHierarchy, KeepsAboutAQuarterOfTheVerticesOfAnyMesh) {
  const std::vector<TriangleMesh> meshes{make_sheet(1, 1, 68, 68), make_icosphere(1, 4), make_torus(1, 0.3, 60, 30),
                                         make_sheet(3, 0.2, 90, 6)};
  for (const TriangleMesh& mesh : meshes) {
    const LevelModel model = model_of(mesh, {});
    const auto all = static_cast<double>(mesh.positions.size());
    EXPECT_EQ(model.hierarchy.vertex_count(0), mesh.positions.size());
    EXPECT_LT(static_cast<double>(model.hierarchy.vertex_count(1)), 0.3 * all);
    EXPECT_GT(static_cast<double>(model.hierarchy.vertex_count(1)), 0.2 * all);
    EXPECT_LT(static_cast<double>(model.hierarchy.vertex_count(2)), 0.11 * all);
    EXPECT_EQ(model.hierarchy.vertex_count(2), model.hierarchy.patch_count());
    for (Index v = 0; v < static_cast<Index>(mesh.positions.size()); ++v) {
      const Index parent = model.hierarchy.parent(v);
      EXPECT_EQ(parent == none, model.hierarchy.level(v) == 2);
      if (parent == none) continue;
      EXPECT_GE(model.hierarchy.level(parent), model.hierarchy.level(v));
      EXPECT_EQ(model.hierarchy.patch(parent), model.hierarchy.patch(v));
    }
  }
}

TEST(ClothHierarchy, TakesMeshesThatAreNoManifold) {
  // Three sheets on one edge, two fans at one vertex, a triangle twice, one without an area.
  TriangleMesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {2, 1, 0}, {2, -1, 0}, {0.5, 0, 0}};
  mesh.triangles = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}, {1, 5, 6}, {0, 1, 2}, {0, 7, 1}};
  const LevelModel model = model_of(make_sheet(1, 1, 3, 3), {});
  EXPECT_GT(model.hierarchy.vertex_count(2), 0U);
  const std::vector<std::uint8_t> kept(mesh.positions.size(), 0);
  const Hierarchy h({mesh.positions, mesh.triangles}, kept, 3);
  EXPECT_EQ(h.level(0), 2) << "of three sheets";
  EXPECT_EQ(h.level(1), 2) << "of two fans";
}

TEST(ClothHierarchy, CornersAndPinnedVerticesStay) {
  const TriangleMesh mesh = make_sheet(1, 1, 16, 16);
  const std::vector<Index> pinned{5, 40, 133};
  const LevelModel model = model_of(mesh, {}, pinned);
  for (const Index v : pinned) EXPECT_EQ(model.hierarchy.level(v), 2);
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const Vector3d& p = mesh.positions[v];
    if (std::abs(p.x()) > 0.49 && std::abs(p.z()) > 0.49) {
      EXPECT_EQ(model.hierarchy.level(static_cast<Index>(v)), 2);
    }
  }
}

/// Whatever the levels of the patches are, a flat sheet is tiled: no triangle is folded over, areas add up, and edges
/// with one triangle are on the border. So there is no crack and nothing hangs.
TEST(ClothResolution, TilesASheetWithoutCracksForAnyLevels) {
  const LevelModel regular = model_of(make_sheet(2, 1, 40, 20), {});
  const LevelModel irregular = model_of(irregular_sheet(2, 1, 40, 20, 1), {});
  for (std::uint64_t number = 0; number < 40; ++number) {
    const LevelModel& model = number < 20 ? regular : irregular;
    const std::uint64_t seed = number % 20;
    std::vector<std::uint8_t> wanted = random_levels(model.hierarchy, seed);
    if (seed < 3) std::ranges::fill(wanted, static_cast<std::uint8_t>(seed));
    const Resolution r(model, wanted);
    const std::set<Index> active(r.active().begin(), r.active().end());
    for (Index v = 0; v < static_cast<Index>(model.rest_positions.size()); ++v) {
      const bool wants = model.hierarchy.level(v) >= wanted[at(model.hierarchy.patch(v))];
      EXPECT_TRUE(!wants || active.contains(v)) << "at least those of their levels";
    }
    if (seed < 3) {
      EXPECT_EQ(active.size(), model.hierarchy.vertex_count(static_cast<int>(seed))) << "no others at one level";
    }
    double area = 0;
    std::map<std::pair<Index, Index>, int> edges;
    for (const Triangle& t : images_of(model, r)) {
      const Vector3d n = doubled(model.rest_positions, t);
      EXPECT_GT(n.y(), 0);
      area += n.y() / 2;
      for (std::size_t k = 0; k < 3; ++k) ++edges[std::minmax(t[k], t[(k + 1) % 3])];
    }
    EXPECT_NEAR(area, 2, 1e-12);
    for (const auto& [edge, count] : edges) {
      EXPECT_LE(count, 2);
      const Vector3d middle = (model.rest_positions[at(edge.first)] + model.rest_positions[at(edge.second)]) / 2;
      if (count == 1) {
        EXPECT_NEAR(std::max(std::abs(middle.x()), std::abs(middle.z()) / 0.5), 1, 1e-12);
      }
    }
    for (const Follower& f : r.followers()) {
      Vector3d mean = Vector3d::Zero();
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_GE(f.weights[k], 0);
        mean += f.weights[k] * model.rest_positions[at(r.active()[at(f.active[k])])];
      }
      EXPECT_LT((mean - model.rest_positions[at(f.vertex)]).norm(), 1e-12) << "in its triangle";
    }
    if (seed == 0) {
      EXPECT_EQ(r.active().size(), model.rest_positions.size());
    }
  }
}

/// Criterion 2: mass per area stays the same. Mass, its center and its spread are those of the mesh, and so is the mass
/// of every part of it up to what its border shares with its neighbors.
TEST(ClothLevels, MassPerAreaIsConstant) {
  Fabric fabric;
  fabric.density = 0.3;
  const LevelModel model = model_of(make_sheet(2, 2, 64, 64), fabric);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    std::vector<std::uint8_t> wanted = random_levels(model.hierarchy, seed);
    if (seed < 3) std::ranges::fill(wanted, static_cast<std::uint8_t>(seed));
    const Resolution r(model, wanted);
    double mass = 0;
    double quarter = 0;
    Vector3d moment = Vector3d::Zero();
    double spread = 0;
    for (std::size_t a = 0; a < r.active().size(); ++a) {
      const Vector3d& p = model.rest_positions[at(r.active()[a])];
      mass += r.mass()[a];
      moment += r.mass()[a] * p;
      spread += r.mass()[a] * p.squaredNorm();
      // A line through vertices has half of their mass on either side.
      const auto side = [](double x) { return x > 1e-12 ? 1.0 : x < -1e-12 ? 0.0 : 0.5; };
      quarter += r.mass()[a] * side(p.x()) * side(p.z());
    }
    EXPECT_NEAR(mass, 0.3 * 4, 1e-12);
    EXPECT_LT(moment.norm(), 1e-12);
    // Of a square of side 2: m s^2 / 6. Mass in the corners of a triangle adds a twelfth of the squares of its edges,
    // here of about 0.3 m.
    EXPECT_NEAR(spread, 0.3 * 4 * 2.0 / 3, 0.3 * 4 * 3 * 0.3 * 0.3 / 12);
    EXPECT_NEAR(quarter, 0.3, 0.04 * 0.3);
  }
}

/// Cloth with levels that nothing touches.
struct LevelCloth {
  LevelCloth(const TriangleMesh& mesh, const Fabric& fabric, const std::vector<Index>& pinned, std::uint8_t level)
      : state(start_levels(model_of(mesh, fabric, pinned))), x(mesh.positions), v(x.size(), Vector3d::Zero()) {
    set(std::vector<std::uint8_t>(state.model->hierarchy.patch_count(), level));
  }
  void set(const std::vector<std::uint8_t>& wanted) {
    state.resolution = std::make_shared<const Resolution>(*state.model, wanted);
  }
  /// Patches with a vertex for which it holds become fine.
  template <class Where>
  void refine(const Where& where) {
    std::vector<std::uint8_t> wanted(state.model->hierarchy.patch_count(), 2);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (where(x[i])) wanted[at(state.model->hierarchy.patch(static_cast<Index>(i)))] = 0;
    set(wanted);
  }
  /// Four inner steps from one start.
  void step(double interval, const Vector3d& gravity, double drag = 0) {
    const double h = interval / 4;
    motion.begin(*state.resolution, v);
    std::vector<Vector3d> displacements(x.size(), Vector3d::Zero());
    for (int k = 0; k < 4; ++k) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (state.model->pinned[i] != 0) continue;
        v[i] += h * gravity;
        v[i] /= 1 + h * drag;
      }
      motion.collect(workers, state, v);
      motion.project(workers, *state.resolution, h, x, displacements, v);
      motion.follow(workers, *state.resolution, h, x, displacements, v);
      for (std::size_t i = 0; i < x.size(); ++i) displacements[i] += h * v[i];
    }
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += displacements[i];
  }

  LevelState state;
  std::vector<Vector3d> x, v;
  LevelMotion motion;
  Workers workers{1};
};

/// Criterion 1: what is alike reacts alike to forces, whatever its level.
TEST(ClothLevels, AllVerticesFallAlike) {
  LevelCloth cloth(make_sheet(1, 1, 24, 24), {}, {}, 2);
  cloth.refine([](const Vector3d& p) { return p.x() > 0.1; });
  for (int k = 0; k < 50; ++k) cloth.step(0.002, {0, -9.81, 0});
  for (std::size_t i = 0; i < cloth.x.size(); ++i) {
    EXPECT_NEAR(cloth.v[i].y(), -0.981, 1e-12);
    EXPECT_LT(std::hypot(cloth.v[i].x(), cloth.v[i].z()), 1e-12);
  }
}

/// Criterion 1, at rest: a strip that hangs under its own weight stretches by density g length^2 / (2 stiffness),
/// coarse, fine, and half of each.
TEST(ClothLevels, HangingStripStretchesAlikeAtEveryLevel) {
  Fabric fabric;
  fabric.warp_stiffness = fabric.weft_stiffness = 40;
  fabric.shear_stiffness = 20;
  fabric.bend_stiffness = 0;
  const double length = 1;
  TriangleMesh mesh = make_sheet(length, 0.2, 20, 4);
  for (Vector3d& p : mesh.positions) p = Vector3d(p.x() - length / 2, 0, p.z());
  std::vector<Index> pinned;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i)
    if (mesh.positions[i].x() > -1e-9) pinned.push_back(static_cast<Index>(i));
  const double expected = fabric.density * 9.81 * length * length / (2 * fabric.warp_stiffness);
  for (int kind = 0; kind < 3; ++kind) {
    LevelCloth cloth(mesh, fabric, pinned, kind == 0 ? 0 : 2);
    if (kind == 2) cloth.refine([](const Vector3d& p) { return p.x() < -0.5; });
    for (int k = 0; k < 5000; ++k) cloth.step(0.0004, {-9.81, 0, 0}, 8);
    double mean = 0;
    double count = 0;
    for (std::size_t i = 0; i < cloth.x.size(); ++i) {
      if (mesh.positions[i].x() > -length + 1e-9) continue;
      mean += -length - cloth.x[i].x();
      ++count;
    }
    EXPECT_NEAR(mean / count, expected, 0.03 * expected) << "kind " << kind;
  }
}

/// Criterion 3: a pull runs through coarse and fine cloth with the speed of sound of the fabric, root of stiffness over
/// density. Its front is where half of the final speed is reached.
TEST(ClothLevels, PullRunsWithTheSameSpeedAtEveryLevel) {
  Fabric fabric;
  fabric.warp_stiffness = fabric.weft_stiffness = 60;
  fabric.shear_stiffness = 0;
  fabric.bend_stiffness = 0;
  fabric.density = 0.15;
  const double speed = std::sqrt(60 / 0.15);  // 20 m/s
  const double length = 4;
  const TriangleMesh mesh = make_sheet(length, 0.2, 160, 8);
  std::vector<double> arrivals;
  for (int kind = 0; kind < 3; ++kind) {
    LevelCloth cloth(mesh, fabric, {}, kind == 0 ? 0 : 2);
    if (kind == 2) cloth.refine([](const Vector3d& p) { return p.x() > 0; });
    // The last tenth of the strip moves away at 0.5 m/s; where the front has passed, cloth moves at half of that.
    for (std::size_t i = 0; i < cloth.x.size(); ++i)
      if (mesh.positions[i].x() < -1.6) cloth.v[i] = Vector3d(-0.5, 0, 0);
    const double h = 0.0002;
    double arrival = 0;
    for (int k = 0; k < 2000 && arrival == 0; ++k) {
      cloth.step(h, Vector3d::Zero());
      double moved = 0;
      double count = 0;
      for (std::size_t i = 0; i < cloth.x.size(); ++i) {
        if (std::abs(mesh.positions[i].x() - 1) > 0.06) continue;
        moved += cloth.v[i].x();
        ++count;
      }
      if (moved / count < -0.125) arrival = (k + 1) * h;
    }
    arrivals.push_back(arrival);
    EXPECT_NEAR(arrival, 2.6 / speed, 0.08 * 2.6 / speed) << "kind " << kind;
  }
  EXPECT_NEAR(arrivals[1], arrivals[0], 0.05 * arrivals[0]);
  EXPECT_NEAR(arrivals[2], arrivals[0], 0.05 * arrivals[0]);
}

void expect_changes_to_keep(const TriangleMesh& mesh) {
  std::mt19937_64 random(3);
  LevelState state = start_levels(model_of(mesh, {}));
  const LevelModel& model = *state.model;
  std::vector<Vector3d> x = mesh.positions;
  std::vector<Vector3d> v(x.size());
  for (Vector3d& p : x) p += Vector3d(oracle::uniform(random), oracle::uniform(random), oracle::uniform(random)) * 0.02;
  for (Vector3d& u : v) u = {oracle::uniform(random), oracle::uniform(random) - 0.5, oracle::uniform(random)};
  const auto momentum = [&] {
    std::pair<Vector3d, Vector3d> sum{Vector3d::Zero(), Vector3d::Zero()};
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum.first += model.mass[i] * v[i];
      sum.second += model.mass[i] * x[i].cross(v[i]);
    }
    return sum;
  };
  const std::vector<Vector3d> before = x;
  std::vector<std::uint8_t> touched(x.size(), 0);
  int changes = 0;
  for (int k = 0; k < 60; ++k) {
    std::ranges::fill(touched, std::uint8_t{0});
    if (k < 20) touched[at(static_cast<Index>(oracle::uniform(random) * static_cast<double>(x.size())))] = 1;
    note_contacts(0.02, touched, state);
    const auto [linear, angular] = momentum();
    changes += change_levels(x, state, v) ? 1 : 0;
    EXPECT_LT((momentum().first - linear).norm(), 1e-13);
    EXPECT_LT((momentum().second - angular).norm(), 1e-13);
    EXPECT_TRUE(x == before);
  }
  EXPECT_GT(changes, 5);
  EXPECT_GT(state.activations, 0U);
  EXPECT_EQ(state.resolution->active().size(), model.hierarchy.vertex_count(2)) << "coarse again";
  EXPECT_EQ(state.activations, state.deactivations);
}

TEST(ClothLevels, ChangesKeepPositionsMomentumAndAngularMomentum) {
  for (const TriangleMesh& mesh : {make_sheet(1, 1, 24, 24), irregular_sheet(1, 1, 24, 24, 2), make_icosphere(0.5, 3)})
    expect_changes_to_keep(mesh);
}

TEST(ClothLevels, FineAtOnceAndCoarseOnlyAfterAHold) {
  const TriangleMesh mesh = make_sheet(1, 1, 64, 64);
  LevelState state = start_levels(model_of(mesh, {}));
  std::vector<Vector3d> v(mesh.positions.size(), Vector3d::Zero());
  const Index middle = 32 * 65 + 32;
  const Index patch = state.model->hierarchy.patch(middle);
  std::vector<std::uint8_t> touched(v.size(), 0);
  EXPECT_EQ(state.resolution->levels()[at(patch)], 2);
  touched[at(middle)] = 1;
  note_contacts(0.01, touched, state);
  EXPECT_TRUE(change_levels(mesh.positions, state, v));
  EXPECT_EQ(state.resolution->levels()[at(patch)], 0);
  for (const Index n : state.model->hierarchy.neighbors(patch)) EXPECT_EQ(state.resolution->levels()[at(n)], 0);
  EXPECT_LT(state.resolution->active().size(), v.size() / 2) << "only around it";

  // A contact that flickers: no change.
  for (int k = 0; k < 100; ++k) {
    touched[at(middle)] = k % 12 == 0 ? 1 : 0;
    note_contacts(0.02, touched, state);
    EXPECT_FALSE(change_levels(mesh.positions, state, v)) << k;
  }
  touched[at(middle)] = 0;
  double calm = 0;
  while (state.resolution->levels()[at(patch)] == 0 && calm < 1) {
    note_contacts(0.01, touched, state);
    calm += 0.01;
    change_levels(mesh.positions, state, v);
  }
  EXPECT_NEAR(calm, 0.25, 0.17) << "the hold, less what had passed";
  EXPECT_EQ(state.resolution->levels()[at(patch)], 2);
}

void expect_momentum_to_stay(const TriangleMesh& mesh) {
  std::mt19937_64 random(9);
  LevelCloth cloth(mesh, {}, {}, 2);
  cloth.refine([](const Vector3d& p) { return p.norm() < 0.2; });
  for (const Index a : cloth.state.resolution->active())
    cloth.v[at(a)] = Vector3d(oracle::uniform(random), oracle::uniform(random), oracle::uniform(random));
  for (const Follower& f : cloth.state.resolution->followers()) {
    cloth.v[at(f.vertex)].setZero();
    for (std::size_t k = 0; k < 3; ++k)
      cloth.v[at(f.vertex)] += f.weights[k] * cloth.v[at(cloth.state.resolution->active()[at(f.active[k])])];
  }
  const auto momentum = [&] {
    Vector3d sum = Vector3d::Zero();
    for (std::size_t i = 0; i < cloth.x.size(); ++i) sum += cloth.state.model->mass[i] * cloth.v[i];
    return sum;
  };
  const Vector3d before = momentum();
  for (int k = 0; k < 200; ++k) cloth.step(0.001, Vector3d::Zero());
  EXPECT_LT((momentum() - before).norm(), 1e-12 * before.norm() * 100);
}

TEST(ClothLevels, MomentumOfFreeClothIsKeptWhileItSwings) {
  for (const TriangleMesh& mesh : {make_sheet(1, 1, 24, 24), irregular_sheet(1, 1, 24, 24, 4)})
    expect_momentum_to_stay(mesh);
}

}  // namespace
}  // namespace carom::cloth
