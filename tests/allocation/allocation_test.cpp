#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <random>

#include "carom/detect/broad_phase.hpp"
#include "carom/detect/detect.hpp"
#include "carom/detect/intersect.hpp"
#include "carom/haptics/haptic_tool.hpp"
#include "carom/mesh/generate.hpp"
#include "narrow/surface/shape_contacts.hpp"
#include "narrow/surface/shape_impact.hpp"
#include "narrow/surface/surface_tree.hpp"
#include "oracle/soup.hpp"
#include "rigid/rigid_scene.hpp"
#include "shapes/shape_data.hpp"
#include "shapes/shape_samples.hpp"

namespace {
std::atomic<std::size_t> allocations{0};
}

// Inlined, the pair of malloc and free looks to GCC like one of new and free.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace carom {
namespace {

void expect_no_allocation(const oracle::Soup& soup, const ContactFilters& filters) {
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  DetectScratch scratch;
  std::vector<Contact> contacts;
  PipelineStats stats;
  for (const std::string_view method : detect_methods()) {
    const DetectOptions options{.distance = 0.02, .method = std::string(method), .threads = 1, .filters = filters};
    for (int warm_up = 0; warm_up < 3; ++warm_up) detect(surface, soup.positions, options, scratch, contacts, stats);
    const std::size_t before = allocations;
    for (int call = 0; call < 5; ++call) detect(surface, soup.positions, options, scratch, contacts, stats);
    EXPECT_EQ(allocations - before, 0U) << method;
    EXPECT_FALSE(contacts.empty());
  }
}

/// From the first update on: a device loop has no time to warm up.
TEST(HapticAllocation, NeitherTheHandNorTheWorldAllocates) {
  HapticTool tool({});
  std::vector<HapticPlane> planes(max_haptic_planes);
  for (std::size_t i = 0; i < planes.size(); ++i) {
    planes[i].normal =
        Eigen::Vector3d(0.1 * static_cast<double>(i % 5), 1, 0.1 * static_cast<double>(i % 3)).normalized();
    planes[i].tool_point.x() = 0.01 * static_cast<double>(i % 7);
  }
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  const std::size_t before = allocations;
  double force = 0;
  for (int i = 0; i < 500; ++i) {
    if (i % 16 == 0) {
      tool.publish(planes);
      (void)tool.target();
    }
    pose.translation().y() = -1e-5 * i;
    force = tool.update(pose, 1e-3).force.norm();
  }
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_GT(force, 1);
}

TEST(DetectAllocation, AWarmCallAllocatesNothing) {
  expect_no_allocation(oracle::make_soup(11, {.vertices_per_object = 40, .triangles_per_object = 100}), {});
}

TEST(DetectAllocation, NeitherDoesOneWithFilters) {
  const oracle::Soup soup = oracle::make_soup(11, {.vertices_per_object = 40, .triangles_per_object = 100});
  const std::vector<std::array<Index, 2>> vertices{{0, 7}, {3, 1}};
  const std::vector<std::array<Index, 2>> objects{{0, 2}};
  const std::vector<ObjectGroup> groups{{1, {2, 3}}};
  const std::vector<std::uint8_t> enabled(soup.positions.size(), 1);
  ContactFilters filters{.surface_factor = 2,
                         .excluded_vertices = vertices,
                         .excluded_objects = objects,
                         .groups = groups,
                         .vertex_enabled = enabled};
  expect_no_allocation(soup, filters);
  filters.rest_positions = soup.positions;
  expect_no_allocation(soup, filters);
}

TEST(IntersectAllocation, AWarmCallAllocatesNothing) {
  const oracle::Soup soup = oracle::make_soup(11, {.vertices_per_object = 40, .triangles_per_object = 100});
  const Surface surface(soup.positions.size(), soup.triangles, soup.object_of_triangle);
  IntersectScratch scratch;
  std::vector<Intersection> found;
  PipelineStats stats;
  const IntersectOptions options{.threads = 1};
  for (int warm_up = 0; warm_up < 3; ++warm_up) intersections(surface, soup.positions, options, scratch, found, stats);
  const std::size_t before = allocations;
  for (int call = 0; call < 5; ++call) intersections(surface, soup.positions, options, scratch, found, stats);
  EXPECT_EQ(allocations - before, 0U);
  EXPECT_FALSE(found.empty());
}

TEST(SurfaceNarrowAllocation, WarmCallsAllocateNothing) {
  namespace surface = narrow::surface;
  std::mt19937_64 random(5);
  TriangleMesh mesh = make_sheet(2, 2, 12, 12);
  for (Eigen::Vector3d& p : mesh.positions) p += 0.1 * test::random_vector(random);
  const Surface sheet(mesh.positions.size(), mesh.triangles);
  Workers workers(1);
  surface::SurfaceTree tree;
  surface::SurfaceTree::Scratch tree_scratch;
  surface::ShapeContactScratch scratch;
  mesh::TriangleCore triangle_core;
  std::vector<Index> candidates;
  std::vector<surface::ShapeContact> contacts;
  const surface::MovingTriangle triangle{{mesh.positions[0], mesh.positions[1], mesh.positions[20]},
                                         {mesh.positions[40], mesh.positions[41], mesh.positions[60]}};
  const Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  const convex::SweptPose swept_pose(pose, Eigen::Vector3d(0.3, 0.2, 1), Eigen::Vector3d(-0.2, 0.1, 0.4));
  for (const test::Sample& sample : test::convex_samples()) {
    const shapes::Core& core = sample.shape.data().core;
    const auto call = [&] {
      tree.update(workers, sheet, mesh.positions);
      tree.find(surface::shape_box(core, pose, 0.3), tree_scratch, candidates);
      surface::find_shape_contacts(core, pose, sheet, mesh.positions, candidates, {0.3}, scratch, contacts);
      return surface::shape_impact(convex::MovingCore(core, swept_pose), triangle, {0.01, 1e-4}, triangle_core).time;
    };
    for (int warm_up = 0; warm_up < 3; ++warm_up) call();
    const std::size_t before = allocations;
    call();
    EXPECT_EQ(allocations - before, 0U) << sample.name;
    EXPECT_FALSE(contacts.empty()) << sample.name;
  }
}

TEST(BroadPhaseAllocation, AWarmUpdateAllocatesNothing) {
  std::mt19937_64 random(5);
  std::array<std::vector<AxisBox>, 2> places;
  for (int i = 0; i < 600; ++i) {
    Eigen::Vector3d at;
    for (int k = 0; k < 3; ++k) at[k] = 6 * oracle::uniform(random);
    for (std::size_t place = 0; place < 2; ++place) {
      // Half of them jump, the others stay in their enlarged boxes.
      at.x() += static_cast<double>(place) * (i % 2 == 0 ? 1.7 : 1e-3);
      places[place].push_back({at, at + Eigen::Vector3d(0.8, 0.7, 0.6)});
    }
  }
  for (const char* method : {"tree", "sap", "cells"}) {
    BroadPhase broad({.method = method});
    std::vector<ProxyId> ids;
    for (const AxisBox& box : places[0]) ids.push_back(broad.add(box));
    std::size_t before = 0;
    for (std::size_t update = 0; update < 16; ++update) {
      if (update == 10) before = allocations;
      broad.move(ids, places[update % 2]);
      broad.update();
    }
    EXPECT_EQ(allocations - before, 0U) << method;
    EXPECT_FALSE(broad.pairs().empty());
  }
}

TEST(RigidAllocation, AWarmStepAllocatesNothing) {
  for (const std::string_view response : response_names()) {
    WorldOptions options = rigid_options(1.0 / 60);
    options.response = response;
    World world(options);
    world.add(floor_body());
    for (int i = 0; i < 12; ++i) world.add(box_body("box", {0.4, 0.4, 0.4}, at(2.0 * (i / 3), 0.4 + 0.8 * (i % 3), 0)));
    for (int warm_up = 0; warm_up < 30; ++warm_up) world.step();
    const std::size_t before = allocations;
    for (int step = 0; step < 20; ++step) world.step();
    EXPECT_EQ(allocations - before, 0U) << response;
    EXPECT_GT(world.stats()[Stage::respond].in, 10U);
  }
}

}  // namespace
}  // namespace carom
