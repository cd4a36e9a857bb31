#include <gtest/gtest.h>

#include <set>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/world/world.hpp"

namespace carom {
namespace {

FixedBody box_at(const char* name, double x, std::uint32_t group = 1, std::uint32_t mask = 0xffffffff) {
  FixedBody body{.name = name, .mesh = make_box({1, 1, 1}), .filter = {group, mask}};
  for (Eigen::Vector3d& p : body.mesh.positions) p.x() += x;
  return body;
}

/// Which bodies touch which, by name.
std::set<std::string> touching(const World& world) {
  std::set<std::string> pairs;
  for (const WorldContact& c : world.contacts()) {
    const std::string& a = world.name(c.body_a);
    const std::string& b = world.name(c.body_b);
    pairs.insert(std::min(a, b) + "-" + std::max(a, b));
  }
  return pairs;
}

using Pairs = std::set<std::string>;

/// Three boxes in a row, 0.02 apart.
TEST(WorldFilters, ExcludedBodiesDoNotTouch) {
  World world({.contact = {.distance = 0.05, .immovable = true}});
  const BodyId a = world.add(box_at("a", 0));
  const BodyId b = world.add(box_at("b", 1.02));
  const BodyId c = world.add(box_at("c", 2.04));
  world.step();
  EXPECT_EQ(touching(world), (Pairs{"a-b", "b-c"}));
  world.exclude(b, a);
  world.step();
  EXPECT_EQ(touching(world), (Pairs{"b-c"}));

  // Bodies before it in the list go: what is excluded is a body, not a place in the list.
  world.remove(a);
  const BodyId d = world.add(box_at("d", 3.06));
  world.exclude(c, d);
  world.step();
  EXPECT_EQ(touching(world), (Pairs{"b-c"}));
  world.remove(d);
  world.add(box_at("e", 3.06));
  world.step();
  EXPECT_EQ(touching(world), (Pairs{"b-c", "c-e"}));
  EXPECT_THROW(world.exclude(a, b), Error);
}

TEST(WorldFilters, GroupsAndMasks) {
  World world({.contact = {.distance = 0.05, .immovable = true}});
  world.add(box_at("a", 0, 2, 1));
  world.add(box_at("b", 1.02));
  world.add(box_at("c", 2.04, 1, 2));
  world.step();
  EXPECT_EQ(touching(world), (Pairs{"a-b"})) << "c touches only the group 2, and b is not of it";
}

TEST(WorldFilters, ExcludedVerticesAreNumberedWithinTheirBodies) {
  World world({.contact = {.distance = 0.05, .immovable = true}});
  const BodyId a = world.add(box_at("a", 0));
  const BodyId b = world.add(box_at("b", 1.02));
  world.step();
  const std::size_t before = world.contacts().size();
  const auto meets = [&](const WorldContact& c, Index vertex_a, Index vertex_b) {
    const auto has = [](const ContactAnchor& anchor, Index vertex) {
      return std::find(anchor.vertices.begin(), anchor.vertices.end(), vertex) != anchor.vertices.end();
    };
    return c.body_a == a ? has(c.anchor_a, vertex_a) && has(c.anchor_b, vertex_b)
                         : has(c.anchor_a, vertex_b) && has(c.anchor_b, vertex_a);
  };
  const WorldContact first = world.contacts()[0];
  ASSERT_EQ(first.anchor_a.feature, FeatureKind::vertex);
  const bool a_first = first.body_a == a;
  const Index vertex_a = (a_first ? first.anchor_a : first.anchor_b).vertices[0];
  const Index vertex_b = (a_first ? first.anchor_b : first.anchor_a).vertices[0];
  const auto listed = std::count_if(world.contacts().begin(), world.contacts().end(),
                                    [&](const WorldContact& c) { return meets(c, vertex_a, vertex_b); });
  EXPECT_GT(listed, 0);
  world.exclude(a, vertex_a, b, vertex_b);
  world.step();
  EXPECT_EQ(world.contacts().size(), before - static_cast<std::size_t>(listed));
  for (const WorldContact& c : world.contacts()) EXPECT_FALSE(meets(c, vertex_a, vertex_b));

  try {
    world.exclude(a, 0, b, 8);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "body 'b': there is no vertex 8 to exclude, only 8 vertices");
  }
}

/// The body is pressed flat by its motion, but at rest its two sides are far from each other.
TEST(WorldFilters, NeighboursAreThoseOfTheRestShape) {
  const TriangleMesh mesh = make_box({1, 1, 1}, 4);
  const auto press = [mesh](double, std::span<Eigen::Vector3d> positions) {
    for (std::size_t i = 0; i < positions.size(); ++i) {
      positions[i] = mesh.positions[i];
      positions[i].y() *= 0.02;
    }
  };
  World world({.contact = {.distance = 0.25, .surface_factor = 3, .immovable = true}});
  world.add(ScriptedBody{.name = "box", .mesh = mesh, .motion = press});
  world.step();
  ASSERT_FALSE(world.contacts().empty());
  // A path along the surface from top to bottom is 1 long at least, and 0.75 is near. On the bottom
  // and on the top the paths are those of a grid: two features 0.25 apart, which is one square, have
  // vertices at most 0.25 (1 + 2 sqrt(2)) apart, so some may stay; that is what the factor says.
  bool across = false;
  for (const WorldContact& c : world.contacts()) {
    double low = 1;
    double high = -1;
    for (const ContactAnchor& anchor : {c.anchor_a, c.anchor_b}) {
      for (const Index v : anchor.vertices) {
        if (v == none) continue;
        low = std::min(low, mesh.positions[static_cast<std::size_t>(v)].y());
        high = std::max(high, mesh.positions[static_cast<std::size_t>(v)].y());
      }
    }
    across = across || (low == -0.5 && high == 0.5);
  }
  EXPECT_TRUE(across);

  World pressed({.contact = {.distance = 0.25, .surface_factor = 30, .immovable = true}});
  pressed.add(ScriptedBody{.name = "box", .mesh = mesh, .motion = press});
  pressed.step();
  EXPECT_TRUE(pressed.contacts().empty()) << "7.5 m is farther than any two places of the box";
}

}  // namespace
}  // namespace carom
