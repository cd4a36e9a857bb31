#include "contact/identity.hpp"

#include <gtest/gtest.h>

#include <map>

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
const std::vector<BodyRange> three{{first, 0, 0, 0}, {second, 1, 10, 5}, {third, 2, 20, 10}};

/// One step after the other, as a world makes them.
struct Steps {
  Identified last;
  void run(const std::vector<Contact>& contacts, const std::vector<BodyRange>& bodies) {
    Identified next;
    StageStats stats;
    contact::run({contacts, bodies, last}, next, stats);
    last = next;
  }
};

TEST(ContactIdentity, FeaturesAreNumberedWithinTheirBodies) {
  const std::vector<Contact> contacts{vertex_face(12, 3, {1, 2, 4}), edge_edge({3, 7}, {21, 29})};
  Steps steps;
  steps.run(contacts, three);
  ASSERT_EQ(steps.last.contacts.size(), 2U);
  EXPECT_EQ(steps.last.contacts[0].body_a, second);
  EXPECT_EQ(steps.last.contacts[0].body_b, first);
  EXPECT_EQ(steps.last.contacts[0].contact.a[0], 2);
  EXPECT_EQ(steps.last.contacts[0].contact.b[0], 3);
  EXPECT_EQ(steps.last.contacts[0].contact.vertices, (std::array<Index, 4>{2, 1, 2, 4}));
  EXPECT_EQ(steps.last.contacts[1].body_b, third);
  EXPECT_EQ(steps.last.contacts[1].contact.b, (std::array<Index, 2>{1, 9}));
  EXPECT_EQ(steps.last.contacts[1].contact.vertices, (std::array<Index, 4>{3, 7, 1, 9}));
}

TEST(ContactIdentity, AnIdLastsAsLongAsTheContactAndIsNeverUsedAgain) {
  const Contact a = vertex_face(1, 7, {11, 12, 13});
  const Contact b = vertex_face(2, 7, {11, 12, 13});
  const Contact c = edge_edge({0, 1}, {10, 11});
  Steps steps;
  steps.run(std::vector{a, c}, three);
  const std::uint64_t id_a = steps.last.contacts[0].id;
  const std::uint64_t id_c = steps.last.contacts[1].id;
  EXPECT_NE(id_a, id_c);
  EXPECT_EQ(steps.last.contacts[0].age, 0U);

  steps.run(std::vector{a, b, c}, three);
  EXPECT_EQ(steps.last.contacts[0].id, id_a);
  EXPECT_EQ(steps.last.contacts[0].age, 1U);
  EXPECT_EQ(steps.last.contacts[2].id, id_c);
  const std::uint64_t id_b = steps.last.contacts[1].id;
  EXPECT_EQ(steps.last.contacts[1].age, 0U);

  steps.run(std::vector{b}, three);
  EXPECT_EQ(steps.last.contacts[0].id, id_b);
  steps.run(std::vector{a, b}, three);
  EXPECT_GT(steps.last.contacts[0].id, std::max({id_a, id_b, id_c})) << "it ended, so this is another contact";
  EXPECT_EQ(steps.last.contacts[1].id, id_b);
  EXPECT_EQ(steps.last.contacts[1].age, 2U);
}

TEST(ContactIdentity, SurvivesThatAnotherBodyIsRemoved) {
  Steps steps;
  steps.run(std::vector{vertex_face(11, 12, {21, 22, 23}), edge_edge({10, 11}, {20, 21})}, three);
  const std::uint64_t vertex_face_id = steps.last.contacts[0].id;
  const std::uint64_t edge_edge_id = steps.last.contacts[1].id;
  // Without the first body everything is numbered ten vertices and five triangles lower.
  const std::vector<BodyRange> two{{second, 1, 0, 0}, {third, 2, 10, 5}};
  steps.run(std::vector{vertex_face(1, 7, {11, 12, 13}), edge_edge({0, 1}, {10, 11})}, two);
  EXPECT_EQ(steps.last.contacts[0].id, vertex_face_id);
  EXPECT_EQ(steps.last.contacts[1].id, edge_edge_id);
  // A new body in the slot of the first is another body.
  const std::vector<BodyRange> again{{second, 1, 0, 0}, {third, 2, 10, 5}, {BodyId{0, 2}, 3, 20, 10}};
  steps.run(std::vector{vertex_face(1, 12, {21, 22, 23})}, again);
  EXPECT_GT(steps.last.contacts[0].id, edge_edge_id);
}

}  // namespace
}  // namespace carom::contact
