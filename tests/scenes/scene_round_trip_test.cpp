#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "carom/core/error.hpp"
#include "carom/io/scene.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

Scene reread(const Scene& scene) {
  return parse_scene(to_json(scene), "again.json", "");
}

/// Every field away from its default.
Scene full_scene() {
  Scene scene;
  scene.name = "full \"quoted\" \n é";
  scene.description = "everything";
  scene.steps = 7;
  scene.world.dt = 0.1 + 0.2;
  scene.world.gravity = {1, -0.0, 1.0 / 3};
  scene.world.threads = 3;
  scene.world.time_budget = 0.25;
  scene.world.inner_step_cost = 1e-7;
  scene.world.detection = Detection::continuous;
  scene.world.contact = {.distance = 0.5,
                         .stiffness = 3,
                         .damping = 0.25,
                         .pairs = PairScope::self,
                         .surface_factor = 1.5,
                         .immovable = true};

  FixedSceneBody ground;
  ground.source.shape = BoxSource{.size = {1, 2, 3}, .segments = 4};
  ground.source.dents = {{.center = {1, 2, 3}, .direction = {0, 0, 2}, .radius = 0.5, .depth = -0.1}};
  ground.source.placement = {
      .position = {4, 5, 6}, .rotation_axis = {1, 1, 0}, .rotation_degrees = 30, .scale = {1, 2, 0.5}};

  ground.field = FieldOptions{.tolerance = 0.01, .band = 0.02, .far_error = 0.5};

  ScriptedSceneBody knot;
  knot.field = FieldOptions{.tolerance = 0.03, .band = 0.04, .far_error = 0.75};
  knot.detection = Detection::continuous;
  knot.source.shape = TrefoilSource{.radius = 2, .height = 0.25, .tube_radius = 0.125, .along = 50, .across = 6};
  knot.morph_target = MeshSource{.shape = FileSource{"folder/b.obj", "-z", "mm"}, .dents = {}, .placement = {}};
  knot.keyframes = {{.time = -1, .placement = {}, .morph = 0},
                    {.time = 1e-300, .placement = ground.source.placement, .morph = 2}};

  ParticleSceneBody cloth;
  cloth.source.shape = SheetSource{.size_x = 2, .size_z = 3, .segments_x = 4, .segments_z = 5};
  cloth.mass = 2;
  cloth.stretch_stiffness = 3;
  cloth.bend_stiffness = 4;
  cloth.spring_damping = 5;
  cloth.air_damping = 6;
  cloth.pinned = {0, 5, 29};
  cloth.velocity = {0.5, -3, 1e4};

  FixedSceneBody ball;
  ball.detection = Detection::discrete;
  ball.source.shape = IcosphereSource{.radius = 3, .subdivisions = 1};
  FixedSceneBody ring;
  ring.source.shape = TorusSource{.radius = 3, .tube_radius = 2, .around = 5, .across = 6};
  ClothSceneBody flag;
  flag.source.shape = SheetSource{.size_x = 3, .size_z = 2, .segments_x = 5, .segments_z = 4};
  flag.fabric_properties = Fabric{.density = 1,
                                  .warp_stiffness = 2,
                                  .weft_stiffness = 3,
                                  .shear_stiffness = 4,
                                  .bend_stiffness = 5,
                                  .warp_damping = 6,
                                  .weft_damping = 7,
                                  .shear_damping = 8,
                                  .bend_damping = 9,
                                  .strain_limit = 10,
                                  .tear_strain = 11};
  flag.region_sources = {
      {.triangles = {3, 1}, .inside = SceneBounds{}, .fabric_name = "denim", .fabric_properties = {}},
      {.triangles = {4}, .inside = {}, .fabric_name = "cotton", .fabric_properties = Fabric{}}};
  flag.thickness = 0.03;
  flag.moving_pins_sources = {{.vertices = {2}, .keyframes = {{.time = 1, .placement = {.position = {1, 2, 3}}}}}};
  flag.pressure = 12;
  flag.integrator = ClothIntegrator::verlet;
  flag.verlet = {.iterations = 13, .max_strain = 14};
  flag.warp = {0, 0, 2};
  flag.pinned = {1, 2};
  flag.velocity = {1, 2, 3};
  flag.air_damping = 4;
  flag.wind_source = WindSource{.velocity = {5, 6, 7},
                                .density = 8,
                                .law = WindLaw::lift_drag,
                                .normal_drag = 9,
                                .tangent_drag = 10,
                                .drag = 11,
                                .lift = 12,
                                .linear_pressure = 13,
                                .gust_strength = 14,
                                .gust_period = 15,
                                .gust_seed = 16};
  flag.inner_steps = 11;
  flag.importance = 12;
  cloth.importance = 0;
  flag.sleeping_allowed = false;
  scene.bodies = {{"ground", ground}, {"knot", knot}, {"cloth", cloth}, {"ball", ball}, {"ring", ring}, {"flag", flag}};
  scene.bodies[1].filter().group = 6;
  scene.bodies[2].filter().mask = 0xfffffffe;
  scene.excluded_bodies = {{"ring", "knot"}, {"cloth", "cloth"}};
  scene.continuous_pairs = {{"cloth", "ball"}};
  scene.attachments = {{.body = "flag", .vertices = {3, 4}, .to = "knot"}};
  scene.seams = {{.a = "flag", .vertices_a = {5}, .b = "cloth", .vertices_b = {6}, .duration = 7, .tear_force = 8}};
  scene.discrete_pairs = {{"cloth", "ring"}, {"knot", "knot"}};
  return scene;
}

void expect_same(const Placement& left, const Placement& right) {
  EXPECT_EQ(left.position, right.position);
  EXPECT_EQ(left.rotation_axis, right.rotation_axis);
  EXPECT_EQ(left.rotation_degrees, right.rotation_degrees);
  EXPECT_EQ(left.scale, right.scale);
}

TEST(SceneRoundTrip, KeepsEveryFieldOfTheScene) {
  const Scene scene = full_scene();
  const Scene again = reread(scene);
  EXPECT_EQ(again.name, scene.name);
  EXPECT_EQ(again.description, scene.description);
  EXPECT_EQ(again.steps, 7);
  EXPECT_EQ(again.world.dt, scene.world.dt);
  EXPECT_EQ(again.world.gravity, scene.world.gravity);
  EXPECT_TRUE(std::signbit(again.world.gravity.y()));
  EXPECT_EQ(again.world.threads, 3);
  EXPECT_EQ(again.world.detection, Detection::continuous);
  EXPECT_EQ(again.world.contact.distance, 0.5);
  EXPECT_EQ(again.world.contact.stiffness, 3);
  EXPECT_EQ(again.world.contact.damping, 0.25);
  EXPECT_EQ(again.world.contact.pairs, PairScope::self);
  EXPECT_EQ(to_json(again), to_json(scene));
}

TEST(SceneRoundTrip, KeepsEveryFieldOfTheBodies) {
  const Scene scene = full_scene();
  const Scene again = reread(scene);
  ASSERT_EQ(again.bodies.size(), 6U);

  const auto& ground = std::get<FixedSceneBody>(again.bodies[0].body);
  EXPECT_EQ(std::get<BoxSource>(ground.source.shape).size, Vector3d(1, 2, 3));
  EXPECT_EQ(std::get<BoxSource>(ground.source.shape).segments, 4);
  ASSERT_EQ(ground.source.dents.size(), 1U);
  EXPECT_EQ(ground.source.dents[0].center, Vector3d(1, 2, 3));
  EXPECT_EQ(ground.source.dents[0].direction, Vector3d(0, 0, 2));
  EXPECT_EQ(ground.source.dents[0].radius, 0.5);
  EXPECT_EQ(ground.source.dents[0].depth, -0.1);
  expect_same(ground.source.placement, std::get<FixedSceneBody>(scene.bodies[0].body).source.placement);

  const auto& knot = std::get<ScriptedSceneBody>(again.bodies[1].body);
  const auto& trefoil_source = std::get<TrefoilSource>(knot.source.shape);
  EXPECT_EQ(trefoil_source.radius, 2);
  EXPECT_EQ(trefoil_source.height, 0.25);
  EXPECT_EQ(trefoil_source.tube_radius, 0.125);
  EXPECT_EQ(trefoil_source.along, 50);
  EXPECT_EQ(trefoil_source.across, 6);
  ASSERT_TRUE(knot.morph_target.has_value());
  EXPECT_EQ(std::get<FileSource>(knot.morph_target->shape).path, "folder/b.obj");
  EXPECT_EQ(std::get<FileSource>(knot.morph_target->shape).up, "-z");
  EXPECT_EQ(std::get<FileSource>(knot.morph_target->shape).unit, "mm");
  ASSERT_EQ(knot.keyframes.size(), 2U);
  EXPECT_EQ(knot.keyframes[0].time, -1);
  EXPECT_EQ(knot.keyframes[1].time, 1e-300);
  EXPECT_EQ(knot.keyframes[1].morph, 2);
  expect_same(knot.keyframes[1].placement, ground.source.placement);

  const auto& flag = std::get<ClothSceneBody>(again.bodies[5].body);
  EXPECT_EQ(std::get<SheetSource>(flag.source.shape).size_x, 3);
  EXPECT_EQ(flag.fabric_name, "cotton") << "as properties are given";
  ASSERT_TRUE(flag.fabric_properties.has_value());
  EXPECT_EQ(flag.fabric_properties->density, 1);
  EXPECT_EQ(flag.fabric_properties->warp_stiffness, 2);
  EXPECT_EQ(flag.fabric_properties->weft_stiffness, 3);
  EXPECT_EQ(flag.fabric_properties->shear_stiffness, 4);
  EXPECT_EQ(flag.fabric_properties->bend_stiffness, 5);
  EXPECT_EQ(flag.fabric_properties->warp_damping, 6);
  EXPECT_EQ(flag.fabric_properties->weft_damping, 7);
  EXPECT_EQ(flag.fabric_properties->shear_damping, 8);
  EXPECT_EQ(flag.fabric_properties->bend_damping, 9);
  EXPECT_EQ(flag.fabric_properties->strain_limit, 10);
  EXPECT_EQ(flag.warp, Vector3d(0, 0, 2));
  EXPECT_EQ(flag.pinned, (std::vector<Index>{1, 2}));
  EXPECT_EQ(flag.velocity, Vector3d(1, 2, 3));
  EXPECT_EQ(flag.air_damping, 4);
  ASSERT_TRUE(flag.wind_source.has_value());
  EXPECT_EQ(flag.wind_source->velocity, Vector3d(5, 6, 7));
  EXPECT_EQ(flag.wind_source->density, 8);
  EXPECT_EQ(flag.wind_source->normal_drag, 9);
  EXPECT_EQ(flag.wind_source->tangent_drag, 10);
  EXPECT_EQ(flag.wind_source->law, WindLaw::lift_drag);
  EXPECT_EQ(flag.wind_source->drag, 11);
  EXPECT_EQ(flag.wind_source->lift, 12);
  EXPECT_EQ(flag.wind_source->linear_pressure, 13);
  EXPECT_EQ(flag.wind_source->gust_strength, 14);
  EXPECT_EQ(flag.wind_source->gust_period, 15);
  EXPECT_EQ(flag.wind_source->gust_seed, 16);
  EXPECT_EQ(flag.fabric_properties->tear_strain, 11);
  ASSERT_EQ(flag.region_sources.size(), 2U);
  EXPECT_EQ(flag.region_sources[0].triangles, (std::vector<Index>{3, 1}));
  EXPECT_EQ(flag.region_sources[0].fabric_name, "denim");
  ASSERT_TRUE(flag.region_sources[0].inside.has_value());
  EXPECT_FALSE(flag.region_sources[1].inside.has_value());
  EXPECT_TRUE(flag.region_sources[1].fabric_properties.has_value());
  EXPECT_EQ(flag.thickness, 0.03);
  ASSERT_EQ(flag.moving_pins_sources.size(), 1U);
  EXPECT_EQ(flag.moving_pins_sources[0].vertices, std::vector<Index>{2});
  EXPECT_EQ(flag.moving_pins_sources[0].keyframes[0].placement.position, Vector3d(1, 2, 3));
  EXPECT_EQ(flag.pressure, 12);
  EXPECT_EQ(flag.integrator, ClothIntegrator::verlet);
  EXPECT_EQ(flag.verlet.iterations, 13);
  EXPECT_EQ(flag.verlet.max_strain, 14);
  ASSERT_EQ(again.attachments.size(), 1U);
  EXPECT_EQ(again.attachments[0].body, "flag");
  EXPECT_EQ(again.attachments[0].vertices, (std::vector<Index>{3, 4}));
  EXPECT_EQ(again.attachments[0].to, "knot");
  ASSERT_EQ(again.seams.size(), 1U);
  EXPECT_EQ(again.seams[0].a, "flag");
  EXPECT_EQ(again.seams[0].vertices_a, std::vector<Index>{5});
  EXPECT_EQ(again.seams[0].b, "cloth");
  EXPECT_EQ(again.seams[0].vertices_b, std::vector<Index>{6});
  EXPECT_EQ(again.seams[0].duration, 7);
  EXPECT_EQ(again.seams[0].tear_force, 8);
  EXPECT_EQ(flag.inner_steps, 11);
  EXPECT_EQ(flag.importance, 12);
  EXPECT_EQ(std::get<ParticleSceneBody>(again.bodies[2].body).importance, 0);
  EXPECT_EQ(again.world.time_budget, 0.25);
  EXPECT_EQ(again.world.inner_step_cost, 1e-7);
  EXPECT_FALSE(flag.sleeping_allowed);

  const auto& cloth = std::get<ParticleSceneBody>(again.bodies[2].body);
  EXPECT_EQ(std::get<SheetSource>(cloth.source.shape).size_x, 2);
  EXPECT_EQ(std::get<SheetSource>(cloth.source.shape).size_z, 3);
  EXPECT_EQ(std::get<SheetSource>(cloth.source.shape).segments_x, 4);
  EXPECT_EQ(std::get<SheetSource>(cloth.source.shape).segments_z, 5);
  EXPECT_EQ(cloth.mass, 2);
  EXPECT_EQ(cloth.stretch_stiffness, 3);
  EXPECT_EQ(cloth.bend_stiffness, 4);
  EXPECT_EQ(cloth.spring_damping, 5);
  EXPECT_EQ(cloth.air_damping, 6);
  EXPECT_EQ(cloth.pinned, (std::vector<Index>{0, 5, 29}));
  EXPECT_EQ(cloth.velocity, Vector3d(0.5, -3, 1e4));

  EXPECT_EQ(std::get<IcosphereSource>(std::get<FixedSceneBody>(again.bodies[3].body).source.shape).radius, 3);
  EXPECT_EQ(std::get<IcosphereSource>(std::get<FixedSceneBody>(again.bodies[3].body).source.shape).subdivisions, 1);
  EXPECT_EQ(std::get<TorusSource>(std::get<FixedSceneBody>(again.bodies[4].body).source.shape).tube_radius, 2);
  EXPECT_EQ(std::get<FixedSceneBody>(again.bodies[0].body).field,
            (FieldOptions{.tolerance = 0.01, .band = 0.02, .far_error = 0.5}));
  EXPECT_EQ(knot.field, (FieldOptions{.tolerance = 0.03, .band = 0.04, .far_error = 0.75}));
  EXPECT_EQ(std::get<FixedSceneBody>(again.bodies[3].body).field, std::nullopt);
  EXPECT_EQ(again.bodies[4].name(), "ring");
  EXPECT_EQ(again.world.contact.surface_factor, 1.5);
  EXPECT_TRUE(again.world.contact.immovable);
  EXPECT_EQ(again.bodies[1].filter().group, 6U);
  EXPECT_EQ(knot.detection, Detection::continuous);
  EXPECT_EQ(cloth.detection, std::nullopt);
  EXPECT_EQ(std::get<FixedSceneBody>(again.bodies[3].body).detection, Detection::discrete);
  EXPECT_EQ(again.bodies[2].filter().mask, 0xfffffffeU);
  EXPECT_EQ(again.bodies[3].filter().mask, 0xffffffffU);
  EXPECT_EQ(again.excluded_bodies, scene.excluded_bodies);
  EXPECT_EQ(again.continuous_pairs, scene.continuous_pairs);
  EXPECT_EQ(again.discrete_pairs, scene.discrete_pairs);
}

/// Every field of rigid bodies away from its default, and every shape.
Scene rigid_scene() {
  Scene scene;
  scene.name = "rigid";
  scene.world.response = "impulse";
  scene.world.solver = {.soft = {.substeps = 7,
                                 .contact_hertz = 31,
                                 .contact_damping = 3,
                                 .load_time_constant = 6,
                                 .initial_iterations = 8},
                        .impulse = {.rounds = 61, .tolerance = 1e-8},
                        .lcp = {.max_points = 65, .directions = 6},
                        .penalty = {.stiffness = 1000, .damping = 0.5, .substeps = 17},
                        .sleep = {.enabled = false, .speed = 0.09, .after = 1.5},
                        .max_push_speed = 4,
                        .soft_zone = 0.001,
                        .speculative_distance = 0.03,
                        .resting_speed = 0.06,
                        .bounce_speed = 0.7};
  scene.bounds = SceneBounds{.min = {-1, -2, -3}, .max = {4, 5, 6.5}};
  const std::vector<Vector3d> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1.0 / 3}};
  MeshShape mesh;
  mesh.mesh.shape = BoxSource{.size = {1, 2, 3}, .segments = 2};
  mesh.solid = MeshSolid::surface;
  CompoundShape compound;
  compound.parts = {{{CylinderShape{0.2, 0.3}, 0.01}, {.position = {1, 2, 3}}},
                    {{HullShape{corners}, 0}, {.rotation_axis = {1, 1, 0}, .rotation_degrees = 30}}};
  const std::vector<ShapeSource> shapes{{SphereShape{0.25}, 0},
                                        {BoxShape{{0.1, 0.2, 0.3}}, 0.02},
                                        {CapsuleShape{0.1, 0.4}, 0},
                                        {CylinderShape{0.3, 0.2}, 0},
                                        {ConeShape{0.4, 0.1}, 0},
                                        {EllipsoidShape{{0.3, 0.2, 0.1}}, 0},
                                        {HalfSpaceShape{{0, 2, 1}, -0.5}, 0},
                                        {HullShape{corners}, 0},
                                        {TriangleShape{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0},
                                        {mesh, 0},
                                        {compound, 0}};
  for (const ShapeSource& shape : shapes) {
    RigidSceneBody body;
    body.source = shape;
    scene.bodies.push_back({"body-" + std::to_string(scene.bodies.size()), body});
  }
  auto& body = std::get<RigidSceneBody>(scene.bodies[1].body);
  body.placement = {.position = {7, 8, 9}, .rotation_axis = {0, 0, 2}, .rotation_degrees = 45};
  body.motion = MotionModel::scripted;
  body.density = 2;
  body.mass.emplace();
  body.mass->mass = 3;
  body.mass->center = {0.1, 0.2, 0.3};
  body.mass->inertia << 2, 0.1, 0.2, 0.1, 3, 0.3, 0.2, 0.3, 4;
  body.velocity = {1, 2, 3};
  body.angular_velocity = {4, 5, 6};
  body.material.friction = 0.1;
  body.material.restitution = 0.9;
  body.torsional_friction = 0.01;
  body.rolling_friction = 0.02;
  body.linear_damping = 0.2;
  body.angular_damping = 0.3;
  body.locked_translation = {true, false, true};
  body.locked_rotation = {false, true, false};
  body.sleeping_allowed = false;
  body.decomposition = {.tolerance = 0.25, .max_parts = 5};
  scene.bodies[1].filter().group = 2;
  scene.bodies[1].filter().mask = 5;
  std::get<RigidSceneBody>(scene.bodies[6].body).motion = MotionModel::fixed;
  scene.excluded_bodies = {{"body-0", "body-1"}};
  return scene;
}

TEST(SceneRoundTrip, KeepsEveryFieldOfRigidBodies) {
  const Scene scene = rigid_scene();
  const Scene again = reread(scene);
  EXPECT_EQ(to_json(again), to_json(scene));
  ASSERT_EQ(again.bodies.size(), scene.bodies.size());
  EXPECT_EQ(again.world.response, "impulse");
  EXPECT_EQ(again.world.solver.soft.substeps, 7);
  EXPECT_EQ(again.world.solver.soft_zone, 0.001);
  EXPECT_FALSE(again.world.solver.sleep.enabled);
  EXPECT_EQ(again.world.solver.sleep.after, 1.5);
  ASSERT_TRUE(again.bounds);
  EXPECT_EQ(again.bounds->min, Vector3d(-1, -2, -3));
  EXPECT_EQ(again.bounds->max, Vector3d(4, 5, 6.5));
  const RigidBody left = build(std::get<RigidSceneBody>(scene.bodies[1].body));
  const RigidBody right = build(std::get<RigidSceneBody>(again.bodies[1].body));
  EXPECT_EQ(right.name, "body-1");
  EXPECT_EQ(right.pose.matrix(), left.pose.matrix());
  EXPECT_EQ(right.motion, MotionModel::scripted);
  EXPECT_EQ(right.density, 2);
  ASSERT_TRUE(right.mass);
  EXPECT_EQ(right.mass->mass, 3);
  EXPECT_EQ(right.mass->center, left.mass->center);
  EXPECT_EQ(right.mass->inertia, left.mass->inertia);
  EXPECT_EQ(right.velocity, Vector3d(1, 2, 3));
  EXPECT_EQ(right.angular_velocity, Vector3d(4, 5, 6));
  EXPECT_EQ(right.material.friction, 0.1);
  EXPECT_EQ(right.material.restitution, 0.9);
  EXPECT_EQ(right.torsional_friction, 0.01);
  EXPECT_EQ(right.rolling_friction, 0.02);
  EXPECT_EQ(right.linear_damping, 0.2);
  EXPECT_EQ(right.angular_damping, 0.3);
  EXPECT_EQ(right.locked_translation, left.locked_translation);
  EXPECT_EQ(right.locked_rotation, left.locked_rotation);
  EXPECT_EQ(right.filter.group, 2U);
  EXPECT_EQ(right.filter.mask, 5U);
  EXPECT_FALSE(right.sleeping_allowed);
  EXPECT_EQ(right.decomposition, (DecomposeOptions{.tolerance = 0.25, .max_parts = 5}));
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const Shape shape = build(std::get<RigidSceneBody>(again.bodies[i].body)).shape;
    EXPECT_EQ(static_cast<std::size_t>(shape.kind()), i) << "the order of the list is that of ShapeKind";
    EXPECT_EQ(shape.margin(), i == 1 ? 0.02 : 0) << i;
  }
}

TEST(SceneRoundTrip, BuiltinScenes) {
  for (const BuiltinScene& builtin : builtin_scenes()) {
    const Scene scene = builtin.make();
    EXPECT_EQ(scene.name, builtin.name);
    EXPECT_EQ(to_json(reread(scene)), to_json(scene));
  }
}

TEST(SceneRoundTrip, DefaultsThatSayNothingAreNotWritten) {
  Scene scene;
  scene.name = "small";
  scene.bodies = {{"box", FixedSceneBody{}}};
  EXPECT_EQ(to_json(scene), R"({
  "name": "small",
  "steps": 100,
  "dt": 0.01,
  "gravity": [0, -9.81, 0],
  "contact": {"distance": 0.01, "stiffness": 2000, "damping": 1, "pairs": "all"},
  "bodies": [{"name": "box", "kind": "fixed", "mesh": {"generator": "box", "size": [1, 1, 1], "segments": 1}}]
}
)");
}

TEST(SceneRoundTrip, WhatJsonCannotHoldIsRefused) {
  Scene scene;
  scene.world.dt = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(to_json(scene), Error);
  scene.world.dt = 1;
  scene.name = "\xff";
  EXPECT_THROW(to_json(scene), Error);
}

RC_GTEST_PROP(SceneRoundTripProperty, NumbersSurviveBitForBit, (double x, double y, double z, int steps)) {
  RC_PRE(std::isfinite(x) && std::isfinite(y) && std::isfinite(z));
  Scene scene;
  scene.world.gravity = {x, y, z};
  scene.steps = std::abs(steps / 2);
  const Scene again = reread(scene);
  RC_ASSERT(again.world.gravity == scene.world.gravity);
  RC_ASSERT(again.steps == scene.steps);
}

}  // namespace
}  // namespace carom
