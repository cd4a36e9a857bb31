#include <gtest/gtest.h>

#include "contact/anchor_contacts.hpp"
#include "world/contact_list.hpp"

namespace carom::contact {
namespace {

Contact vertex_face(Index vertex, Index triangle, std::array<Index, 3> corners) {
  Contact c;
  c.kind = ContactKind::vertex_face;
  c.a = {vertex, none};
  c.b = {triangle, none};
  c.vertices = {vertex, corners[0], corners[1], corners[2]};
  return c;
}

Contact edge_edge(Edge a, Edge b) {
  Contact c;
  c.kind = ContactKind::edge_edge;
  c.a = a;
  c.b = b;
  c.vertices = {a[0], a[1], b[0], b[1]};
  return c;
}

// Three bodies of 10 vertices and 5 triangles each.
const BodyId first{0, 1};
const BodyId second{1, 1};
const BodyId third{2, 1};
SurfacePart part(BodyId id, std::uint32_t serial, Index first_vertex, Index first_triangle) {
  return {.id = id,
          .serial = serial,
          .first_vertex = first_vertex,
          .vertex_count = 10,
          .first_triangle = first_triangle,
          .body = BodySlot(serial)};
}
const std::vector<SurfacePart> three{part(first, 0, 0, 0), part(second, 1, 10, 5), part(third, 2, 20, 10)};

/// One step after the other, as a world makes them. `contacts` are those of the last step as users see them.
struct Steps {
  AnchorList last;
  std::uint64_t next_id = 1;
  std::vector<WorldContact> contacts;
  void run(const std::vector<Contact>& features, const std::vector<SurfacePart>& parts,
           const std::vector<ShapeContacts>& shapes = {}, const rigid::Bodies& bodies = {},
           const std::vector<contact::CoupledBody>& coupled = {}) {
    const std::vector<Eigen::Vector3d> zeros(30, Eigen::Vector3d::Zero());
    AnchorList next;
    contact::run({.features = features,
                  .shapes = shapes,
                  .parts = parts,
                  .triangle_names = {},
                  .bodies = bodies,
                  .start = zeros,
                  .start_velocities = zeros,
                  .coupled = coupled,
                  .thickness = 0.01},
                 last, next, next_id);
    last = next;
    ContactList list;
    const std::span<const WorldContact> seen = list.of({.surfaces = last, .resting = {}, .bodies = {}, .pairs = {}});
    contacts.assign(seen.begin(), seen.end());
  }
};

std::vector<Index> corners(const ContactAnchor& anchor, std::size_t count) {
  return {anchor.vertices.begin(), anchor.vertices.begin() + static_cast<std::ptrdiff_t>(count)};
}

TEST(ContactIdentity, FeaturesAreNumberedWithinTheirBodies) {
  const std::vector<Contact> contacts{vertex_face(12, 3, {1, 2, 4}), edge_edge({3, 7}, {21, 29})};
  Steps steps;
  steps.run(contacts, three);
  ASSERT_EQ(steps.contacts.size(), 2U);
  EXPECT_EQ(steps.contacts[0].body_a, second);
  EXPECT_EQ(steps.contacts[0].body_b, first);
  EXPECT_EQ(steps.contacts[0].anchor_a.feature, FeatureKind::vertex);
  EXPECT_EQ(steps.contacts[0].anchor_a.index, 2);
  EXPECT_EQ(steps.contacts[0].anchor_a.vertices[0], 2);
  EXPECT_EQ(steps.contacts[0].anchor_b.feature, FeatureKind::face);
  EXPECT_EQ(steps.contacts[0].anchor_b.index, 3);
  EXPECT_EQ(corners(steps.contacts[0].anchor_b, 3), (std::vector<Index>{1, 2, 4}));
  EXPECT_EQ(steps.contacts[1].body_a, first);
  EXPECT_EQ(steps.contacts[1].body_b, third);
  EXPECT_EQ(steps.contacts[1].anchor_b.feature, FeatureKind::edge);
  EXPECT_EQ(corners(steps.contacts[1].anchor_a, 2), (std::vector<Index>{3, 7}));
  EXPECT_EQ(corners(steps.contacts[1].anchor_b, 2), (std::vector<Index>{1, 9}));
}

TEST(ContactIdentity, AnIdLastsAsLongAsTheContactAndIsNeverUsedAgain) {
  const Contact a = vertex_face(1, 7, {11, 12, 13});
  const Contact b = vertex_face(2, 7, {11, 12, 13});
  const Contact c = edge_edge({0, 1}, {10, 11});
  Steps steps;
  steps.run(std::vector{a, c}, three);
  const std::uint64_t id_a = steps.contacts[0].id;
  const std::uint64_t id_c = steps.contacts[1].id;
  EXPECT_NE(id_a, id_c);
  EXPECT_EQ(steps.contacts[0].age, 0U);

  steps.run(std::vector{a, b, c}, three);
  EXPECT_EQ(steps.contacts[0].id, id_a);
  EXPECT_EQ(steps.contacts[0].age, 1U);
  EXPECT_EQ(steps.contacts[2].id, id_c);
  const std::uint64_t id_b = steps.contacts[1].id;
  EXPECT_EQ(steps.contacts[1].age, 0U);

  steps.run(std::vector{b}, three);
  EXPECT_EQ(steps.contacts[0].id, id_b);
  steps.run(std::vector{a, b}, three);
  EXPECT_GT(steps.contacts[0].id, std::max({id_a, id_b, id_c})) << "it ended, so this is another contact";
  EXPECT_EQ(steps.contacts[1].id, id_b);
  EXPECT_EQ(steps.contacts[1].age, 2U);
}

TEST(ContactIdentity, SurvivesThatAnotherBodyIsRemoved) {
  Steps steps;
  steps.run(std::vector{vertex_face(11, 12, {21, 22, 23}), edge_edge({10, 11}, {20, 21})}, three);
  const std::uint64_t vertex_face_id = steps.contacts[0].id;
  const std::uint64_t edge_edge_id = steps.contacts[1].id;
  // Without the first body everything is numbered ten vertices and five triangles lower.
  const std::vector<SurfacePart> two{part(second, 1, 0, 0), part(third, 2, 10, 5)};
  steps.run(std::vector{vertex_face(1, 7, {11, 12, 13}), edge_edge({0, 1}, {10, 11})}, two);
  EXPECT_EQ(steps.contacts[0].id, vertex_face_id);
  EXPECT_EQ(steps.contacts[1].id, edge_edge_id);
  // A new body in the slot of the first is another body.
  const std::vector<SurfacePart> again{part(second, 1, 0, 0), part(third, 2, 10, 5), part(BodyId{0, 2}, 3, 20, 10)};
  steps.run(std::vector{vertex_face(1, 12, {21, 22, 23})}, again);
  EXPECT_GT(steps.contacts[0].id, edge_edge_id);
}

/// Ball against vertices, edges and triangles of the surfaces. Impulses of a contact that lasts are its first guess.
TEST(ContactIdentity, ContactsOfShapesKeepTheirIdAndImpulses) {
  rigid::Bodies bodies;
  rigid::add(bodies, {.name = "ball", .shape = Shape::sphere(0.1)}, BodyId{3, 1});
  const std::vector<contact::CoupledBody> coupled(1);
  const auto on = [](narrow::surface::FeatureKind kind, Index id, std::array<Index, 3> vertices) {
    narrow::surface::ShapeContact c;
    c.feature = kind;
    c.id = id;
    c.vertices = vertices;
    return c;
  };
  using narrow::surface::FeatureKind;
  const auto vertex = on(FeatureKind::vertex, 24, {24, none, none});
  const auto edge = on(FeatureKind::edge, 7, {22, 23, none});
  const auto face = on(FeatureKind::triangle, 11, {21, 22, 23});
  Steps steps;
  steps.run({}, three, {{.collider = ColliderIndex(0), .coupled = 0, .serial = 7, .contacts = {face, vertex}}}, bodies,
            coupled);
  ASSERT_EQ(steps.contacts.size(), 2U);
  EXPECT_EQ(steps.contacts[0].body_a, (BodyId{3, 1}));
  EXPECT_EQ(steps.contacts[0].body_b, third);
  EXPECT_EQ(steps.contacts[0].anchor_a.feature, carom::FeatureKind::point);
  EXPECT_EQ(steps.contacts[0].anchor_b.index, 4) << "vertices come first";
  EXPECT_EQ(steps.contacts[1].anchor_b.index, 1);
  EXPECT_EQ(corners(steps.contacts[1].anchor_b, 3), (std::vector<Index>{1, 2, 3}));
  const std::uint64_t id_vertex = steps.contacts[0].id;
  const std::uint64_t id_face = steps.contacts[1].id;
  steps.last.contacts[1].normal_impulse = 3;
  steps.last.contacts[1].friction_impulse = {0, 0.5, 0};
  steps.run({}, three, {{.collider = ColliderIndex(0), .coupled = 0, .serial = 7, .contacts = {vertex, edge, face}}},
            bodies, coupled);
  ASSERT_EQ(steps.contacts.size(), 3U);
  EXPECT_EQ(steps.contacts[0].id, id_vertex);
  EXPECT_EQ(corners(steps.contacts[1].anchor_b, 2), (std::vector<Index>{2, 3}));
  EXPECT_GT(steps.contacts[1].id, std::max(id_vertex, id_face));
  EXPECT_EQ(steps.contacts[2].id, id_face);
  EXPECT_EQ(steps.contacts[2].age, 1U);
  EXPECT_EQ(steps.last.contacts[2].normal_impulse, 3);
  EXPECT_EQ(steps.last.contacts[2].friction_impulse.y, 0.5);
  EXPECT_EQ(steps.last.contacts[1].normal_impulse, 0);
}

}  // namespace
}  // namespace carom::contact
