#pragma once

#include <Eigen/Geometry>
#include <cstddef>
#include <vector>

namespace carom::io {

/// Values over time, as the samplers of a glTF animation have them. Before the first time and after the last the value
/// stays.
struct GltfSampler {
  enum class Kind { linear, step, cubic };
  Kind kind = Kind::linear;
  std::size_t components = 3;
  std::vector<double> times{};   ///< s, ascending, at least one
  std::vector<double> values{};  ///< of each time: the value; cubic: tangent before, value, tangent after

  /// Fills `out`, which has as many numbers as there are components. `turns`: values are quaternions x y z w, between
  /// which `linear` goes along the shortest arc.
  void sample(double time, bool turns, double* out) const;
};

}  // namespace carom::io
