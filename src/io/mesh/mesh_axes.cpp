#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/check.hpp"
#include "io/mesh/mesh_parse.hpp"

namespace carom {

namespace {

constexpr std::array<std::string_view, 8> up_choices{"as-is", "file", "x", "y", "z", "-x", "-y", "-z"};
constexpr std::array<std::string_view, 7> unit_choices{"file", "m", "cm", "mm", "um", "in", "ft"};

/// Metres, in the order of unit_choices.
constexpr std::array<double, 7> unit_lengths{0, 1, 1e-2, 1e-3, 1e-6, 0.0254, 0.3048};

template <std::size_t n>
std::size_t choice_of(const std::array<std::string_view, n>& choices, std::string_view what, std::string_view name) {
  const auto at = std::find(choices.begin(), choices.end(), name);
  require(at != choices.end(), ErrorCode::unknown_name, "{} is \"{}\"; expected one of: {}", what, name,
          fmt::join(choices, ", "));
  return static_cast<std::size_t>(at - choices.begin());
}

/// The rotation that takes `axis` to y: only places and signs of coordinates change. Zero stays without a sign.
Eigen::Vector3d turn_to_y(const Eigen::Vector3d& p, std::string_view axis) {
  const Eigen::Vector3d q = Eigen::Vector3d::Zero() - p;
  if (axis == "x") return {q.y(), p.x(), p.z()};
  if (axis == "-x") return {p.y(), q.x(), p.z()};
  if (axis == "z") return {p.x(), p.z(), q.y()};
  if (axis == "-z") return {p.x(), q.z(), p.y()};
  if (axis == "-y") return {p.x(), q.y(), q.z()};
  return p;
}

}  // namespace

std::span<const std::string_view> mesh_up_names() {
  return up_choices;
}

std::span<const std::string_view> mesh_unit_names() {
  return unit_choices;
}

std::string_view to_string(ToldBy source) {
  constexpr std::array<std::string_view, 4> names{"nothing", "format", "file", "option"};
  return names[static_cast<std::size_t>(source)];
}

namespace io {

void check_read_options(const MeshReadOptions& options) {
  choice_of(up_choices, "up", options.up);
  choice_of(unit_choices, "unit", options.unit);
}

void apply_read_options(MeshFile& file, const MeshReadOptions& options) {
  if (options.unit != "file") {
    file.unit = unit_lengths[choice_of(unit_choices, "unit", options.unit)];
    file.unit_told_by = ToldBy::option;
  }
  if (options.up != "as-is" && options.up != "file") {
    file.up = options.up;
    file.up_told_by = ToldBy::option;
  }
  if (file.unit != 1) {
    for (Eigen::Vector3d& position : file.mesh.positions) position *= file.unit;
  }
  file.turned = options.up != "as-is" && !file.up.empty() && file.up != "y";
  if (file.turned) {
    for (Eigen::Vector3d& position : file.mesh.positions) position = turn_to_y(position, file.up);
  }
}

}  // namespace io

}  // namespace carom
