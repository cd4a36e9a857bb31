#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A cloth that goes farther in a step than the ball in its way is wide: only continuous detection stops it.
Scene thrown_cloth() {
  FixedSceneBody ball;
  ball.source.shape = IcosphereSource{.radius = 0.04, .subdivisions = 2};

  ParticleSceneBody cloth;
  cloth.source.shape = SheetSource{.size_x = 1, .size_z = 1, .segments_x = 24, .segments_z = 24};
  cloth.source.placement.position = {0, 0.5, 0};
  cloth.mass = 0.2;
  cloth.stretch_stiffness = 20;
  cloth.bend_stiffness = 0.3;
  cloth.spring_damping = 0.01;
  cloth.air_damping = 5;
  cloth.velocity = {0, -100, 0};

  Scene scene;
  scene.name = "thrown-cloth";
  scene.description = "A cloth of 1 m and 0.2 kg is thrown at a small ball at 100 m/s, and does not pass through it";
  scene.steps = 60;
  scene.world.dt = 0.001;
  scene.world.detection = Detection::continuous;
  scene.world.contact.distance = 0.01;
  scene.world.contact.stiffness = 8;
  scene.world.contact.damping = 0.005;
  scene.bodies = {{"ball", ball}, {"cloth", cloth}};
  scene.excluded_bodies = {{"ball", "ball"}};  // its triangles are as small as the contact distance
  return scene;
}

}  // namespace carom::scenes
