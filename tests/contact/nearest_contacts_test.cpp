#include "contact/nearest_contacts.hpp"

#include <gtest/gtest.h>

#include <random>

namespace carom::contact {
namespace {

/// The same by its definition: a contact stays if no other of one of its features with the same body is nearer, or as
/// near and before it.
std::vector<Contact> slow_nearest(std::span<const bodies::SurfacePart> parts, const std::vector<Contact>& contacts) {
  const auto part_of = [&](Index vertex) {
    std::size_t part = 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i].first_vertex <= vertex) part = i;
    return part;
  };
  struct Side {
    std::array<Index, 2> feature;
    std::size_t other;
  };
  const auto sides = [&](const Contact& c) {
    std::vector<Side> list{{c.a, part_of(c.vertices[3])}};
    if (c.kind == ContactKind::edge_edge) list.push_back({c.b, part_of(c.vertices[0])});
    return list;
  };
  std::vector<Contact> kept;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    bool stays = false;
    for (const Side& side : sides(contacts[i])) {
      bool nearest = true;
      for (std::size_t k = 0; k < contacts.size(); ++k) {
        for (const Side& other : sides(contacts[k])) {
          if (k == i || other.feature != side.feature || other.other != side.other) continue;
          nearest &=
              contacts[i].distance < contacts[k].distance || (contacts[i].distance == contacts[k].distance && i < k);
        }
      }
      stays |= nearest;
    }
    if (stays) kept.push_back(contacts[i]);
  }
  return kept;
}

TEST(NearestContacts, AreThoseOfTheDefinition) {
  std::mt19937 engine(3);
  const auto below = [&](int limit) { return static_cast<Index>(engine() % static_cast<unsigned>(limit)); };
  std::vector<bodies::SurfacePart> parts(3);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].first_vertex = static_cast<Index>(10 * i);
  for (int round = 0; round < 50; ++round) {
    std::vector<Contact> contacts(static_cast<std::size_t>(below(60)));
    for (Contact& c : contacts) {
      c.kind = below(2) == 0 ? ContactKind::vertex_face : ContactKind::edge_edge;
      c.vertices = {below(30), below(30), below(30), below(30)};
      if (c.kind == ContactKind::vertex_face) {
        c.a = {c.vertices[0], none};
        c.b = {below(9), none};
      } else {
        // Few edges, so that many contacts have one in common; both ends are of one body.
        c.vertices[1] = c.vertices[0] - c.vertices[0] % 10;
        c.vertices[2] = c.vertices[3] - c.vertices[3] % 10;
        c.a = {c.vertices[1], c.vertices[0]};
        c.b = {c.vertices[2], c.vertices[3]};
      }
      c.distance = 0.1 * below(5);
    }
    const std::vector<Contact> expected = slow_nearest(parts, contacts);
    const std::size_t before = contacts.size();
    EXPECT_EQ(keep_nearest(parts, contacts), before - expected.size());
    ASSERT_EQ(contacts.size(), expected.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      EXPECT_EQ(contacts[i].vertices, expected[i].vertices);
      EXPECT_EQ(contacts[i].distance, expected[i].distance);
    }
  }
}

}  // namespace
}  // namespace carom::contact
