#pragma once

#include "carom/scene.hpp"

/// The built-in scenes, one function each; builtin_scenes() lists them.
namespace carom::scenes {

Scene two_tori_1600();
Scene two_tori_6400();
Scene two_tori_25600();
Scene knot();
Scene cloth_on_ball();
Scene thrown_cloth();
Scene rolled_sheet_20000();
Scene soft_balls();
Scene passing_sheets();

}  // namespace carom::scenes
