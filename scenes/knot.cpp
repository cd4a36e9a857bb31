#include "scenes/scenes.hpp"

/// A tube along a trefoil knot that sinks together until its strands lie on each other at the
/// three crossings: self-contact in one piece of surface, far from flat.
namespace carom::scenes {

Scene knot() {
  // Strands cross one `height` above and one below the middle, so they touch when the height is
  // the radius of the tube. The morph moves the centre line; the tube keeps its thickness within 2 %.
  TrefoilSource tall{.radius = 1, .height = 0.4, .tube_radius = 0.2, .along = 165, .across = 12};
  TrefoilSource flat = tall;
  flat.height = 0.2;

  ScriptedSceneBody body;
  body.source.shape = tall;
  body.morph_target = MeshSource{.shape = flat, .dents = {}, .placement = {}};
  body.keyframes = {{.time = 0.4, .placement = {}, .morph = 0}, {.time = 4.2, .placement = {}, .morph = 1}};

  Scene scene;
  scene.name = "knot";
  scene.description = "A knotted tube sinks together until its strands touch at the three crossings";
  scene.steps = 370;
  scene.world.dt = 0.02;
  // Neighbours on the surface count as well unless they share a vertex; the nearest such are
  // more than twice as far apart.
  scene.world.contact.distance = 0.02;
  scene.world.contact.pairs = PairScope::self;
  scene.world.contact.immovable = true;  // all is scripted: the contacts are what there is to see
  scene.bodies = {{"knot", body}};
  return scene;
}

}  // namespace carom::scenes
