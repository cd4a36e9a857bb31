#include "scenes/cloth_parts.hpp"
#include "scenes/rigid_parts.hpp"
#include "scenes/scenes.hpp"

namespace carom::scenes {

/// A probe of 1 kg, held upright, presses a sheet in a frame, on which three balls lie.
Scene tool_probe() {
  ClothSceneBody sheet = sheet_of(0.6, 0.6, 31, 31);
  sheet.fabric_properties = Fabric{.density = 0.5,
                                   .warp_stiffness = 1500,
                                   .weft_stiffness = 1500,
                                   .shear_stiffness = 400,
                                   .bend_stiffness = 1e-4,
                                   .warp_damping = 3,
                                   .weft_damping = 3};
  sheet.pinned = SheetGrid(sheet).border();
  sheet.air_damping = 0.5;
  sheet.sleeping_allowed = false;

  RigidSceneBody probe;
  probe.source.shape = CapsuleShape{.radius = 0.02, .half_length = 0.08};
  probe.placement = {.position = {0, 0.14, 0}, .rotation_axis = {1, 0, 0}, .rotation_degrees = 90};
  probe.mass = MassOverride{.mass = 1, .inertia_from_shape = true};
  probe.locked_rotation = {true, true, true};
  probe.sleeping_allowed = false;

  const auto ball = [](double x, double z) {
    RigidSceneBody body;
    body.source.shape = SphereShape{.radius = 0.03};
    body.placement = at(x, 0.05, z);
    body.mass = MassOverride{.mass = 0.1, .inertia_from_shape = true};
    body.angular_damping = 1;
    return body;
  };

  Scene scene =
      cloth_scene("tool-probe",
                  "A probe of 1 kg, held upright, presses a sheet in a frame, on which three balls lie; to be "
                  "moved by hand: carom live tool-probe",
                  240, 0.006);
  // The probe presses balls of a tenth of its mass into the sheet: with 4 they overlap by up to 7 mm.
  scene.world.solver.soft.substeps = 16;
  scene.bodies = {{"sheet", sheet},
                  {"probe", probe},
                  {"ball 1", ball(0.16, 0.05)},
                  {"ball 2", ball(-0.12, 0.12)},
                  {"ball 3", ball(0.02, -0.18)}};
  return scene;
}

}  // namespace carom::scenes
