#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "carom/mesh/weld.hpp"
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

double mesh_unit_length(std::string_view unit) {
  return unit == "file" ? 1 : unit_lengths[choice_of(unit_choices, "unit", unit)];
}

std::string_view to_string(ToldBy source) {
  constexpr std::array<std::string_view, 4> names{"nothing", "format", "file", "option"};
  return names[static_cast<std::size_t>(source)];
}

namespace io {

void check_read_options(const MeshReadOptions& options) {
  choice_of(up_choices, "up", options.up);
  choice_of(unit_choices, "unit", options.unit);
  require(std::isfinite(options.weld), ErrorCode::invalid_argument, "weld is {}; expected a number of metres",
          options.weld);
  require(std::isfinite(options.chord) && options.chord >= 0, ErrorCode::invalid_argument,
          "chord is {}; expected a number of metres that is not negative", options.chord);
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
    file.chord_error *= file.unit;
  }
  file.turned = options.up != "as-is" && !file.up.empty() && file.up != "y";
  if (file.turned) {
    for (Eigen::Vector3d& position : file.mesh.positions) position = turn_to_y(position, file.up);
  }
}

void weld_objects(MeshFile& file, double distance) {
  MeshFile welded = file;
  welded.mesh = {};
  welded.object_of_triangle.clear();
  std::vector<std::vector<Triangle>> of_object(file.object_names.size());
  for (std::size_t i = 0; i < file.mesh.triangles.size(); ++i)
    of_object[static_cast<std::size_t>(file.object_of_triangle[i])].push_back(file.mesh.triangles[i]);
  std::vector<Index> number(file.mesh.positions.size(), none);
  for (std::size_t object = 0; object < of_object.size(); ++object) {
    // The vertices of the object alone, in the order of the file.
    std::vector<Index> used;
    for (const Triangle& t : of_object[object]) used.insert(used.end(), t.begin(), t.end());
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    TriangleMesh part;
    for (const Index v : used) {
      number[static_cast<std::size_t>(v)] = static_cast<Index>(part.positions.size());
      part.positions.push_back(file.mesh.positions[static_cast<std::size_t>(v)]);
    }
    const auto renamed = [&](Index v) { return number[static_cast<std::size_t>(v)]; };
    for (const Triangle& t : of_object[object]) part.triangles.push_back({renamed(t[0]), renamed(t[1]), renamed(t[2])});
    part = weld(part, distance);
    const auto first = static_cast<Index>(welded.mesh.positions.size());
    welded.mesh.positions.insert(welded.mesh.positions.end(), part.positions.begin(), part.positions.end());
    for (const Triangle& t : part.triangles) {
      welded.mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      welded.object_of_triangle.push_back(static_cast<Index>(object));
    }
  }
  file = std::move(welded);
}

}  // namespace io

}  // namespace carom
