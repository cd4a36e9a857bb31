#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "carom/query/query.hpp"
#include "rigid_scene.hpp"

// What is remembered of pairs against a fresh look at every pair of bodies, near or not.
namespace carom {
namespace {

using Eigen::Vector3d;

/// Of bodies in a heap: the radius of a ball that holds the body.
struct Heap {
  World world;
  std::vector<BodyId> ids;
  std::vector<RigidBody> bodies;
  std::vector<double> radius;
};

/// Hulls of 12 to 24 corners that fall into a pit, after which they lie on each other; so many of them fit side by
/// side.
Heap hulls_in_a_pit(int count, int threads, int columns = 4) {
  const double half = 0.5 * columns;

  Heap heap{World(rigid_options(1.0 / 60, threads)), {}, {}, {}};
  const auto add = [&](const RigidBody& body, double radius) {
    heap.ids.push_back(heap.world.add(body));
    heap.bodies.push_back(body);
    heap.radius.push_back(radius);
  };
  add(floor_body(), INFINITY);
  for (const double side : {-1.0, 1.0}) {
    for (const bool along : {false, true}) {
      const double from_centre = (half + 0.5) * side;
      RigidBody wall = box_body("wall", along ? Vector3d(half + 1, 8, 0.5) : Vector3d(0.5, 8, half + 1),
                                along ? at(0, 8, from_centre) : at(from_centre, 8, 0));
      wall.motion = MotionModel::fixed;
      add(wall, 7 + half);
    }
  }
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0, 1);
  std::uniform_real_distribution<double> number(-1, 1);
  std::uniform_int_distribution<int> corners(12, 24);
  for (int i = 0; i < count; ++i) {
    const double radius = 0.3 + 0.1 * number(random);
    std::vector<Vector3d> points;
    for (int k = corners(random); k > 0; --k)
      points.push_back(radius * Vector3d(normal(random), normal(random), normal(random)).normalized());
    RigidBody body;
    body.name = "hull";
    body.shape = Shape::hull(points);
    const double middle = 0.5 * (columns - 1);
    body.pose = at(1.1 * (i % columns - middle) * 0.8, 0.6 + 0.7 * (i / (columns * columns)),
                   1.1 * (i / columns % columns - middle) * 0.8);
    body.angular_velocity = {number(random), number(random), number(random)};
    add(body, radius);
  }
  return heap;
}

template <class Visit>
void near_pairs(const Heap& heap, const std::vector<Eigen::Isometry3d>& poses, double within, Visit&& visit) {
  for (std::size_t i = 0; i < poses.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (heap.bodies[i].motion != MotionModel::rigid && heap.bodies[j].motion != MotionModel::rigid) continue;
      const double apart = (poses[i].translation() - poses[j].translation()).norm();
      if (apart <= heap.radius[i] + heap.radius[j] + within) visit(j, i);
    }
  }
}

std::vector<Eigen::Isometry3d> poses_of(const Heap& heap) {
  std::vector<Eigen::Isometry3d> poses;
  for (const BodyId id : heap.ids) poses.push_back(heap.world.pose(id));
  return poses;
}

/// Contacts are those of the beginning of a step. None is missing, and none is off by more than what bodies may move
/// before they are looked at again, twice.
TEST(RigidLook, RememberedContactsAreThoseOfAFreshLook) {
  Heap heap = hulls_in_a_pit(60, 1);
  std::size_t touching = 0;
  for (int step = 0; step < 150; ++step) {
    const std::vector<Eigen::Isometry3d> poses = poses_of(heap);
    heap.world.step();
    if (step % 5 != 0) continue;
    std::map<std::pair<std::uint64_t, std::uint64_t>, double> distances;
    const auto key = [](BodyId a, BodyId b) {
      const std::uint64_t i = (static_cast<std::uint64_t>(a.generation) << 32) | a.index;
      const std::uint64_t j = (static_cast<std::uint64_t>(b.generation) << 32) | b.index;
      return std::pair{std::min(i, j), std::max(i, j)};
    };
    for (const WorldContact& contact : heap.world.contacts()) {
      auto [place, fresh] = distances.try_emplace(key(contact.body_a, contact.body_b), contact.distance);
      if (!fresh) place->second = std::min(place->second, contact.distance);
    }
    const double within = 0.01;  // half of what is looked ahead by bodies at rest
    near_pairs(heap, poses, within, [&](std::size_t i, std::size_t j) {
      const double size = std::min(heap.radius[i], heap.radius[j]);
      const double distance = carom::distance(heap.bodies[i].shape, poses[i], heap.bodies[j].shape, poses[j]).distance;
      if (distance > within) return;
      ++touching;
      const auto found = distances.find(key(heap.ids[i], heap.ids[j]));
      ASSERT_NE(found, distances.end()) << "step " << step << ": " << i << " and " << j << " are " << distance;
      EXPECT_NEAR(found->second, distance, 2e-3 * size) << "step " << step << ": " << i << " and " << j;
    });
  }
  EXPECT_GT(touching, 1000U);
}

/// Boxes that fly, spin and hit each other, slow and fast ones: their boxes last for several steps, and no pair is
/// missed by that.
TEST(RigidLook, ContactsInFlightAreThoseOfAFreshLook) {
  WorldOptions options = rigid_options(1.0 / 60);
  options.gravity.setZero();
  Heap heap{World(options), {}, {}, {}};
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto any = [&](double scale) {
    const double x = number(random);
    const double y = number(random);
    const double z = number(random);
    return Vector3d(scale * Vector3d(x, y, z));
  };
  for (int i = 0; i < 300; ++i) {
    const double size = 0.2 + 0.1 * number(random);
    RigidBody body =
        box_body("box", {0.5 * size, 0.75 * size, size}, Eigen::Isometry3d(Eigen::Translation3d(any(3.5))));
    body.velocity = any(i % 20 == 0 ? 12 : 2);
    body.angular_velocity = any(i % 20 < 2 ? 20 : 2);
    body.material.restitution = 0.8;
    heap.ids.push_back(heap.world.add(body));
    heap.bodies.push_back(body);
    heap.radius.push_back(1.4 * size);
  }
  std::size_t touching = 0;
  std::uint64_t new_boxes = 0;
  for (int step = 0; step < 80; ++step) {
    const std::vector<Eigen::Isometry3d> poses = poses_of(heap);
    heap.world.step();
    for (const Counted& c : heap.world.stats()[Stage::bounds].counted()) new_boxes += c.count;
    std::set<std::pair<std::uint32_t, std::uint32_t>> known;
    for (const WorldContact& c : heap.world.contacts()) known.insert(std::minmax(c.body_a.index, c.body_b.index));
    near_pairs(heap, poses, 0.01, [&](std::size_t i, std::size_t j) {
      const double distance = carom::distance(heap.bodies[i].shape, poses[i], heap.bodies[j].shape, poses[j]).distance;
      if (distance > 0.01) return;
      ++touching;
      EXPECT_TRUE(known.contains(std::minmax(heap.ids[i].index, heap.ids[j].index)))
          << "step " << step << ": " << i << " and " << j << " are " << distance;
    });
  }
  EXPECT_GT(touching, 500U);
  EXPECT_LT(new_boxes, 80U * 300U * 2 / 3) << "boxes are to last for some steps";
}

/// In the settled pile nothing is deeper in anything than 1% of the smaller body, by a query that remembers nothing,
/// and nothing has left it.
void expect_settled(const Heap& heap, double half) {
  const std::vector<Eigen::Isometry3d> poses = poses_of(heap);
  std::size_t touching = 0;
  near_pairs(heap, poses, 0, [&](std::size_t i, std::size_t j) {
    const QueryResult q = penetration(heap.bodies[i].shape, poses[i], heap.bodies[j].shape, poses[j]);
    if (q.distance < 1e-4) ++touching;
    EXPECT_LT(-q.distance, 0.01 * 2 * std::min(heap.radius[i], heap.radius[j])) << i << " and " << j;
  });
  EXPECT_GT(touching, poses.size());
  for (std::size_t i = 5; i < poses.size(); ++i) {
    const Vector3d p = poses[i].translation();
    EXPECT_TRUE(std::abs(p.x()) < half && std::abs(p.z()) < half && p.y() > 0 && p.y() < 8) << "body " << i;
  }
}

TEST(RigidLook, ASettledPileDoesNotOverlap) {
  Heap heap = hulls_in_a_pit(200, 1);
  for (int step = 0; step < 500; ++step) heap.world.step();
  expect_settled(heap, 2);
}

/// Under the weight of many, small bodies are wedged, and flat ones lie on the folds between their faces.
TEST(RigidLook, ASettledPileOfTwoThousandDoesNotOverlap) {
  Heap heap = hulls_in_a_pit(2000, 2, 8);
  for (int step = 1; step <= 600; ++step) {
    heap.world.step();
    if (step >= 400 && step % 100 == 0) expect_settled(heap, 4);
  }
}

TEST(RigidLook, APileIsTheSameForAnyNumberOfThreads) {
  const auto end = [](int threads) {
    Heap heap = hulls_in_a_pit(100, threads);
    for (int step = 0; step < 120; ++step) heap.world.step();
    return heap.world.state_hash();
  };
  const std::uint64_t one = end(1);
  EXPECT_EQ(one, end(2));
  EXPECT_EQ(one, end(4));
}

}  // namespace
}  // namespace carom
