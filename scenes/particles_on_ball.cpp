#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A square of particles and springs falls on a ball and drapes over it, as cloth did before there was cloth.
Scene particles_on_ball() {
  FixedSceneBody ball;
  ball.source.shape = IcosphereSource{.radius = 0.3, .subdivisions = 3};

  ParticleSceneBody cloth;
  cloth.source.shape = SheetSource{.size_x = 1, .size_z = 1, .segments_x = 40, .segments_z = 40};
  cloth.source.placement.position = {0, 0.34, 0};
  cloth.mass = 0.2;
  cloth.stretch_stiffness = 9;
  cloth.bend_stiffness = 0.3;
  cloth.spring_damping = 0.003;
  cloth.air_damping = 5;

  Scene scene;
  scene.name = "particles-on-ball";
  scene.description = "A square of particles and springs, 1 m and 0.2 kg, falls on a ball and drapes over it";
  scene.steps = 1000;
  scene.world.dt = 0.001;
  scene.world.contact.distance = 0.01;
  scene.world.contact.stiffness = 8;
  scene.world.contact.damping = 0.005;
  scene.world.response = "penalty";
  scene.bodies = {{"ball", ball}, {"cloth", cloth}};
  return scene;
}

}  // namespace carom::scenes
