#include <utility>

#include "scenes/cloth_parts.hpp"
#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A shirt is sewn around a figure that stands with its arms out, and worn when it walks. Nothing but friction and its
/// cut hold it.
Scene shirt() {
  ScriptedSceneBody figure;
  figure.source.shape = FigureSource{};
  figure.animation = AnimationOptions{.name = "walk", .loop = false};
  figure.material.friction = 0.5;

  ShirtSource pattern;
  pattern.length = 0.54;  // above the hips, and away from the elbows: joints pinch what lies over them
  pattern.sleeve_length = 0.11;
  ClothSceneBody shirt;
  shirt.source.shape = pattern;
  shirt.source.placement.position = {0, 1.57, 0};  // it falls a little until the shoulders hold it
  shirt.warp = {0, 1, 0};
  shirt.material.friction = 0.5;
  shirt.air_damping = 1;

  Scene scene =
      cloth_scene("shirt", "A shirt of two panels is sewn around a figure, which then walks in it", 360, 0.004);
  scene.bodies = {ground(), {"figure", figure}, {"shirt", shirt}};
  // Shoulders at once, before it falls past them; sides while it hangs there.
  const std::vector<GarmentSeam> seams = shirt_seams(pattern);
  for (std::size_t k = 0; k < seams.size(); ++k) {
    scene.seams.push_back({.a = "shirt",
                           .vertices_a = seams[k].front,
                           .b = "shirt",
                           .vertices_b = seams[k].back,
                           .duration = k < 2 ? 0.12 : 1.2});
  }
  return scene;
}

}  // namespace carom::scenes
