#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>

#include "carom/core/error.hpp"
#include "carom/io/recording.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/query/cast.hpp"
#include "carom/query/clash.hpp"
#include "carom/query/closest_features.hpp"
#include "carom/query/mesh_contacts.hpp"
#include "carom/query/query.hpp"
#include "carom/query/separating_axes.hpp"
#include "carom/world/world.hpp"
#include "carom/world/world_query.hpp"
#include "shapes/shape_samples.hpp"

// Every public function that takes a pose, with poses that are no rotation and translation.
namespace carom {
namespace {

using Pose = Eigen::Isometry3d;

struct BadPose {
  const char* name;
  Pose pose;
  ErrorCode code;
  const char* why;
};

std::vector<BadPose> bad_poses() {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with = [](auto&& change) {
    Pose pose(Eigen::Translation3d(0.1, 0.2, 0.3) * Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()));
    change(pose);
    return pose;
  };
  const auto rotated = [&](const Eigen::Matrix3d& by) {
    return with([&](Pose& pose) { pose.matrix().topLeftCorner<3, 3>() = pose.linear() * by; });
  };
  Eigen::Matrix3d shear = Eigen::Matrix3d::Identity();
  shear(0, 1) = 0.3;
  Eigen::Matrix3d slanted = Eigen::Matrix3d::Identity();
  slanted.col(2) = Eigen::Vector3d(0.6, 0, 0.8);
  constexpr ErrorCode wrong = ErrorCode::invalid_argument;
  return {
      {"scale 2", rotated(2 * Eigen::Matrix3d::Identity()), wrong, "column 0 of its matrix has length 2;"},
      {"scale 1.001 along z", rotated(Eigen::Vector3d(1, 1, 1.001).asDiagonal()), wrong, "column 2 "},
      {"mirror", rotated(Eigen::Vector3d(1, 1, -1).asDiagonal()), wrong, "it mirrors"},
      {"point reflection", rotated(-Eigen::Matrix3d::Identity()), wrong, "it mirrors"},
      {"shear", rotated(shear), wrong, "column 1 of its matrix has length"},
      {"shear of unit columns", rotated(slanted), wrong, "columns 0 and 2 of its matrix are not perpendicular"},
      {"zero", rotated(Eigen::Matrix3d::Zero()), wrong, "column 0 of its matrix has length 0;"},
      {"NaN in the rotation", with([](Pose& p) { p.linear()(1, 2) = nan; }), ErrorCode::not_finite, "not finite"},
      {"NaN in the translation", with([](Pose& p) { p.translation().y() = nan; }), ErrorCode::not_finite, "not finite"},
      {"infinite", with([](Pose& p) { p.translation().z() = INFINITY; }), ErrorCode::not_finite, "not finite"},
      {"too far", with([](Pose& p) { p.translation().x() = 2e60; }), ErrorCode::not_finite, "beyond 1e+60"},
  };
}

struct PoseCall {
  const char* names;  ///< how the message begins
  std::function<void(const Pose&)> run;
};

std::vector<PoseCall> pose_calls() {
  static const Shape box = Shape::box({1, 1, 1});
  static const Shape mesh = Shape::mesh(make_box({1, 1, 1}));
  static const ConvexPolyhedron solid(Shape::hull(make_box({1, 1, 1}).positions));
  static const Pose here = Pose::Identity();
  static const Eigen::Vector3d still = Eigen::Vector3d::Zero();
  static std::vector<QueryResult> results(2);
  static std::vector<std::uint8_t> hits(2);
  static std::vector<CastResult> casts(2);
  static std::vector<TriangleManifold> manifolds;
  static std::vector<Index> triangles;
  static World world(WorldOptions{});
  static const BodyId body = world.add(RigidBody{.name = "crate", .shape = box});
  const auto poses = [](const Pose& p) { return std::vector<Pose>{here, p}; };
  const auto parts = [](const Pose& p) { return std::vector<Shape::Part>{{box, here}, {box, p}}; };
  const auto motions = [](const Pose& p) { return std::vector<ShapeMotion>{{here, here}, {here, p}}; };
  const std::vector<Pose> one{here};
  return {
      {"collide: pose_a ", [](const Pose& p) { collide(box, p, box, here); }},
      {"collide: pose_b ", [](const Pose& p) { collide(box, here, mesh, p); }},
      {"distance: pose_a ", [](const Pose& p) { distance(box, p, mesh, here); }},
      {"distance: pose_b ", [](const Pose& p) { distance(box, here, box, p); }},
      {"penetration: pose_a ", [](const Pose& p) { penetration(mesh, p, mesh, here); }},
      {"penetration: pose_b ", [](const Pose& p) { penetration(box, here, box, p); }},
      {"collide: poses_a[1] ", [=](const Pose& p) { collide(box, poses(p), box, one, hits); }},
      {"collide: poses_b[1] ", [=](const Pose& p) { collide(box, one, box, poses(p), hits); }},
      {"distance: poses_a[1] ", [=](const Pose& p) { distance(box, poses(p), box, one, results); }},
      {"distance: poses_b[1] ", [=](const Pose& p) { distance(box, one, box, poses(p), results); }},
      {"penetration: poses_a[1] ", [=](const Pose& p) { penetration(box, poses(p), box, one, results); }},
      {"penetration: poses_b[1] ", [=](const Pose& p) { penetration(box, one, box, poses(p), results); }},
      {"collide: pose_a ", [=](const Pose& p) { collide(box, p, parts(here), hits); }},
      {"collide: others[1].pose ", [=](const Pose& p) { collide(box, here, parts(p), hits); }},
      {"distance: pose_a ", [=](const Pose& p) { distance(box, p, parts(here), results); }},
      {"distance: others[1].pose ", [=](const Pose& p) { distance(box, here, parts(p), results); }},
      {"penetration: pose_a ", [=](const Pose& p) { penetration(box, p, parts(here), results); }},
      {"penetration: others[1].pose ", [=](const Pose& p) { penetration(box, here, parts(p), results); }},
      {"manifold: pose_a ", [](const Pose& p) { manifold(box, p, box, here); }},
      {"manifold: pose_b ", [](const Pose& p) { manifold(box, here, box, p); }},
      {"find_clashes: part 1: its pose ", [=](const Pose& p) { find_clashes(parts(p), {.threads = 1}); }},
      {"closest_features: pose_a ", [](const Pose& p) { closest_features(solid, p, solid, here); }},
      {"closest_features: pose_b ", [](const Pose& p) { closest_features(solid, here, solid, p); }},
      {"separation: pose_a ", [](const Pose& p) { separation(solid, p, solid, here); }},
      {"separation: pose_b ", [](const Pose& p) { separation(solid, here, solid, p); }},
      {"contact_interval: pose_a ", [](const Pose& p) { contact_interval(solid, p, still, solid, here, still, 1); }},
      {"contact_interval: pose_b ", [](const Pose& p) { contact_interval(solid, here, still, solid, p, still, 1); }},
      {"overlap_regions: pose_a ", [](const Pose& p) { overlap_regions(mesh, p, box, here); }},
      {"overlap_regions: pose_b ", [](const Pose& p) { overlap_regions(mesh, here, mesh, p); }},
      {"mesh_crossings: pose_a ", [](const Pose& p) { mesh_crossings(mesh, p, mesh, here); }},
      {"mesh_crossings: pose_b ", [](const Pose& p) { mesh_crossings(mesh, here, mesh, p); }},
      {"mesh_manifolds: pose_mesh ", [](const Pose& p) { mesh_manifolds(mesh, p, box, here, 0.1, manifolds); }},
      {"mesh_manifolds: pose_convex ", [](const Pose& p) { mesh_manifolds(mesh, here, box, p, 0.1, manifolds); }},
      {"triangles_near: pose ",
       [](const Pose& p) {
         triangles_near(mesh, p, {still, still}, triangles);
       }},
      {"pose_at: motion.from ",
       [](const Pose& p) {
         pose_at({p, here}, 0.5);
       }},
      {"pose_at: motion.to ",
       [](const Pose& p) {
         pose_at({here, p}, 0.5);
       }},
      {"cast: pose from ", [](const Pose& p) { cast(box, p, here, box, here); }},
      {"cast: pose to ", [](const Pose& p) { cast(box, here, p, box, here); }},
      {"cast: pose_b ", [](const Pose& p) { cast(box, here, here, box, p); }},
      {"cast: motion_a.from ",
       [](const Pose& p) {
         cast(box, {p, here}, box, {here, here});
       }},
      {"cast: motion_a.to ",
       [](const Pose& p) {
         cast(box, {here, p}, box, {here, here});
       }},
      {"cast: motion_b.from ",
       [](const Pose& p) {
         cast(box, {here, here}, box, {p, here});
       }},
      {"cast: motion_b.to ",
       [](const Pose& p) {
         cast(box, {here, here}, box, {here, p});
       }},
      {"cast: motions_a[1].to ", [=](const Pose& p) { cast(box, motions(p), box, motions(here), casts); }},
      {"cast: motions_b[1].to ", [=](const Pose& p) { cast(box, motions(here), box, motions(p), casts); }},
      {"cast: motion_a.from ",
       [=](const Pose& p) {
         cast(box, {p, here}, parts(here), casts);
       }},
      {"cast: others[1].pose ",
       [=](const Pose& p) {
         cast(box, {here, here}, parts(p), casts);
       }},
      {"compound: parts[1].pose ", [=](const Pose& p) { Shape::compound(parts(p)); }},
      {"bounding_box: pose ", [](const Pose& p) { box.bounding_box(p); }},
      {"dop18: pose ", [](const Pose& p) { box.dop18(p); }},
      {"dop26: pose ", [](const Pose& p) { box.dop26(p); }},
      {"oriented_box: pose ", [](const Pose& p) { box.oriented_box(p); }},
      {"body 'b': pose ",
       [](const Pose& p) {
         World other(WorldOptions{});
         other.add(RigidBody{.name = "b", .shape = box, .pose = p});
       }},
      {"body 'crate': pose ", [](const Pose& p) { world.teleport(body, p); }},
      {"cast: motion.from ",
       [](const Pose& p) {
         world.cast(box, {p, here});
       }},
      {"cast: motion.to ",
       [](const Pose& p) {
         world.cast(box, {here, p});
       }},
      {"overlapping: pose ", [](const Pose& p) { world.overlapping(box, p); }},
      {"closest: pose ", [](const Pose& p) { world.closest(box, p, 1); }},
  };
}

TEST(BadPose, IsRefusedByNameInEveryCall) {
  for (const PoseCall& call : pose_calls()) {
    for (const BadPose& bad : bad_poses()) {
      try {
        call.run(bad.pose);
        ADD_FAILURE() << call.names << "took " << bad.name;
      } catch (const Error& error) {
        const std::string what = error.what();
        EXPECT_EQ(what.rfind(call.names, 0), 0U) << bad.name << ": " << what;
        EXPECT_NE(what.find(bad.why), std::string::npos) << bad.name << ": " << what;
        EXPECT_EQ(error.code(), bad.code) << bad.name << ": " << what;
      }
    }
  }
}

TEST(BadPose, WhatRoundingLeavesOfARotationIsTaken) {
  std::mt19937_64 random(77);
  for (const PoseCall& call : pose_calls()) {
    for (int i = 0; i < 8; ++i) {
      Pose pose = test::random_pose(random, 3);
      // Through single precision, as matrices of other programs are.
      if (i % 2 == 1) pose = pose.cast<float>().cast<double>();
      EXPECT_NO_THROW(call.run(pose)) << call.names;
    }
  }
}

TEST(BadPose, OfAPolygonIsRefusedByName) {
  const ConvexPolygon square(std::vector<Eigen::Vector2d>{{0, 0}, {1, 0}, {1, 1}, {0, 1}});
  const Eigen::Isometry2d here = Eigen::Isometry2d::Identity();
  const Eigen::Vector2d still = Eigen::Vector2d::Zero();
  const auto error_of = [](auto&& ask) {
    try {
      ask();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  for (const auto& [name, matrix] : {std::pair<const char*, Eigen::Matrix2d>{"scale", 2 * Eigen::Matrix2d::Identity()},
                                     {"mirror", Eigen::Vector2d(1, -1).asDiagonal()},
                                     {"shear", (Eigen::Matrix2d() << 1, 0.3, 0, 1).finished()},
                                     {"zero", Eigen::Matrix2d::Zero()}}) {
    Eigen::Isometry2d bad = here;
    bad.linear() = matrix;
    const auto begins = [name = name](const std::string& what, const char* with) {
      EXPECT_EQ(what.rfind(with, 0), 0U) << name << ": " << what;
    };
    begins(error_of([&] { separation(square, bad, square, here); }),
           "separation: pose_a is not a rotation and a translation");
    begins(error_of([&] { separation(square, here, square, bad); }),
           "separation: pose_b is not a rotation and a translation");
    begins(error_of([&] { contact_interval(square, bad, still, square, here, still, 1); }),
           "contact_interval: pose_a is not a rotation and a translation");
    begins(error_of([&] { contact_interval(square, here, still, square, bad, still, 1); }),
           "contact_interval: pose_b is not a rotation and a translation");
  }
}

TEST(BadPose, OfARecordedBodyIsRefused) {
  const TriangleMesh mesh = make_box({1, 1, 1});
  for (const BadPose& bad : bad_poses()) {
    RecordingWriter writer(RecordingMeta{}, PositionEncoding::f64);
    const FrameBodyView body{.name = "b", .triangles = mesh.triangles, .positions = mesh.positions, .pose = bad.pose};
    EXPECT_THROW(writer.write_frame(0, {&body, 1}, {}, {}), Error) << bad.name;
  }
}

}  // namespace
}  // namespace carom
