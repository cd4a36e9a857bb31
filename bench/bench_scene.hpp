#pragma once

#include <span>
#include <string>
#include <vector>

#include "carom/detect/detect.hpp"
#include "carom/io/scene.hpp"

/// What a benchmark runs on: one surface, and where it is in a few frames.
namespace carom::bench {

struct BenchScene {
  std::string name;
  Surface surface{0, {}};
  std::vector<std::vector<Eigen::Vector3d>> frames;
  double distance = 0;  ///< m
  PairScope pairs = PairScope::all;
};

/// Steps `first`, `first` + `stride`, ... of a scene, `count` of them or as many as there are. Scenes of
/// static and kinematic bodies are placed without running detection; others are simulated.
struct FrameChoice {
  int first = 0;
  int stride = 1;
  int count = 20;
};
BenchScene sample(const Scene& scene, const FrameChoice& choice);

/// As many frames as wanted, spread over the whole scene.
FrameChoice spread_over(const Scene& scene, int count);
/// As many frames that follow each other, from the middle of the scene.
FrameChoice in_a_row(const Scene& scene, int count);

}  // namespace carom::bench
