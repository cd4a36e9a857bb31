#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/check.hpp"
#include "scenes/scenes.hpp"

namespace carom {
namespace {

constexpr std::array scene_list = std::to_array<BuiltinScene>({
    {"two-tori-1600", "A torus falls on another, dents it, slides off; 1600 triangles each (for short: two-tori)",
     scenes::two_tori_1600},
    {"two-tori-6400", "The same with 6400 triangles each", scenes::two_tori_6400},
    {"two-tori-25600", "The same with 25600 triangles each", scenes::two_tori_25600},
    {"knot", "A knotted tube collapses until its strands touch; 3960 triangles", scenes::knot},
    {"particles-on-ball", "A sheet of particles and springs falls on a ball and drapes over it",
     scenes::particles_on_ball},
    {"thrown-cloth", "A cloth is thrown at a small ball at 100 m/s and does not pass through it", scenes::thrown_cloth},
    {"rolled-sheet-20000", "A rolled sheet breathes and turns, its layers in touch; 20000 triangles",
     scenes::rolled_sheet_20000},
    {"soft-balls", "64 soft balls wobble against their neighbours; 1280 triangles each", scenes::soft_balls},
    {"passing-sheets", "Two wavy sheets pass through each other; 20000 triangles each", scenes::passing_sheets},
    {"spheres-on-bricks", "200 rigid spheres fall on fixed bricks", [] { return scenes::spheres_on_bricks(); }},
    {"spheres-on-bricks-600", "The same with 600 spheres", [] { return scenes::spheres_on_bricks(600); }},
    {"pyramid", "A wall of 465 boxes, 30 in the lowest row, stands still", [] { return scenes::pyramid(); }},
    {"card-house", "A house of cards of 5 storeys, held by friction", scenes::card_house},
    {"dominoes", "A ball knocks over the first of 80 dominoes", scenes::dominoes},
    {"newtons-cradle", "A ball hits four others in a row, and the last one leaves", scenes::newtons_cradle},
    {"spinning-tops", "Tops spin on their tips and go round; the slowest falls", scenes::spinning_tops},
    {"pile", "2000 random hulls fall into a pit", [] { return scenes::pile(); }},
    {"terrain", "500 random hulls fall on a mesh of 100000 triangles", [] { return scenes::terrain(); }},
    {"arch", "An arch of wedge stones that friction alone holds", scenes::arch},
    {"dropped-parts", "Brackets, pipes, gears, bowls and chains of rings fall into a bin", scenes::dropped_parts},
    {"ball-in-sheet", "A ball is thrown at a hanging sheet, which catches it and swings", scenes::ball_in_sheet},
    {"sheet-on-boxes", "A sheet falls over boxes that can move, and slides off", scenes::sheet_on_boxes},
    {"press", "A plate that changes its shape pushes crates, a ball and a soft ball", scenes::press},
    {"balloon", "A closed cloth swells under pressure and pushes boxes outward", scenes::balloon},
    {"cloth-on-ball-18", "A cloth falls on a ball that moves in a light wind; 18 x 18 vertices",
     [] { return scenes::cloth_on_ball(18); }},
    {"cloth-on-ball-69", "The same with 69 x 69 vertices (for short: cloth-on-ball)",
     [] { return scenes::cloth_on_ball(69); }},
    {"cloth-on-ball-200", "The same with 200 x 200 vertices", [] { return scenes::cloth_on_ball(200); }},
    {"cloth-on-ball-levels", "The same with 69 x 69 vertices in three levels: fine where it touches, coarse elsewhere",
     [] { return scenes::cloth_on_ball(69, 3); }},
    {"flag", "A silk flag flutters on its pole", scenes::flag},
    {"stack", "Ten sheets fall on a ball and lie on it in layers", [] { return scenes::stack(); }},
    {"needle", "A steel needle falls point first on a sheet in a frame", scenes::needle},
    {"trampoline", "A box of 10 kg falls on a sheet of 0.8 kg in a frame", scenes::trampoline},
    {"net-catch", "Balls are thrown at a hanging sheet", scenes::net_catch},
    {"curtain", "A curtain is drawn along its rail; then a ball rolls into its folds", scenes::curtain},
    {"twist", "A sheet is wrung by its two ends for ten turns", [] { return scenes::twist(); }},
    {"table-edge", "A cloth is pulled over the edge of a table at 8 m/s", scenes::table_edge},
    {"reef-knot", "Two ribbons in a reef knot are pulled tight", scenes::reef_knot},
    {"soft-tori-1600", "Two-tori simulated: soft bodies of 1600 triangles each, the lower one fixed below",
     [] { return scenes::soft_tori(1600); }},
    {"soft-tori-6400", "The same with 6400 triangles each", [] { return scenes::soft_tori(6400); }},
    {"soft-tori-25600", "The same with 25600 triangles each", [] { return scenes::soft_tori(25600); }},
    {"soft-tori-penalty", "The same put down, with penalty forces, discrete; 1600 triangles each",
     scenes::soft_tori_penalty},
    {"soft-knot", "The knot simulated: fixed below, it sinks into itself; 3960 triangles", scenes::soft_knot},
    {"squeeze", "A soft ball is pressed through a ring", scenes::squeeze},
    {"ball-pit", "64 soft balls fall into a pit", [] { return scenes::ball_pit(); }},
    {"organ-probe-12", "A tool presses an organ of 12 nodes", [] { return scenes::organ_probe(12); }},
    {"organ-probe-120", "The same with 120 nodes", [] { return scenes::organ_probe(120); }},
    {"organ-probe-258", "The same with 258 nodes", [] { return scenes::organ_probe(258); }},
    {"organ-probe-20000", "The same with 20480 triangles", [] { return scenes::organ_probe(20000); }},
    {"organ-on-bone", "A tool presses an organ into a ring of bone, a distance field", scenes::organ_on_bone},
    {"cube-on-plate", "A soft cube tips over the border of an inclined plate", [] { return scenes::cube_on_plate(); }},
    {"cube-on-plate-vertices", "The same without contacts of edges: the border passes through it",
     [] { return scenes::cube_on_plate(false); }},
    {"jelly-stack", "Five cubes of jelly fall on each other", scenes::jelly_stack},
    {"gripper", "Two fingers lift a soft cube by friction", scenes::gripper},
    {"tool-probe", "A probe presses a sheet in a frame; to be moved by hand (carom live)", scenes::tool_probe},
    {"cut-cloth", "Scissors go up through a hanging sheet, which becomes two", scenes::cut_cloth},
    {"cut-and-drop", "A weight hangs on a band; a knife cuts it, and the weight falls", scenes::cut_and_drop},
    {"liver-cut", "A scalpel cuts an organ in two; the halves slide apart", [] { return scenes::liver_cut(); }},
    {"liver-cut-20000", "The same with 21184 triangles", [] { return scenes::liver_cut(true); }},
    {"criss-cross", "Eight crossing cuts make 25 columns of a block", scenes::criss_cross},
    {"slice", "A knife makes ten slices of a loaf", scenes::slice},
    {"incision", "A cut that ends half-way, opened by a retractor", scenes::incision},
    {"shirt", "A shirt of two panels is sewn around a figure, which then walks in it", scenes::shirt},
});

struct Alias {
  std::string_view name;
  std::string_view stands_for;
};
constexpr std::array<Alias, 2> aliases{{{"two-tori", "two-tori-1600"}, {"cloth-on-ball", "cloth-on-ball-69"}}};

const BuiltinScene* find_builtin(std::string_view name) {
  for (const Alias& alias : aliases) {
    if (alias.name == name) name = alias.stands_for;
  }
  const auto found = std::find_if(scene_list.begin(), scene_list.end(),
                                  [name](const BuiltinScene& scene) { return scene.name == name; });
  return found == scene_list.end() ? nullptr : &*found;
}

}  // namespace

std::span<const BuiltinScene> builtin_scenes() {
  return scene_list;
}

Scene find_scene(const std::string& name_or_path) {
  if (const BuiltinScene* builtin = find_builtin(name_or_path)) return builtin->make();
  std::error_code ignored;
  if (std::filesystem::exists(name_or_path, ignored)) return load_scene(name_or_path);
  std::vector<std::string_view> names;
  for (const BuiltinScene& scene : scene_list) names.push_back(scene.name);
  fail(ErrorCode::unknown_name, "{}: neither a file nor a built-in scene; those are {}", name_or_path,
       fmt::join(names, ", "));
}

}  // namespace carom
