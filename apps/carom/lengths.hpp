#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "carom/io/mesh_read_options.hpp"

namespace carom::app {

/// Unit in which lengths are asked for and shown: that of --unit, metres without it. Files are in SI units throughout.
struct Lengths {
  std::string name = "m";
  double length = 1;  ///< m

  explicit Lengths(const MeshReadOptions& reading) {
    if (reading.unit == "file") return;
    name = reading.unit;
    length = mesh_unit_length(reading.unit);
  }

  double value(double metres) const { return metres / length; }
  std::string text(double metres) const { return fmt::format("{:.4g} {}", value(metres), name); }
  std::string volume(double cubic_metres) const {
    return fmt::format("{:.4g} {}3", cubic_metres / (length * length * length), name);
  }
};

}  // namespace carom::app
