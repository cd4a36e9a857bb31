#include "bench/broad_counts.hpp"

#include <fmt/format.h>

#include "bench/broad_scenes.hpp"
#include "carom/detect/broad_phase.hpp"
#include "carom/query/query.hpp"

namespace carom::bench {

Table count_touching() {
  Table table{"Pairs reported for each that touches, 10000 bodies",
              {"bodies", "touching", "boxes", "dops18", "boxes_a_touch", "dops18_a_touch", "cut"},
              {}};
  for (const Bodies bodies : {Bodies::mixed, Bodies::boxes, Bodies::rods, Bodies::plates, Bodies::balls}) {
    const BroadScene scene(10000, 0, bodies);
    BroadPhase broad({.method = "sap18"});
    for (std::size_t i = 0; i < scene.size(); ++i) broad.add(scene.shape(i).dop18(scene.pose(i)));
    broad.update();
    std::size_t touching = 0;
    for (const ProxyPair& pair : broad.pairs()) {
      touching += collide(scene.shape(pair.a), scene.pose(pair.a), scene.shape(pair.b), scene.pose(pair.b)) ? 1 : 0;
    }
    // The candidates of sap18 are those of 18-DOPs already; boxes alone are counted by themselves.
    BroadPhase boxes({.method = "tree"});
    for (const AxisBox& box : scene.boxes()) boxes.add(box);
    boxes.update();
    const auto by_box = static_cast<double>(boxes.pairs().size());
    const auto by_dop = static_cast<double>(broad.pairs().size());
    const auto real = static_cast<double>(touching);
    table.add({std::string(to_string(bodies)), fmt::format("{}", touching), fmt::format("{}", boxes.pairs().size()),
               fmt::format("{}", broad.pairs().size()), fmt::format("{:.2f}", by_box / real),
               fmt::format("{:.2f}", by_dop / real), fmt::format("{:.0f}%", 100 * (1 - by_dop / by_box))});
  }
  return table;
}

Table count_swept() {
  Table table{"Pairs over a step, 10000 bodies: boxes of the whole step, and what boxes that move take away",
              {"sizes_a_step", "whole_step", "never_close", "cut"},
              {}};
  for (const double speed : {0.01, 0.1, 0.5, 2.0, 8.0}) {
    BroadScene scene(10000, speed);
    const std::vector<AxisBox> start = scene.boxes();
    scene.step();
    BroadPhase broad({.method = "tree"});
    for (std::size_t i = 0; i < start.size(); ++i) broad.add(SweptBox{start[i], scene.boxes()[i]});
    broad.update();
    const BroadPhaseStats& stats = broad.stats();
    table.add(
        {fmt::format("{}", speed), fmt::format("{}", stats.boxes), fmt::format("{}", stats.never_close),
         fmt::format("{:.0f}%", 100 * static_cast<double>(stats.never_close) / static_cast<double>(stats.boxes))});
  }
  return table;
}

}  // namespace carom::bench
