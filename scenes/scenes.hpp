#pragma once

#include "carom/io/scene.hpp"

/// The built-in scenes, one function each; builtin_scenes() lists them.
namespace carom::scenes {

Scene two_tori_1600();
Scene two_tori_6400();
Scene two_tori_25600();
Scene knot();
Scene particles_on_ball();
Scene thrown_cloth();
Scene rolled_sheet_20000();
Scene soft_balls();
Scene passing_sheets();

// Rigid bodies; `count` and `base` as in the name, or the one that needs none.
Scene spheres_on_bricks(int count = 200);
Scene pyramid(int base = 30);
Scene card_house();
Scene dominoes();
Scene newtons_cradle();
Scene spinning_tops();
/// So many hulls along each side of a layer; walls so thick, m.
Scene pile(int count = 2000, int across = 8, double thick = 1);
Scene terrain(int count = 500);
Scene arch();
Scene dropped_parts();

// Rigid bodies, particles and scripted meshes together.
Scene ball_in_sheet();
Scene sheet_on_boxes();
Scene press();

// Cloth; `vertices` along a side.
Scene cloth_on_ball(int vertices = 69, int levels = 1);
Scene balloon();
Scene flag();
Scene stack(int sheets = 10, int vertices = 24);
Scene needle();
Scene trampoline();
Scene net_catch();
Scene curtain();
Scene twist(int vertices_x = 41, int vertices_z = 17);
Scene table_edge();
Scene reef_knot();
Scene shirt();

// Soft bodies; `triangles` of each, about as many as in the name.
Scene soft_tori(int triangles = 1600);
Scene soft_knot();
Scene squeeze();
Scene ball_pit(int across = 4);
/// So many nodes of the organ; 20000 is the number of its triangles.
Scene organ_probe(int nodes = 258);
Scene cube_on_plate(bool edges = true);
Scene organ_on_bone();
Scene soft_tori_penalty();
Scene jelly_stack();
Scene gripper();

// Blades.
Scene cut_cloth();
Scene cut_and_drop();
Scene liver_cut(bool fine = false);
Scene criss_cross();
Scene slice();
Scene incision();

// To be moved by hand.
Scene tool_probe();

}  // namespace carom::scenes
