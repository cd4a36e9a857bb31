#include "scenes/scenes.hpp"

/// A sheet rolled up so tightly that its layers touch: contacts nearly everywhere, all of them within
/// one connected surface whose layers face the same way. It breathes, as its layers come closer and
/// part again, and turns around its axis.
namespace carom::scenes {

Scene rolled_sheet_20000() {
  // Segments of 1 cm both ways. Neighbours on the sheet that share no vertex are 7 mm apart.
  RollSource loose{.inner_radius = 0.045, .gap = 0.0029, .turns = 5.5, .width = 0.5, .along = 200, .across = 50};
  RollSource tight = loose;
  tight.gap = 0.0026;

  ScriptedSceneBody body;
  body.source.shape = loose;
  body.morph_target = MeshSource{.shape = tight, .dents = {}, .placement = {}};
  for (int i = 0; i <= 4; ++i) {
    Keyframe key{.time = 0.3 * i, .placement = {}, .morph = i % 2 == 0 ? 0.0 : 1.0};
    key.placement.rotation_axis = {0.1, 0.2, 1};
    key.placement.rotation_degrees = 25.0 * i;
    body.keyframes.push_back(key);
  }

  Scene scene;
  scene.name = "rolled-sheet-20000";
  scene.description = "A rolled sheet of 20000 triangles breathes and turns, its layers in touch";
  scene.steps = 60;
  scene.world.dt = 0.02;
  scene.world.contact.distance = 0.003;
  scene.world.contact.pairs = PairScope::self;
  scene.world.contact.immovable = true;  // all is scripted: the contacts are what there is to see
  scene.bodies = {{"roll", body}};
  return scene;
}

}  // namespace carom::scenes
