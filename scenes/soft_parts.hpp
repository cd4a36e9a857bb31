#pragma once

#include "carom/io/scene.hpp"

/// What scenes of soft bodies are put together from.
namespace carom::scenes {

/// Soft body of a shape; density kg/m^3, Young's modulus Pa.
template <class Source>
SoftSceneBody soft_of(const Source& shape, double density, double young_modulus) {
  SoftSceneBody body;
  body.source.shape = shape;
  body.elasticity = {.density = density, .young_modulus = young_modulus, .poisson_ratio = 0.4, .damping = 0.01};
  return body;
}

inline Scene soft_scene(std::string name, std::string description, int steps, double dt, double thickness) {
  Scene scene;
  scene.name = std::move(name);
  scene.description = std::move(description);
  scene.steps = steps;
  scene.world.dt = dt;
  scene.world.contact.distance = thickness;
  return scene;
}

}  // namespace carom::scenes
