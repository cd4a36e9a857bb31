#include "narrow/surface/mesh_sides.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "carom/detect/detect.hpp"
#include "carom/mesh/closest.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/mesh/surface_builder.hpp"
#include "oracle/soup.hpp"
#include "shapes/shape_data.hpp"

namespace carom::narrow::surface {
namespace {

using Eigen::Vector3d;

/// Nearest distance of a point from a mesh, all triangles one by one.
double slow_distance(const TriangleMesh& mesh, const Vector3d& p) {
  double nearest = INFINITY;
  for (const Triangle& t : mesh.triangles) {
    const auto corner = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
    nearest = std::min(nearest, closest_vertex_triangle(p, corner(0), corner(1), corner(2)).distance);
  }
  return nearest;
}

/// Whether a point off a closed mesh is inside: the solid angles of all triangles add up to a full one.
bool slow_inside(const TriangleMesh& mesh, const Vector3d& p) {
  double sum = 0;
  for (const Triangle& t : mesh.triangles) {
    const auto to = [&](std::size_t k) { return Vector3d(mesh.positions[static_cast<std::size_t>(t[k])] - p); };
    const Vector3d a = to(0);
    const Vector3d b = to(1);
    const Vector3d c = to(2);
    const double la = a.norm();
    const double lb = b.norm();
    const double lc = c.norm();
    sum += 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return std::abs(sum) > 2 * std::numbers::pi;
}

TriangleMesh moved(TriangleMesh mesh, const Eigen::Isometry3d& pose) {
  for (Vector3d& p : mesh.positions) p = pose * p;
  return mesh;
}

TriangleMesh joined(TriangleMesh a, const TriangleMesh& b) {
  const auto first = static_cast<Index>(a.positions.size());
  a.positions.insert(a.positions.end(), b.positions.begin(), b.positions.end());
  for (const Triangle& t : b.triangles) a.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  return a;
}

/// A rigid mesh and a wavy sheet near it or in it, and what MeshSides makes of their contacts.
struct Scene {
  TriangleMesh mesh;  ///< in the world
  TriangleMesh sheet;
  Surface surface{0, {}};
  std::vector<Vector3d> positions;
  Shape shape = Shape::sphere(1);
  std::vector<SidedMesh> meshes;
  std::vector<SidedPart> parts;
  std::vector<SidedPair> pairs;
  Workers workers{1};

  Scene(const TriangleMesh& local, const Eigen::Isometry3d& pose, TriangleMesh with, double margin = 0)
      : mesh(moved(local, pose)), sheet(std::move(with)), shape(Shape::mesh(local)) {
    SurfaceBuilder builder;
    builder.add(mesh);
    builder.add(sheet);
    surface = builder.surface();
    positions = mesh.positions;
    positions.insert(positions.end(), sheet.positions.begin(), sheet.positions.end());
    meshes = {{.mesh = shape.data().mesh.get(), .pose = pose, .margin = margin}};
    const auto count = static_cast<Index>(mesh.positions.size());
    parts = {{0, count, 0, 0},
             {count, static_cast<Index>(sheet.positions.size()), static_cast<Index>(mesh.triangles.size())}};
    pairs = {{0, 1}};
  }

  void place_sheet(const std::vector<Vector3d>& to) {
    sheet.positions = to;
    std::copy(to.begin(), to.end(), positions.begin() + static_cast<std::ptrdiff_t>(mesh.positions.size()));
  }

  SidesIn in() const {
    return {.triangles = surface.triangles(), .positions = positions, .meshes = meshes, .parts = parts, .pairs = pairs};
  }
  std::vector<Contact> unsided(double distance) const {
    return detect(surface, positions, {.distance = distance, .pairs = PairScope::between});
  }
};

/// What MeshSides promises, from all triangles one by one. The mesh is part 0 and closed, the sheet part 1.
std::vector<Contact> slow_sides(const Scene& scene, double distance, double within, double margin) {
  const auto first = static_cast<Index>(scene.mesh.positions.size());
  const auto first_triangle = static_cast<Index>(scene.mesh.triangles.size());
  std::vector<bool> inside;
  for (const Vector3d& p : scene.sheet.positions) inside.push_back(slow_inside(scene.mesh, p));
  std::vector<Contact> out;
  std::map<std::pair<ContactKind, std::array<Index, 2>>, Contact> pierced;
  for (Contact c : scene.unsided(distance)) {
    const auto split = static_cast<std::size_t>(side_a_size(c.kind));
    const bool mesh_is_a = c.vertices[0] < first;
    std::vector<Index> of_mesh;
    std::vector<Index> of_sheet;
    for (std::size_t k = 0; k < 4; ++k) ((k < split) == mesh_is_a ? of_mesh : of_sheet).push_back(c.vertices[k]);
    const auto starts_inside = [&](Index v) { return inside[static_cast<std::size_t>(v - first)]; };
    if (std::any_of(of_sheet.begin(), of_sheet.end(), starts_inside)) continue;
    const Vector3d point = mesh_is_a ? c.point_b : c.point_a;
    if (of_sheet.size() == 1 || !slow_inside(scene.mesh, point)) {
      out.push_back(c);
      continue;
    }
    const Vector3d on_mesh = mesh_is_a ? c.point_a : c.point_b;
    const Vector3d way_out = (on_mesh - point).normalized();
    bool farthest = true;
    for (const Triangle& t : scene.mesh.triangles) {
      const auto has = [&](Index v) { return std::find(t.begin(), t.end(), v) != t.end(); };
      if (!std::all_of(of_mesh.begin(), of_mesh.end(), has)) continue;
      for (const Index v : t) {
        const Vector3d d = scene.mesh.positions[static_cast<std::size_t>(v)] -
                           scene.mesh.positions[static_cast<std::size_t>(of_mesh[0])];
        farthest = farthest && way_out.dot(d) <= 1e-6 * d.norm();
      }
    }
    if (!farthest) continue;
    c.distance = -c.distance;
    c.normal = -c.normal;
    const auto [known, is_new] = pierced.try_emplace({c.kind, mesh_is_a ? c.b : c.a}, c);
    if (!is_new && c.distance > known->second.distance) known->second = c;
  }
  for (const auto& [key, c] : pierced) out.push_back(c);
  for (Contact& c : out) {
    c.distance -= margin;
    if (c.vertices[0] < first) {
      c.point_a += margin * c.normal;
    } else {
      c.point_b -= margin * c.normal;
    }
  }
  std::erase_if(out, [&](const Contact& c) { return !(c.distance < within); });
  for (std::size_t v = 0; v < inside.size(); ++v) {
    if (!inside[v]) continue;
    const Vector3d& p = scene.sheet.positions[v];
    Contact c;
    c.kind = ContactKind::vertex_face;
    c.a = {first + static_cast<Index>(v), none};
    const double nearest = slow_distance(scene.mesh, p);
    c.distance = -nearest - margin;
    for (std::size_t t = 0; t < scene.mesh.triangles.size(); ++t) {
      const Triangle& corners = scene.mesh.triangles[t];
      const auto corner = [&](std::size_t k) { return scene.mesh.positions[static_cast<std::size_t>(corners[k])]; };
      const VertexTriangleClosest closest = closest_vertex_triangle(p, corner(0), corner(1), corner(2));
      if (closest.distance != nearest) continue;
      c.normal = -(closest.point - p).normalized();
      c.point_a = p;
      c.point_b = closest.point - margin * c.normal;
    }
    out.push_back(c);
  }
  EXPECT_LE(first_triangle, static_cast<Index>(scene.surface.triangles().size()));
  return out;
}

/// Contacts by their features; of a vertex inside by the vertex alone, for the nearest point may be on several
/// triangles.
using Key = std::tuple<ContactKind, std::array<Index, 2>, std::array<Index, 2>>;
std::map<Key, Contact> by_features(const std::vector<Contact>& contacts, double margin) {
  std::map<Key, Contact> all;
  for (const Contact& c : contacts) {
    const bool inside = c.kind == ContactKind::vertex_face && c.distance < -margin && c.b[0] == none;
    const auto [at, is_new] = all.emplace(Key{c.kind, c.a, inside ? std::array{none, none} : c.b}, c);
    EXPECT_TRUE(is_new) << "twice";
  }
  return all;
}

TriangleMesh wavy_sheet(std::mt19937_64& random, int segments) {
  TriangleMesh sheet = make_sheet(2.4, 2.4, segments, segments);
  const double a = 0.6 * oracle::uniform(random);
  const double phase = 6 * oracle::uniform(random);
  for (Vector3d& p : sheet.positions) p.y() += a * std::sin(3 * p.x() + phase) * std::cos(2 * p.z());
  return sheet;
}

Eigen::Isometry3d random_pose(std::mt19937_64& random, double place) {
  const auto number = [&] { return 2 * oracle::uniform(random) - 1; };
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  const double w = number();
  const double x = number();
  const double y = number();
  pose.linear() = Eigen::Quaterniond(w, x, y, number()).normalized().toRotationMatrix();
  const double px = number();
  const double py = number();
  pose.translation() = place * Vector3d(px, py, number());
  return pose;
}

TEST(MeshSides, AreThoseOfAllTrianglesOneByOne) {
  std::mt19937_64 random(11);
  Eigen::Isometry3d beside = Eigen::Isometry3d::Identity();
  beside.translation() = Vector3d(0.9, 0, 0);
  const std::vector<TriangleMesh> meshes{make_box({1.2, 0.3, 0.8}, 2), make_icosphere(0.6, 2),
                                         make_torus(0.6, 0.2, 12, 8),
                                         joined(make_box({0.5, 0.5, 0.5}, 1), moved(make_icosphere(0.3, 1), beside))};
  std::size_t inside = 0;
  std::size_t turned = 0;
  std::size_t dropped = 0;
  for (int i = 0; i < 80; ++i) {
    const double margin = i % 4 == 0 ? 0.05 : 0;
    const double within = 0.1;
    Scene scene(meshes[static_cast<std::size_t>(i) % meshes.size()], random_pose(random, 0.5),
                wavy_sheet(random, i % 2 == 0 ? 12 : 3), margin);
    MeshSides sides;
    std::vector<Contact> contacts = scene.unsided(within + margin);
    const std::size_t before = contacts.size();
    const MeshSides::Changes changes = sides.apply(scene.workers, scene.in(), within, contacts);
    EXPECT_EQ(contacts.size(), before - changes.dropped + changes.added);
    EXPECT_TRUE(std::is_sorted(contacts.begin(), contacts.end(), canonical_less));
    const std::vector<Contact> slow = slow_sides(scene, within + margin, within, margin);
    ASSERT_EQ(contacts.size(), slow.size()) << i;
    // A vertex inside has one contact only, so the twin need not say with which triangle.
    std::map<Key, Contact> expected = by_features(slow, margin);
    for (const Contact& c : contacts) {
      auto found = expected.find({c.kind, c.a, c.b});
      if (found == expected.end()) {
        found = expected.find({c.kind, c.a, {none, none}});
        ++inside;
      } else if (c.distance < -margin) {
        ++turned;
      }
      ASSERT_NE(found, expected.end()) << i;
      EXPECT_NEAR(c.distance, found->second.distance, 1e-12) << i;
      EXPECT_LT((c.normal - found->second.normal).norm(), 1e-6) << i;
      EXPECT_LT((c.point_a - found->second.point_a).norm(), 1e-9) << i;
      EXPECT_LT((c.point_b - found->second.point_b).norm(), 1e-6) << i;
      EXPECT_NEAR((c.point_b - c.point_a).dot(c.normal), c.distance, 1e-12) << i;
      expected.erase(found);
    }
    dropped += changes.dropped;
  }
  EXPECT_GT(inside, 200U);
  EXPECT_GT(turned, 20U);
  EXPECT_GT(dropped, 500U);
}

/// Sides that were remembered are those of a fresh search, while a sheet is carried through a mesh.
TEST(MeshSides, RememberedSidesAreThoseOfAFreshSearch) {
  std::mt19937_64 random(12);
  Scene scene(make_torus(0.6, 0.25, 16, 10), random_pose(random, 0.1), wavy_sheet(random, 20));
  MeshSides kept;
  const std::vector<Vector3d> start = scene.sheet.positions;
  for (int step = 0; step < 60; ++step) {
    std::vector<Vector3d> to = start;
    for (Vector3d& p : to) p.y() += 0.9 - 0.03 * step;
    scene.place_sheet(to);
    scene.meshes[0].pose.translation() += Vector3d(0.001, 0, 0);
    std::copy_n(moved(scene.shape.data().mesh->mesh, scene.meshes[0].pose).positions.begin(),
                scene.mesh.positions.size(), scene.positions.begin());
    kept.classify(scene.workers, scene.in());
    MeshSides fresh;
    fresh.classify(scene.workers, scene.in());
    EXPECT_TRUE(std::equal(kept.inside().begin(), kept.inside().end(), fresh.inside().begin(), fresh.inside().end()))
        << step;
  }
}

TEST(MeshSides, OpenMeshesHaveNone) {
  TriangleMesh open = make_box({1, 1, 1}, 2);
  open.triangles.pop_back();
  Scene scene(open, Eigen::Isometry3d::Identity(), make_sheet(2, 2, 8, 8));
  MeshSides sides;
  const std::vector<Contact> before = scene.unsided(0.1);
  std::vector<Contact> contacts = before;
  const MeshSides::Changes changes = sides.apply(scene.workers, scene.in(), 0.1, contacts);
  EXPECT_EQ(changes.dropped, 0U);
  EXPECT_EQ(changes.added, 0U);
  EXPECT_EQ(contacts.size(), before.size());
  EXPECT_GT(before.size(), 0U);
  EXPECT_TRUE(sides.inside().empty());
}

TEST(MeshSides, ExcludedVerticesAndPartsThatMayNotTouchGetNoContacts) {
  Scene scene(make_box({1, 1, 1}, 1), Eigen::Isometry3d::Identity(), make_sheet(0.5, 0.5, 1, 1));
  MeshSides sides;
  std::vector<Contact> contacts;
  EXPECT_EQ(sides.apply(scene.workers, scene.in(), 0.1, contacts).added, 4U);
  std::vector<std::array<Index, 2>> excluded;
  for (Index v = 0; v < 8; ++v) excluded.push_back({8, v});
  SidesIn in = scene.in();
  in.excluded_vertices = excluded;
  contacts.clear();
  EXPECT_EQ(sides.apply(scene.workers, in, 0.1, contacts).added, 3U);
  scene.pairs.clear();
  contacts.clear();
  EXPECT_EQ(sides.apply(scene.workers, scene.in(), 0.1, contacts).added, 0U);
}

}  // namespace
}  // namespace carom::narrow::surface
