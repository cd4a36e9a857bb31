#pragma once

#include <string>
#include <vector>

#include "bench/bench_scene.hpp"

namespace carom::bench {

/// A scene that is made when it is needed; the large ones take a while.
struct SceneEntry {
  std::string name;
  BenchScene (*make)(bool quick);
};

/// Those of the tables of whole calls, candidates, threads and memory.
const std::vector<SceneEntry>& bench_scenes();

/// The scaling family: stacked wavy sheets, all of the same segments and waves, so that what happens at
/// a triangle does not depend on their number. About `triangles` in all.
BenchScene make_stack(int triangles, int frames);

}  // namespace carom::bench
