#include "narrow/surface/shape_contacts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "carom/mesh/generate.hpp"
#include "carom/query/query.hpp"
#include "narrow/surface/surface_tree.hpp"
#include "oracle/soup.hpp"
#include "shapes/shape_data.hpp"
#include "shapes/shape_samples.hpp"

// Contacts of a convex shape with a surface, against the distance of the shape from each vertex, edge and triangle
// taken as a shape of its own.
namespace carom::narrow::surface {
namespace {

using Eigen::Vector3d;
/// Number of corners less one, and the corners, ascending, or the triangle.
using Key = std::pair<int, std::array<Index, 3>>;

struct Sheet {
  Surface surface;
  std::vector<Vector3d> positions;

  explicit Sheet(const TriangleMesh& mesh)
      : surface(mesh.positions.size(), mesh.triangles), positions(mesh.positions) {}
  Sheet(std::size_t vertices, std::vector<Triangle> triangles, std::vector<Vector3d> places)
      : surface(vertices, std::move(triangles)), positions(std::move(places)) {}
};

std::vector<Index> all_triangles(const Surface& surface) {
  std::vector<Index> all;
  for (std::size_t t = 0; t < surface.triangles().size(); ++t) {
    if (!is_dead(surface.triangles()[t])) all.push_back(static_cast<Index>(t));
  }
  return all;
}

std::vector<ShapeContact> contacts(const Shape& shape, const Eigen::Isometry3d& pose, const Sheet& sheet,
                                   const ShapeContactOptions& options) {
  ShapeContactScratch scratch;
  std::vector<ShapeContact> out;
  find_shape_contacts(shape.data().core, pose, sheet.surface, sheet.positions, all_triangles(sheet.surface), options,
                      scratch, out);
  return out;
}

Key key_of(const ShapeContact& c) {
  if (c.feature == FeatureKind::triangle) return {2, {c.id, none, none}};
  return {static_cast<int>(c.feature), c.vertices};
}

/// Separation of one feature, from the shape made of its corners.
double separation(const Shape& shape, const Eigen::Isometry3d& pose, const Sheet& sheet, const Key& key) {
  const std::array<Index, 3> vertices =
      key.first == 2 ? sheet.surface.triangles()[static_cast<std::size_t>(key.second[0])] : key.second;
  std::vector<Vector3d> corners;
  Vector3d middle = Vector3d::Zero();
  for (std::size_t k = 0; k <= static_cast<std::size_t>(key.first); ++k) {
    corners.push_back(sheet.positions[static_cast<std::size_t>(vertices[k])]);
    middle += corners.back() / (key.first + 1);
  }
  for (Vector3d& p : corners) p -= middle;
  Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
  at.translation() = middle;
  return distance(shape, pose, Shape::hull(corners), at).distance;
}

/// Every feature with its separation, and the smallest of those features of its boundary that make contacts.
struct Measured {
  double separation;
  double boundary = INFINITY;
  bool doubtful = false;  ///< rounding decides whether an edge of its boundary makes a contact
};

std::map<Key, Measured> measure_all(const Shape& shape, const Eigen::Isometry3d& pose, const Sheet& sheet,
                                    double resolution) {
  std::map<Key, Measured> all;
  const auto take = [&](const Key& key) -> Measured& {
    const auto known = all.find(key);
    if (known != all.end()) return known->second;
    return all.emplace(key, Measured{separation(shape, pose, sheet, key)}).first->second;
  };
  for (std::size_t i = 0; i < sheet.surface.triangles().size(); ++i) {
    const Triangle& t = sheet.surface.triangles()[i];
    double boundary = INFINITY;
    bool doubtful = false;
    for (std::size_t k = 0; k < 3; ++k) {
      const Index u = t[k];
      const Index v = t[(k + 1) % 3];
      const double ends = std::min(take({0, {u, none, none}}).separation, take({0, {v, none, none}}).separation);
      boundary = std::min(boundary, ends);
      if (u == v) continue;
      Measured& edge = take({1, {std::min(u, v), std::max(u, v), none}});
      edge.boundary = ends;
      const double deeper = ends - resolution - edge.separation;
      if (deeper > 0) boundary = std::min(boundary, edge.separation);
      doubtful = doubtful || (resolution > 0 && std::abs(deeper) < 0.1 * resolution);
    }
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    Measured& triangle = take({2, {static_cast<Index>(i), none, none}});
    triangle.boundary = boundary;
    triangle.doubtful = doubtful;
  }
  return all;
}

struct Counts {
  int vertices = 0, edges = 0, triangles = 0, penetrating = 0;
};

void check_contact(const Shape& shape, const Eigen::Isometry3d& pose, const Sheet& sheet, const ShapeContact& c,
                   double size, double loose) {
  ASSERT_NEAR(c.normal.norm(), 1, 1e-12);
  const Vector3d n = c.normal;
  const Vector3d local = pose.linear().transpose() * n;
  const double support = n.dot(pose.translation()) + local.dot(shape.support(local));
  // The normal separates the feature by the distance: along it, every corner is at least this far from the shape.
  double lowest = INFINITY;
  double sum = 0;
  Vector3d point = Vector3d::Zero();
  for (std::size_t k = 0; k <= static_cast<std::size_t>(c.feature); ++k) {
    const Vector3d& x = sheet.positions[static_cast<std::size_t>(c.vertices[k])];
    lowest = std::min(lowest, n.dot(x) - support);
    EXPECT_GE(c.weights[k], 0);
    sum += c.weights[k];
    point += c.weights[k] * x;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(lowest, c.distance, loose);
  EXPECT_LE((point - c.point_on_surface).norm(), 1e-12 * size);
  EXPECT_LE((c.point_on_surface - c.point_on_shape - c.distance * n).norm(), 1e-12 * size);
  // The point on the surface is one of those that are lowest along the normal.
  EXPECT_NEAR(n.dot(c.point_on_surface) - support, c.distance, 20 * loose);
  if (c.distance > -shape.data().core.radius) {
    // Apart but for the rounding: the point on the shape is a point of it.
    const Vector3d on_shape = pose.linear().transpose() * (c.point_on_shape - pose.translation());
    EXPECT_LE(point_distance(shape.data().core, math::to_vec3(on_shape), INFINITY).distance, 1e-6 * size);
  }
}

void compare(const Shape& shape, const Eigen::Isometry3d& pose, const Sheet& sheet, const ShapeContactOptions& options,
             Counts& counts) {
  const std::vector<ShapeContact> found = contacts(shape, pose, sheet, options);
  const shapes::Core& core = shape.data().core;
  double extent = core.reach + core.radius;
  for (const Vector3d& p : sheet.positions) extent = std::max(extent, 2 * (p - pose.translation()).norm());
  const double tight = 1e-9 * extent;
  // Depths of round shapes are true to this.
  const double round = core.polytope() ? tight : 1e-4 * extent;

  std::map<Key, Measured> all = measure_all(shape, pose, sheet, options.resolution);
  std::vector<Key> order;
  for (const ShapeContact& c : found) {
    SCOPED_TRACE(::testing::Message() << "feature " << static_cast<int>(c.feature) << " id " << c.id);
    const Key key = key_of(c);
    const auto measured = all.find(key);
    ASSERT_NE(measured, all.end()) << "reported twice, or not there";
    const Measured m = measured->second;
    const bool cut = m.separation < -core.radius + tight;
    const double loose = cut ? round : tight;
    EXPECT_NEAR(c.distance, m.separation, loose);
    EXPECT_LT(c.distance, options.within);
    if (c.feature != FeatureKind::vertex && !m.doubtful) {
      EXPECT_LT(m.separation, m.boundary - options.resolution + loose);
    }
    check_contact(shape, pose, sheet, c, extent, loose);
    counts.vertices += c.feature == FeatureKind::vertex ? 1 : 0;
    counts.edges += c.feature == FeatureKind::edge ? 1 : 0;
    counts.triangles += c.feature == FeatureKind::triangle ? 1 : 0;
    counts.penetrating += c.distance < 0 ? 1 : 0;
    order.push_back(key);
    all.erase(measured);
  }
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  // Nothing else counts.
  for (const auto& [key, m] : all) {
    const double loose = m.separation < -core.radius + tight ? 2 * round : tight;
    const bool below = m.separation < options.within - loose;
    const bool deeper = key.first == 0 || m.separation < m.boundary - options.resolution - loose;
    EXPECT_FALSE(below && deeper && !m.doubtful)
        << "feature " << key.first << " of " << key.second[0] << ' ' << key.second[1] << ' ' << key.second[2] << " at "
        << m.separation << " beside " << m.boundary;
  }
}

/// A sheet with bumps, about 2 m wide.
Sheet bumpy_sheet(std::mt19937_64& random, int segments, double height) {
  Sheet sheet(make_sheet(2, 2, segments, segments));
  for (Vector3d& p : sheet.positions) p += height * test::random_vector(random);
  return sheet;
}

Sheet soup(std::uint64_t seed, const oracle::SoupOptions& options) {
  const oracle::Soup s = oracle::make_soup(seed, options);
  return {s.positions.size(), s.triangles, s.positions};
}

std::vector<test::Sample> bounded_samples() {
  std::vector<test::Sample> samples = test::convex_samples();
  std::erase_if(samples, [](const test::Sample& s) { return s.shape.kind() == ShapeKind::half_space; });
  return samples;
}

TEST(ShapeContacts, AllFeaturesOfBumpySheets) {
  std::mt19937_64 random(11);
  Counts counts;
  for (const test::Sample& sample : bounded_samples()) {
    for (const double margin : {0.0, 0.15}) {
      const Shape shape = sample.shape.with_margin(margin);
      for (int i = 0; i < 5; ++i) {
        SCOPED_TRACE(sample.name + " with margin " + std::to_string(margin) + ", " + std::to_string(i));
        const Sheet sheet = bumpy_sheet(random, 2 + i, 0.15);
        compare(shape, test::random_pose(random, 0.9), sheet, {0.05 + 0.2 * i, i == 3 ? 0.01 : 0}, counts);
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(counts.vertices, 500);
  EXPECT_GT(counts.edges, 100);
  EXPECT_GT(counts.triangles, 30);
  EXPECT_GT(counts.penetrating, 100);
}

TEST(ShapeContacts, AllFeaturesOfSoups) {
  std::mt19937_64 random(12);
  Counts counts;
  for (const test::Sample& sample : bounded_samples()) {
    for (int i = 0; i < 4; ++i) {
      SCOPED_TRACE(sample.name + ", " + std::to_string(i));
      oracle::SoupOptions options;
      options.objects = 1;
      options.size = i == 2 ? 12 : 2.5;
      options.origin = Vector3d::Constant(-0.5 * options.size);
      options.on_grid = i == 1;
      options.repeated_corners = i == 3;
      compare(sample.shape, test::random_pose(random, 0.5), soup(random(), options), {0.1}, counts);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(counts.edges, 100);
  EXPECT_GT(counts.triangles, 50);
}

TEST(ShapeContacts, NeedlesTinyAndHugeShapes) {
  std::mt19937_64 random(13);
  Counts counts;
  const std::vector<Shape> shapes{Shape::cone(0.01, 0.8),         Shape::box({0.005, 0.005, 0.9}),
                                  Shape::capsule(1e-3, 0.7),      Shape::sphere(1e-3),
                                  Shape::box({40, 0.01, 40}),     Shape::sphere(50),
                                  Shape::box({1e-3, 1e-3, 1e-3}), Shape::ellipsoid({0.02, 0.9, 0.02})};
  for (const Shape& shape : shapes) {
    for (int i = 0; i < 6; ++i) {
      SCOPED_TRACE(std::to_string(&shape - shapes.data()) + ", " + std::to_string(i));
      const Sheet sheet = bumpy_sheet(random, 3, 0.1);
      compare(shape, test::random_pose(random, i < 3 ? 0.4 : 2), sheet, {0.02}, counts);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(counts.triangles, 5);
}

TEST(ShapeContacts, FarFromTheOrigin) {
  std::mt19937_64 random(14);
  const Vector3d far(1e6, -2e6, 3e5);
  for (const test::Sample& sample : bounded_samples()) {
    Sheet sheet = bumpy_sheet(random, 4, 0.2);
    for (Vector3d& p : sheet.positions) p += far;
    Eigen::Isometry3d pose = test::random_pose(random, 0.3);
    pose.pretranslate(far);
    // The coordinates given are compared, relative to the shape.
    Sheet near = sheet;
    for (Vector3d& p : near.positions) p -= pose.translation();
    Eigen::Isometry3d at_origin = pose;
    at_origin.translation().setZero();
    const std::vector<ShapeContact> there = contacts(sample.shape, pose, sheet, {0.1});
    const std::vector<ShapeContact> here = contacts(sample.shape, at_origin, near, {0.1});
    ASSERT_EQ(there.size(), here.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
      EXPECT_EQ(there[i].distance, here[i].distance);
      EXPECT_EQ(there[i].normal, here[i].normal);
      EXPECT_EQ(there[i].weights, here[i].weights);
    }
  }
}

TEST(ShapeContacts, HalfSpacesTakeVerticesOnly) {
  std::mt19937_64 random(15);
  const Sheet sheet = bumpy_sheet(random, 6, 0.2);
  const Shape ground = Shape::half_space({0.3, 2, -0.4}, 0.1);
  for (int i = 0; i < 10; ++i) {
    const Eigen::Isometry3d pose = test::random_pose(random, 0.5);
    const std::vector<ShapeContact> found = contacts(ground, pose, sheet, {0.05});
    const Vector3d n = pose.linear() * Vector3d(0.3, 2, -0.4).normalized();
    std::size_t next = 0;
    for (std::size_t v = 0; v < sheet.positions.size(); ++v) {
      const double height = n.dot(sheet.positions[v] - pose.translation()) - ground.data().core.offset;
      if (height > 0.05) continue;
      ASSERT_LT(next, found.size());
      EXPECT_EQ(found[next].id, static_cast<Index>(v));
      EXPECT_NEAR(found[next].distance, height, 1e-14);
      EXPECT_LE((found[next].normal - n).norm(), 1e-14);
      ++next;
    }
    EXPECT_EQ(next, found.size());
  }
}

bool same_bits(const std::vector<ShapeContact>& a, const std::vector<ShapeContact>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ShapeContact& x, const ShapeContact& y) {
    return x.feature == y.feature && x.id == y.id && x.vertices == y.vertices && x.weights == y.weights &&
           x.point_on_shape == y.point_on_shape && x.point_on_surface == y.point_on_surface && x.normal == y.normal &&
           x.distance == y.distance;
  });
}

TEST(ShapeContacts, OrderOfCandidatesDoesNotMatter) {
  std::mt19937_64 random(16);
  ShapeContactScratch scratch;  // for all of them
  for (const test::Sample& sample : test::convex_samples()) {
    const Sheet sheet = bumpy_sheet(random, 7, 0.1);
    const Eigen::Isometry3d pose = test::random_pose(random, 0.4);
    const std::vector<ShapeContact> expected = contacts(sample.shape, pose, sheet, {0.1});
    std::vector<Index> candidates = all_triangles(sheet.surface);
    candidates.insert(candidates.end(), candidates.begin(), candidates.begin() + 20);
    for (int i = 0; i < 4; ++i) {
      std::shuffle(candidates.begin(), candidates.end(), random);
      std::vector<ShapeContact> found;
      find_shape_contacts(sample.shape.data().core, pose, sheet.surface, sheet.positions, candidates, {0.1}, scratch,
                          found);
      EXPECT_TRUE(same_bits(found, expected)) << sample.name;
    }
  }
}

TEST(ShapeContacts, EdgeIdsNameTheOwner) {
  std::mt19937_64 random(17);
  const Sheet sheet = bumpy_sheet(random, 6, 0.1);
  int edges = 0;
  for (const ShapeContact& c : contacts(Shape::sphere(0.7), Eigen::Isometry3d::Identity(), sheet, {0.1})) {
    if (c.feature != FeatureKind::edge) continue;
    ++edges;
    const auto t = static_cast<std::size_t>(c.id / 3);
    const auto k = static_cast<std::size_t>(c.id % 3);
    EXPECT_TRUE(owns_edge(sheet.surface.owned()[t], k));
    const Triangle& corners = sheet.surface.triangles()[t];
    EXPECT_EQ(std::min(corners[k], corners[(k + 1) % 3]), c.vertices[0]);
    EXPECT_EQ(std::max(corners[k], corners[(k + 1) % 3]), c.vertices[1]);
  }
  EXPECT_GT(edges, 10);
}

Sheet one_triangle(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  return {3, {Triangle{0, 1, 2}}, {a, b, c}};
}

TEST(ShapeContacts, KnownCases) {
  const Eigen::Isometry3d here = Eigen::Isometry3d::Identity();
  const Shape box = Shape::box({1, 1, 1});
  {
    SCOPED_TRACE("flat on a face: the three vertices");
    const auto found = contacts(box, here, one_triangle({-0.5, -0.5, 1.01}, {0.5, -0.5, 1.01}, {0, 0.5, 1.01}), {0.1});
    ASSERT_EQ(found.size(), 3U);
    for (const ShapeContact& c : found) {
      EXPECT_EQ(c.feature, FeatureKind::vertex);
      EXPECT_NEAR(c.distance, 0.01, 1e-15);
      EXPECT_EQ(c.normal, Vector3d::UnitZ());
    }
  }
  {
    SCOPED_TRACE("an edge over an edge of the box, cut by 0.1");
    const auto found = contacts(box, here, one_triangle({2, 0, 0.9}, {0.9, 0, 2}, {3, 0, 3}), {0.05});
    const Vector3d n = Vector3d(1, 0, 1).normalized();
    const double expected = (2.9 - 2) / std::sqrt(2);
    EXPECT_TRUE(found.empty()) << "farther than within: " << expected;
    const auto cut = contacts(box, here, one_triangle({1.9, 0, 0}, {0, 0, 1.9}, {3, 0, 3}), {0.05});
    ASSERT_EQ(cut.size(), 1U);
    EXPECT_EQ(cut[0].feature, FeatureKind::edge);
    EXPECT_NEAR(cut[0].distance, -0.1 / std::sqrt(2), 1e-12);
    EXPECT_LE((cut[0].normal - n).norm(), 1e-9);
    EXPECT_NEAR(cut[0].weights[0], 0.5, 1e-9);
  }
  {
    SCOPED_TRACE("the tip of a cone through a sheet");
    const Shape cone = Shape::cone(0.2, 0.5);
    const auto found = contacts(cone, here, one_triangle({-3, -3, 0.4}, {3, -3, 0.4}, {0, 4, 0.4}), {0.01});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].feature, FeatureKind::triangle);
    EXPECT_NEAR(found[0].distance, -0.1, 1e-4);
    EXPECT_GT(found[0].normal.z(), 0.999);
    EXPECT_NEAR(found[0].point_on_surface.norm(), 0.4, 1e-3);
  }
  {
    SCOPED_TRACE("a ball under a triangle, and through it up to its center");
    for (const double height : {0.55, 0.3, 0.0}) {
      const Sheet sheet = one_triangle({-3, -3, height}, {3, -3, height}, {0, 4, height});
      const auto found = contacts(Shape::sphere(0.5), here, sheet, {0.1});
      ASSERT_EQ(found.size(), 1U);
      EXPECT_EQ(found[0].feature, FeatureKind::triangle);
      EXPECT_NEAR(found[0].distance, height - 0.5, 1e-15);
      EXPECT_NEAR(std::abs(found[0].normal.z()), 1, 1e-15);
    }
  }
  {
    SCOPED_TRACE("one end a little inside the top, the edge deep through the corner");
    const auto found = contacts(box, here, one_triangle({0, 0, 0.999}, {1.4, 0, 0}, {2, 0, 3}), {0.0});
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].feature, FeatureKind::vertex);
    EXPECT_NEAR(found[0].distance, -0.001, 1e-12);
    EXPECT_EQ(found[1].feature, FeatureKind::edge);
    EXPECT_LT(found[1].distance, -0.1);
  }
}

TEST(ShapeContacts, DepthsLeadOut) {
  // Moved by the depth along the normal, a feature touches the shape and no more.
  std::mt19937_64 random(18);
  int moved = 0;
  for (const test::Sample& sample : bounded_samples()) {
    for (int i = 0; i < 4; ++i) {
      const Sheet sheet = bumpy_sheet(random, 4, 0.1);
      const Eigen::Isometry3d pose = test::random_pose(random, 0.5);
      for (const ShapeContact& c : contacts(sample.shape, pose, sheet, {0})) {
        Sheet out = sheet;
        for (Vector3d& p : out.positions) p -= c.distance * c.normal;
        const double loose = sample.shape.data().core.polytope() ? 1e-9 : 1e-4;
        EXPECT_NEAR(separation(sample.shape, pose, out, key_of(c)), 0, loose) << sample.name;
        ++moved;
      }
    }
  }
  EXPECT_GT(moved, 100);
}

}  // namespace
}  // namespace carom::narrow::surface
