#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "carom/field/distance_field.hpp"
#include "carom/io/mesh_file.hpp"
#include "carom/io/recording.hpp"
#include "carom/io/replay.hpp"
#include "carom/io/tetrahedra_file.hpp"
#include "carom/shape/shape.hpp"
#include "commands.hpp"
#include "core/check.hpp"
#include "info_many.hpp"
#include "io/recording/frame_source.hpp"
#include "lengths.hpp"
#include "output.hpp"
#include "part_state.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "say.hpp"
#include "tetrahedra_boundary.hpp"

namespace carom::app {

namespace {

using Json = nlohmann::ordered_json;

// Long lists are for --json; a person wants to know where to look first.
constexpr std::size_t shown_elements = 8;

std::string element(Index i) {
  return std::to_string(i);
}
std::string element(const Edge& edge) {
  return fmt::format("{}-{}", edge[0], edge[1]);
}
std::string element(const std::vector<Index>& group) {
  if (group.size() <= shown_elements) return fmt::format("({})", fmt::join(group, " "));
  return fmt::format("({} ... {} in all)", fmt::join(group.begin(), group.begin() + shown_elements, " "), group.size());
}

Json element_json(Index i) {
  return i;
}
Json element_json(const Edge& edge) {
  return element(edge);
}
Json element_json(const std::vector<Index>& group) {
  return group;
}

/// Calls visit(name, one, several, what is wrong with them, list) for each kind of defect.
template <class Visit>
void for_each_defect(const MeshReport& r, Visit&& visit) {
  visit("not_finite_vertices", "vertex", "vertices", "with a NaN or infinite position", r.not_finite_vertices);
  visit("unused_vertices", "vertex", "vertices", "in no triangle", r.unused_vertices);
  visit("coincident_vertices", "group", "groups", "of vertices at the same place", r.coincident_vertices);
  visit("repeated_corner_triangles", "triangle", "triangles", "with a repeated corner", r.repeated_corner_triangles);
  visit("zero_area_triangles", "triangle", "triangles", "without area", r.zero_area_triangles);
  visit("duplicate_triangles", "group", "groups", "of triangles over the same corners", r.duplicate_triangles);
  visit("boundary_edges", "open edge", "open edges", "(one triangle)", r.boundary_edges);
  visit("nonmanifold_edges", "edge", "edges", "with more than two triangles", r.nonmanifold_edges);
  visit("inconsistent_edges", "edge", "edges", "where the two triangles face different ways", r.inconsistent_edges);
  visit("nonmanifold_vertices", "vertex", "vertices", "where separate parts of the surface meet",
        r.nonmanifold_vertices);
}

Json vector_json(const Eigen::Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

/// A closed mesh whose inside is empty, as queries and worlds take it.
bool is_room(const TriangleMesh& mesh, const MeshReport& r) {
  // Of a mesh that is closed throughout, the volume tells at once.
  if (r.watertight() && r.oriented() && r.volume >= 0) return false;
  try {
    return Shape::mesh(mesh).is_room();
  } catch (const Error&) {
    return false;  // no shape, so no room: vertices that are not finite, or nothing in the file
  }
}

Json report_json(const MeshReport& r) {
  Json defects = Json::object();
  for_each_defect(r, [&](const char* name, const char*, const char*, const char*, const auto& list) {
    Json& values = defects[name] = Json::array();
    for (const auto& entry : list) values.push_back(element_json(entry));
  });
  return {{"vertices", r.vertices},
          {"edges", r.edges},
          {"triangles", r.triangles},
          {"components", r.components},
          {"boundary_loops", r.boundary_loops},
          {"watertight", r.watertight()},
          {"manifold", r.manifold()},
          {"oriented", r.oriented()},
          {"clean", r.clean()},
          {"box_min", vector_json(r.box_min)},
          {"box_max", vector_json(r.box_max)},
          {"area", r.area},
          {"volume", r.watertight() && r.oriented() ? Json(r.volume) : Json(nullptr)},
          {"defects", defects}};
}

void print_report(const MeshReport& r, bool room = false, const Lengths& unit = Lengths({})) {
  say(stdout, "{:<16} {}\n", "vertices", with_commas(static_cast<double>(r.vertices)));
  say(stdout, "{:<16} {}\n", "edges", with_commas(static_cast<double>(r.edges)));
  say(stdout, "{:<16} {}\n", "triangles", with_commas(static_cast<double>(r.triangles)));
  say(stdout, "{:<16} {}\n", "components", r.components);
  const Eigen::Vector3d low = r.box_min / unit.length;
  const Eigen::Vector3d high = r.box_max / unit.length;
  say(stdout, "{:<16} ({:.6g}, {:.6g}, {:.6g}) to ({:.6g}, {:.6g}, {:.6g}) {}\n", "box", low.x(), low.y(), low.z(),
      high.x(), high.y(), high.z(), unit.name);
  say(stdout, "{:<16} {:.6g} {}2\n", "area", r.area / (unit.length * unit.length), unit.name);
  if (r.watertight() && r.oriented())
    say(stdout, "{:<16} {:.6g} {}3\n", "volume", (room ? -r.volume : r.volume) / std::pow(unit.length, 3), unit.name);
  if (room) say(stdout, "{:<16} closed, faces inward: a room (its inside is empty)\n", "solid");
  say(stdout, "{:<16} {}\n", "watertight", r.watertight() ? "yes" : "no");
  if (!r.watertight()) say(stdout, "{:<16} {}\n", "boundary loops", r.boundary_loops);
  say(stdout, "{:<16} {}\n", "manifold", r.manifold() ? "yes" : "no");
  say(stdout, "{:<16} {}\n", "oriented", r.oriented() ? "yes" : "no");
  for_each_defect(r, [](const char*, const char* one, const char* several, const char* meaning, const auto& list) {
    if (list.empty()) return;
    std::string places;
    for (std::size_t i = 0; i < std::min(list.size(), shown_elements); ++i) {
      places += (i > 0 ? ", " : "") + element(list[i]);
    }
    say(stdout, "\n{} {}:\n  {}{}\n", counted(list.size(), one, several), meaning, places,
        list.size() > shown_elements ? ", ... (all with --json FILE)" : "");
  });
}

/// Up axis and unit: where they come from, and what was done about them.
Json axes_json(const MeshFile& file) {
  return {{"up", file.up.empty() ? Json(nullptr) : Json(file.up)},
          {"up_told_by", to_string(file.up_told_by)},
          {"turned", file.turned},
          {"unit", file.unit},
          {"unit_told_by", to_string(file.unit_told_by)}};
}

std::string_view source_text(ToldBy source) {
  switch (source) {
    case ToldBy::format:
      return "by the format";
    case ToldBy::file:
      return "from the file";
    case ToldBy::option:
      return "from the options";
    case ToldBy::nothing:
      break;
  }
  return "";
}

void print_axes(const MeshFile& file) {
  if (file.up.empty()) {
    say(stdout, "{:<16} not in the file, coordinates are kept (--up z if z is up)\n", "up axis");
  } else if (file.turned) {
    say(stdout, "{:<16} {} ({}), turned to y\n", "up axis", file.up, source_text(file.up_told_by));
  } else {
    say(stdout, "{:<16} {} ({}){}\n", "up axis", file.up, source_text(file.up_told_by),
        file.up == "y" ? "" : ", coordinates are kept (--up file turns it to y)");
  }
  if (file.unit_told_by == ToldBy::nothing) {
    say(stdout, "{:<16} not in the file, taken as m (--unit mm if it is a print)\n", "unit");
  } else {
    say(stdout, "{:<16} {:.6g} m ({})\n", "unit", file.unit, source_text(file.unit_told_by));
  }
}

MeshFile read_showing_life(const std::string& file, const MeshReadOptions& options) {
  const Progress progress(fmt::format("reading {}", file), 0);
  return read_mesh_file(file, options);
}

MeshFile read_boundary_showing_life(const std::string& file, TetrahedraReport& report) {
  const Progress progress(fmt::format("reading {}", file), 0);
  return read_boundary(file, report);
}

MeshReport inspect_showing_life(const TriangleMesh& mesh) {
  const Progress progress(fmt::format("inspecting {}", counted(mesh.triangles.size(), "triangle")), 0);
  return inspect(mesh);
}

/// Distance field of a mesh that is closed.
DistanceField field_showing_life(const TriangleMesh& mesh, double tolerance) {
  const Progress progress("making the distance field", 0);
  return DistanceField(Shape::mesh(mesh), {.tolerance = tolerance});
}

Json field_json(const FieldReport& r) {
  return {{"cells", r.cells},         {"bytes", r.bytes}, {"levels", r.levels}, {"smallest_cell", r.smallest_cell},
          {"tolerance", r.tolerance}, {"band", r.band},   {"error", r.error},   {"limited", r.limited}};
}

void print_field(const FieldReport& r) {
  say(stdout, "\ndistance field\n");
  say(stdout, "{:<16} {}, {} levels, the smallest {:.3g} m\n", "cells", with_commas(static_cast<double>(r.cells)),
      r.levels, r.smallest_cell);
  say(stdout, "{:<16} {:.2f} MB\n", "memory", 1e-6 * static_cast<double>(r.bytes));
  say(stdout, "{:<16} at most {:.3g} m up to {:.3g} m from the surface ({:.3g} m asked for)\n", "error", r.error,
      r.band, r.tolerance);
  if (r.limited > 0)
    say(stdout, "{:<16} {} have a larger error than was asked for\n", "limited", counted(r.limited, "cell"));
}

/// Defects of a mesh with its equal vertices joined, as queries see it; those of a mesh as it is are in the report.
std::vector<PartDefect> examine_showing_life(const MeshFile& file) {
  const Progress progress("looking for triangles that cut each other", 0);
  const std::size_t lost = std::accumulate(file.lost_faces.begin(), file.lost_faces.end(), std::size_t{0});
  return examine(file.mesh, {.lost_faces = lost, .threads = 0});
}

Json defects_json(const std::vector<PartDefect>& defects) {
  Json list = Json::array();
  for (const PartDefect& defect : defects) list.push_back(to_json(defect));
  return list;
}

/// Vertices that are equal but not one: the file repeats them for each triangle.
std::size_t duplicates(const MeshReport& report) {
  std::size_t count = 0;
  for (const std::vector<Index>& group : report.coincident_vertices) count += group.size() - 1;
  return count;
}

void print_state(const std::vector<PartDefect>& defects, const MeshReport& report, const Lengths& unit) {
  for (const PartDefect& defect : defects) {
    if (defect.name != "self_intersecting" && defect.name != "inside_out" && defect.name != "lost_faces") continue;
    say(stdout, "\n{}, near ({:.6g}, {:.6g}, {:.6g}) {}: {}\n", defect.text, unit.value(defect.place.x()),
        unit.value(defect.place.y()), unit.value(defect.place.z()), unit.name, defect.consequence);
  }
  if (duplicates(report) > 0)
    say(stdout, "\n{} that other vertices have the place of: --weld joins them\n",
        counted(duplicates(report), "vertex", "vertices"));
}

Json tetrahedra_json(const TetrahedraReport& r) {
  return {{"nodes", r.nodes},
          {"tetrahedra", r.tetrahedra},
          {"smallest_volume", r.smallest_volume},
          {"largest_volume", r.largest_volume}};
}

void print_tetrahedra(const TetrahedraReport& r) {
  say(stdout, "{:<16} {}\n", "tetrahedra", with_commas(static_cast<double>(r.tetrahedra)));
  say(stdout, "{:<16} {}\n", "nodes", with_commas(static_cast<double>(r.nodes)));
  say(stdout, "{:<16} {:.3g} to {:.3g} m3\n\ntheir boundary\n", "volume of one", r.smallest_volume, r.largest_volume);
}

int mesh_info(const InfoOptions& options, Output& output) {
  TetrahedraReport tetrahedra;
  const bool solid = is_tetrahedra_file(options.files.front());
  const MeshFile file = solid ? read_boundary_showing_life(options.files.front(), tetrahedra)
                              : read_showing_life(options.files.front(), options.reading);
  const MeshReport report = inspect_showing_life(file.mesh);
  const std::vector<PartDefect> state = examine_showing_life(file);
  const Lengths unit(options.reading);
  const bool room = is_room(file.mesh, report);
  std::optional<DistanceField> field;
  if (options.field) field = field_showing_life(file.mesh, *options.field);
  if (output.wanted()) {
    Json json = report_json(report);
    json["room"] = room;
    if (solid) json["tetrahedra"] = tetrahedra_json(tetrahedra);
    json["objects"] = file.object_names;
    json["state"] = defects_json(state);
    json["duplicate_vertices"] = duplicates(report);
    json["chord_error"] = file.chord_error;
    json.update(axes_json(file));
    if (field) json["field"] = field_json(field->report());
    output.write(dump(json));
  }
  if (!output.to_stdout()) {
    if (solid) {
      say(stdout, "{}: tetrahedra\n", options.files.front());
      print_tetrahedra(tetrahedra);
    } else {
      say(stdout, "{}: mesh, {}\n", options.files.front(), counted(file.object_names.size(), "object"));
      print_axes(file);
    }
    if (file.chord_error > 0)
      say(stdout, "{:<16} triangles are no farther from curved faces than {}\n", "chord error",
          unit.text(file.chord_error));
    print_report(report, room, unit);
    print_state(state, report, unit);
    if (field) print_field(field->report());
  }
  // A room is meant to face inward.
  const bool good = std::all_of(state.begin(), state.end(),
                                [&](const PartDefect& defect) { return room && defect.name == "inside_out"; });
  return report.clean() && good ? done : found_problems;
}

void add_cuts(const RecordingReader& reader, const RecordedFrame& frame, Json& cuts) {
  const auto name_of = [&](std::uint32_t number) {
    const auto is_it = [&](const RecordedBody& body) { return body.body == number; };
    const auto body = std::find_if(frame.bodies.begin(), frame.bodies.end(), is_it);
    return body == frame.bodies.end() ? fmt::format("body {}", number) : body->name;
  };
  for (const RecordedCut& cut : reader.read_cuts(frame.number).events) {
    Json pieces = Json::array();
    for (const std::uint32_t piece : cut.pieces) pieces.push_back(name_of(piece));
    cuts.push_back({{"frame", frame.number},
                    {"step", cut.step},
                    {"body", name_of(cut.body)},
                    {"pieces", std::move(pieces)},
                    {"crossed", cut.crossed},
                    {"separated", cut.separated},
                    {"length", cut.length},
                    {"area", cut.area}});
  }
}

void print_cuts(const Json& cuts) {
  if (cuts.empty()) return;
  std::size_t pieces = 0;
  for (const Json& cut : cuts) pieces += cut["pieces"].size();
  say(stdout, "{:<16} in {}, {} came off\n", "cuts", counted(cuts.size(), "step"), counted(pieces, "piece"));
}

int recording_info(const InfoOptions& options, Output& output) {
  const RecordingReader reader{std::filesystem::path(options.files.front())};
  const RecordingMeta& meta = reader.meta();
  Json bodies = Json::array();
  Json cuts = Json::array();
  double end = 0;
  std::string damage = reader.damage();
  std::uint32_t bad_frames = 0;
  std::optional<Progress> progress(std::in_place, fmt::format("reading {}", options.files.front()), std::size_t{0});
  for (std::uint32_t frame = 0; frame < reader.frame_count(); ++frame) {
    try {
      const RecordedFrame read = reader.read_frame(frame);
      reader.read_stages(frame);
      add_cuts(reader, read, cuts);
      end = read.time;
      bodies = Json::array();
      for (const RecordedBody& body : read.bodies) {
        bodies.push_back({{"name", body.name},
                          {"kind", to_string(body.kind)},
                          {"vertices", body.positions.size()},
                          {"triangles", body.triangles.size()}});
      }
    } catch (const Error& error) {
      ++bad_frames;
      if (damage.empty()) damage = error.what();
    }
  }
  progress.reset();
  // Rigid bodies have no contact distance, though recordings of older versions say one.
  const auto is_rigid = [](const Json& body) { return body["kind"] == to_string(MotionModel::rigid); };
  const bool has_distance = meta.contact_distance > 0 && std::none_of(bodies.begin(), bodies.end(), is_rigid);
  if (bad_frames > 0)
    damage += fmt::format(" ({} of {} cannot be read)", bad_frames, counted(reader.frame_count(), "frame"));
  if (output.wanted()) {
    Json json = {{"scene", meta.scene},
                 {"description", meta.description},
                 {"carom", meta.carom_version},
                 {"dt", meta.dt},
                 {"contact_distance", has_distance ? Json(meta.contact_distance) : Json(nullptr)},
                 {"frames", reader.frame_count()},
                 {"end_time", end},
                 {"complete", damage.empty()},
                 {"damage", damage},
                 {"bodies", bodies}};
    if (!cuts.empty()) json["cuts"] = cuts;
    output.write(dump(json));
  }
  if (!output.to_stdout()) {
    say(stdout, "{}: recording of '{}' by carom {}\n", options.files.front(), meta.scene, meta.carom_version);
    say(stdout, "{:<16} {} ({:.6g} s, {:.6g} s from frame to frame)\n", "frames", reader.frame_count(), end, meta.dt);
    if (has_distance) say(stdout, "{:<16} {:.6g} m\n", "contact distance", meta.contact_distance);
    for (const Json& body : bodies) {
      say(stdout, "{:<16} '{}', {}, {}, {}\n", "body", body["name"].get<std::string>(), body["kind"].get<std::string>(),
          counted(body["vertices"].get<std::size_t>(), "vertex", "vertices"),
          counted(body["triangles"].get<std::size_t>(), "triangle"));
    }
    print_cuts(cuts);
    if (!damage.empty()) say(stdout, "\ndamaged: {}\n", damage);
  }
  return damage.empty() ? done : found_problems;
}

int replay_info(const InfoOptions& options, Output& output) {
  const ReplayReader reader{std::filesystem::path(options.files.front())};
  std::vector<Index> objects(reader.object_of_triangle().begin(), reader.object_of_triangle().end());
  std::sort(objects.begin(), objects.end());
  objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
  MeshReport report;
  if (reader.frame_count() > 0) {
    TriangleMesh mesh;
    reader.read_frame(0, mesh.positions);
    mesh.triangles.assign(reader.triangles().begin(), reader.triangles().end());
    report = inspect_showing_life(mesh);
  }
  if (output.wanted()) {
    Json json = {{"frames", reader.frame_count()}, {"objects", objects}};
    if (reader.frame_count() > 0) json["first_frame"] = report_json(report);
    output.write(dump(json));
  }
  if (!output.to_stdout()) {
    say(stdout, "{}: replay\n{:<16} {}\n{:<16} {}\n", options.files.front(), "frames", reader.frame_count(), "objects",
        objects.size());
    if (reader.frame_count() > 0) {
      say(stdout, "\nthe mesh at frame 0\n");
      print_report(report);
    }
  }
  return reader.frame_count() == 0 || report.clean() ? done : found_problems;
}

}  // namespace

int info(const InfoOptions& options) {
  const std::string& first = options.files.front();
  for (const std::string& file : options.files) refuse_same_files({{"the input", file}, {"--json", options.json}});
  Output output("--json", options.json, OutputKind::json);
  std::error_code ignored;
  if (options.files.size() > 1 || std::filesystem::is_directory(first, ignored)) {
    require(!options.field, ErrorCode::invalid_argument, "--field is for one mesh file; {} are given",
            options.files.size());
    const int code = many_info(with_folders_opened(options.files), options, output);
    output.finish();
    return code;
  }
  const InputKind kind = is_tetrahedra_file(first) ? InputKind::mesh_file : input_kind(first);
  refuse_read_options(options.reading, first, kind);
  if (is_tetrahedra_file(first)) refuse_surface_options(options.reading, first);
  require(!options.field || kind == InputKind::mesh_file, ErrorCode::invalid_argument,
          "--field: {} is no mesh file; only a mesh has a distance field", first);
  const int code = kind == InputKind::recording ? recording_info(options, output)
                   : kind == InputKind::replay  ? replay_info(options, output)
                                                : mesh_info(options, output);
  output.finish();
  return code;
}

}  // namespace carom::app
