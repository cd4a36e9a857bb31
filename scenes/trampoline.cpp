#include "scenes/cloth_parts.hpp"
#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A box of 10 kg falls on a sheet of 0.8 kg in a frame.
Scene trampoline() {
  ClothSceneBody sheet = sheet_of(2, 2, 31, 31);
  sheet.source.placement.position = {0, 1, 0};
  sheet.fabric_properties = Fabric{.density = 0.2,
                                   .warp_stiffness = 6000,
                                   .weft_stiffness = 6000,
                                   .shear_stiffness = 1500,
                                   .bend_stiffness = 1e-4,
                                   .warp_damping = 5,
                                   .weft_damping = 5};
  sheet.pinned = SheetGrid(sheet).border();

  RigidSceneBody weight = box({0.15, 0.15, 0.15}, at(0.05, 1.6, -0.03));
  weight.mass = MassOverride{.mass = 10, .inertia_from_shape = true};
  weight.angular_velocity = {0.3, 0, 0.2};

  Scene scene =
      cloth_scene("trampoline", "A box of 10 kg falls on a sheet of 0.8 kg in a frame and bounces", 300, 0.01);
  scene.bodies = {ground(), {"sheet", sheet}, {"box", weight}};
  return scene;
}

}  // namespace carom::scenes
