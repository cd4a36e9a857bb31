#include "island/islands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace carom::island {
namespace {

/// Random bodies, some of them fixed, asleep, locked, deforming or pinned.
rigid::Bodies random_bodies(std::size_t count, std::mt19937& random) {
  rigid::Bodies bodies;
  bodies.motion.resize(count);
  bodies.mass.resize(count);
  bodies.info.resize(count);
  bodies.asleep.resize(count);
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  for (const BodySlot i : bodies.slots()) {
    rigid::Info& info = bodies.info[i];
    info.motion = MotionModel::rigid;
    bodies.mass[i].inverse = 1;
    if (one_in(4)) {
      info.motion = MotionModel::fixed;
      bodies.mass[i].inverse = 0;
      info.deforms = one_in(2);
      info.pinned = info.deforms && one_in(3);
    } else {
      bodies.mass[i].locked = one_in(8);
    }
    bodies.asleep[i] = one_in(6) ? 1 : 0;
  }
  return bodies;
}

std::vector<Touch> random_touches(std::size_t count, std::size_t bodies, std::mt19937& random) {
  std::vector<Touch> touches(count);
  for (Touch& t : touches) t = {BodySlot(random() % bodies), BodySlot(random() % bodies)};
  return touches;
}

/// The slow twin: spreads from body to body over all touches until nothing is added.
struct Flood {
  std::set<BodySlot> members;
  bool held = false;
  bool deforms = false;

  Flood(const rigid::Bodies& bodies, const std::vector<Touch>& touches, BodySlot first) : members{first} {
    for (bool grows = true; grows;) {
      grows = false;
      for (const Touch& t : touches) {
        for (const auto& [from, to] : {std::pair{t.a, t.b}, std::pair{t.b, t.a}}) {
          if (!members.contains(from)) continue;
          if (!movable(bodies, to)) held = true;
          if (movable(bodies, to)) grows |= members.insert(to).second;
        }
      }
    }
    for (const BodySlot i : members) {
      const rigid::Info& info = bodies.info[i];
      held |= bodies.mass[i].locked || info.pinned;
      deforms |= info.deforms;
    }
  }
};

void expect_like_flood(const rigid::Bodies& bodies, const std::vector<Touch>& touches, const Islands& islands) {
  std::set<BodySlot> listed;
  BodySlot last_root;
  for (const Island& island : islands.islands()) {
    const auto members = islands.members(island);
    ASSERT_FALSE(members.empty());
    const Flood flood(bodies, touches, members[0]);
    EXPECT_TRUE(std::equal(members.begin(), members.end(), flood.members.begin(), flood.members.end()));
    EXPECT_EQ(island.held, flood.held);
    EXPECT_EQ(island.deforms, flood.deforms);
    EXPECT_GT(members[0], last_root);
    last_root = members[0];
    for (const BodySlot i : members) {
      EXPECT_EQ(islands.root(i), members[0]);
      EXPECT_TRUE(listed.insert(i).second);
    }
  }
  for (const Touch& t : touches) {
    for (const BodySlot i : {t.a, t.b}) EXPECT_EQ(listed.contains(i), movable(bodies, i));
  }
}

TEST(Islands, AreThoseOfAFloodFill) {
  std::mt19937 random(7);
  Islands islands;
  std::size_t seen = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t count = 1 + random() % 40;
    const rigid::Bodies bodies = random_bodies(count, random);
    const std::vector<Touch> touches = random_touches(random() % 40, count, random);
    // Some as pairs of shapes, the others as contacts of anchors.
    std::vector<contact::ActivePair> pairs;
    std::vector<Touch> anchors;
    for (std::size_t i = 0; i < touches.size(); ++i) {
      if (i % 2 == 0) pairs.push_back({.body_a = touches[i].a, .body_b = touches[i].b});
      if (i % 2 == 1) anchors.push_back(touches[i]);
    }
    islands.build(bodies, pairs, anchors);
    expect_like_flood(bodies, touches, islands);
    seen += islands.islands().size();

    // Stops join what contacts did not connect.
    const std::vector<Touch> stops = random_touches(random() % 4, count, random);
    std::vector<Touch> all = touches;
    all.insert(all.end(), stops.begin(), stops.end());
    islands.join(bodies, stops);
    expect_like_flood(bodies, all, islands);
  }
  EXPECT_GT(seen, 300U);
}

}  // namespace
}  // namespace carom::island
