#include "field/field_contacts.hpp"

#include <gtest/gtest.h>

#include <map>

#include "field_meshes.hpp"

/// Contacts of a distance field with a surface, against distances triangle by triangle.
namespace carom {
namespace {

using Eigen::Vector3d;
using narrow::surface::FeatureKind;
using narrow::surface::ShapeContact;

struct Case {
  TriangleMesh mesh;
  DistanceField field;
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  Surface surface{0, {}};
  std::vector<Vector3d> positions;

  explicit Case(std::uint64_t seed, int cells = 24)
      : mesh(make_torus(0.5, 0.2, 40, 20)), field(Shape::mesh(mesh), {.tolerance = 0.01}) {
    pose.linear() = Eigen::AngleAxisd(0.3 + static_cast<double>(seed), Vector3d(1, 1, 0.2).normalized()).matrix();
    pose.translation() = Vector3d(3, -1, 2);
    // A wavy sheet through the mesh.
    TriangleMesh sheet = make_sheet(1.6, 1.6, cells, cells);
    std::mt19937_64 random(seed);
    for (Vector3d& p : sheet.positions) p = pose * (p + fields::random_vector(random, 0.2 / cells));
    surface = Surface(sheet.positions.size(), sheet.triangles);
    positions = sheet.positions;
  }

  field::FieldSurface part() const {
    return {
        surface, positions, 0, static_cast<Index>(positions.size()), 0, static_cast<Index>(surface.triangles().size())};
  }
  double exact(const Vector3d& p) const { return fields::signed_distance(mesh, false, pose.inverse() * p); }
  std::vector<ShapeContact> contacts(double within, double resolution, int threads = 1) const {
    Workers workers(threads);
    field::FieldContactScratch scratch;
    std::vector<ShapeContact> out;
    field::find_field_contacts(workers, field, pose, part(), {.within = within, .resolution = resolution}, scratch,
                               out);
    return out;
  }
};

TEST(FieldContacts, VerticesHaveTheirExactDistanceToTheStatedErrorAndNoneIsMissing) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Case c(seed);
    const double within = 0.05;
    std::map<Index, ShapeContact> of_vertex;
    for (const ShapeContact& contact : c.contacts(within, 0.001)) {
      if (contact.feature == FeatureKind::vertex) of_vertex[contact.id] = contact;
    }
    std::size_t deep = 0;
    for (std::size_t v = 0; v < c.positions.size(); ++v) {
      const Vector3d& p = c.positions[v];
      const double exact = c.exact(p);
      const double error = c.field.sample(c.pose.inverse() * p).error;
      const auto found = of_vertex.find(static_cast<Index>(v));
      if (exact < within - error) {
        ASSERT_NE(found, of_vertex.end()) << v;
      }
      if (found == of_vertex.end()) continue;
      const ShapeContact& contact = found->second;
      ASSERT_LT(exact, within + error);
      ASSERT_LE(std::abs(contact.distance - exact), error);
      ASSERT_NEAR(contact.normal.norm(), 1, 1e-12);
      ASSERT_NEAR((contact.point_on_surface - contact.point_on_shape).dot(contact.normal), contact.distance, 1e-12);
      // Along the normal, the point is out of the solid when it has gone its depth, but for the error of the direction.
      if (exact < -0.03 && exact > -0.15) {
        ++deep;
        ASSERT_LT(std::abs(c.exact(p - contact.distance * contact.normal)), 0.03) << exact;
      }
    }
    EXPECT_GT(deep, 20U);
  }
}

TEST(FieldContacts, EdgesAndTrianglesMakeContactsWhereTheyAreNearerThanTheirBoundary) {
  // A sheet of few triangles over a small ball: the ball is under the middle of edges and triangles.
  const DistanceField field(Shape::mesh(make_icosphere(0.1, 3)), {.tolerance = 0.01});
  const auto contacts_at = [&](const Vector3d& place) {
    TriangleMesh sheet = make_sheet(1, 1, 2, 2);
    std::vector<Vector3d> positions = sheet.positions;
    for (Vector3d& p : positions) p += place;
    const Surface surface(positions.size(), sheet.triangles);
    Workers workers(1);
    field::FieldContactScratch scratch;
    std::vector<ShapeContact> out;
    field::find_field_contacts(
        workers, field, Eigen::Isometry3d::Identity(),
        {surface, positions, 0, static_cast<Index>(positions.size()), 0, static_cast<Index>(sheet.triangles.size())},
        {.within = 0.05, .resolution = 0.001}, scratch, out);
    return out;
  };
  // Under the middle of the edge from the center along x.
  std::vector<ShapeContact> found = contacts_at({-0.25, 0.12, 0});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].feature, FeatureKind::edge);
  EXPECT_NEAR(found[0].distance, 0.02, field.report().error + 0.001);
  EXPECT_GT(found[0].normal.y(), 0.97);
  EXPECT_DOUBLE_EQ(found[0].weights[0] + found[0].weights[1], 1);
  // Under the middle of a triangle.
  const TriangleMesh sheet = make_sheet(1, 1, 2, 2);
  Vector3d middle = Vector3d::Zero();
  for (const Index v : sheet.triangles[3]) middle += sheet.positions[static_cast<std::size_t>(v)] / 3;
  found = contacts_at(Vector3d(0, 0.12, 0) - middle);
  const auto triangle = std::find_if(found.begin(), found.end(),
                                     [](const ShapeContact& c) { return c.feature == FeatureKind::triangle; });
  ASSERT_NE(triangle, found.end());
  EXPECT_EQ(triangle->id, 3);
  EXPECT_NEAR(triangle->distance, 0.02, field.report().error + 0.001);
  // Each feature once, also an edge of two triangles.
  std::map<std::pair<FeatureKind, Index>, int> count;
  for (const ShapeContact& c : found) {
    const int times = ++count[{c.feature, c.id}];
    EXPECT_EQ(times, 1);
  }
}

TEST(FieldContacts, AreTheSameForAnyNumberOfThreads) {
  const Case c(5, 60);
  const std::vector<ShapeContact> one = c.contacts(0.05, 0.0005, 1);
  EXPECT_GT(one.size(), 1000U);
  for (const int threads : {2, 4}) {
    const std::vector<ShapeContact> others = c.contacts(0.05, 0.0005, threads);
    ASSERT_EQ(others.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_EQ(others[i].id, one[i].id);
      ASSERT_EQ(others[i].feature, one[i].feature);
      ASSERT_EQ(others[i].distance, one[i].distance);
      ASSERT_EQ(others[i].normal, one[i].normal);
      ASSERT_EQ(others[i].point_on_shape, one[i].point_on_shape);
    }
  }
}

}  // namespace
}  // namespace carom
