#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "arguments.hpp"
#include "bench/table.hpp"
#include "carom/io/mesh_file.hpp"
#include "carom/query/cut.hpp"
#include "commands.hpp"
#include "core/check.hpp"
#include "interrupt.hpp"
#include "io/file_bytes.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "report.hpp"
#include "say.hpp"

namespace carom::app {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    std::string part(text.substr(0, end));
    part.erase(0, part.find_first_not_of(" \t\r"));
    part.erase(part.find_last_not_of(" \t\r") + 1);
    parts.push_back(std::move(part));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

CutPlane parse_plane(const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  require(parts.size() == 4, ErrorCode::invalid_argument,
          "--plane is '{}'; expected nx,ny,nz,d: the plane of all x with n . x = d, such as 0,0,1,0.05", text);
  std::array<double, 4> n{};
  for (std::size_t i = 0; i < 4; ++i) n[i] = parse_number<double>("--plane", parts[i], "four numbers nx,ny,nz,d");
  return {.normal = {n[0], n[1], n[2]}, .offset = n[3]};
}

/// A row a pose, x,y,z of each point of the blade; empty lines and those that begin with # count for nothing.
BladePath read_blade(const std::string& path) {
  const std::vector<std::uint8_t> bytes = io::read_file(path);
  const std::string text(bytes.begin(), bytes.end());
  BladePath blade;
  std::size_t line = 0;
  for (const std::string& row : split(text, '\n')) {
    ++line;
    if (row.empty() || row.front() == '#') continue;
    const std::vector<std::string> cells = split(row, ',');
    require(cells.size() >= 6 && cells.size() % 3 == 0, ErrorCode::bad_format,
            "{}, line {}: {} numbers; expected x,y,z of each of two points or more", path, line, cells.size());
    require(blade.poses.empty() || cells.size() == 3 * blade.poses[0].size(), ErrorCode::bad_format,
            "{}, line {}: {} numbers; expected {} as in the rows before", path, line, cells.size(),
            blade.poses.empty() ? 0 : 3 * blade.poses[0].size());
    std::vector<Eigen::Vector3d> pose(cells.size() / 3);
    const std::string where = fmt::format("{}, line {}: a number", path, line);
    for (std::size_t i = 0; i < cells.size(); ++i)
      pose[i / 3][static_cast<Eigen::Index>(i % 3)] = parse_number<double>(where, cells[i], "meters, such as 0.05");
    blade.poses.push_back(std::move(pose));
  }
  require(blade.poses.size() >= 2, ErrorCode::bad_format, "{}: {} rows; expected two poses of the blade or more", path,
          blade.poses.size());
  return blade;
}

nlohmann::ordered_json to_json(const CutResult& result, const std::vector<std::string>& files) {
  nlohmann::ordered_json pieces = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < result.pieces.size(); ++i) {
    const MeshPiece& piece = result.pieces[i];
    pieces.push_back({{"name", piece.name},
                      {"file", files[i]},
                      {"triangles", piece.mesh.triangles.size()},
                      {"closed", piece.closed},
                      {"volume", piece.closed ? number_or_null(piece.volume) : nlohmann::ordered_json(nullptr)},
                      {"cut_area", number_or_null(piece.cut_area)}});
  }
  return {{"pieces", std::move(pieces)},
          {"split_triangles", result.split_triangles},
          {"cut_area", number_or_null(result.cut_area)},
          {"unseparated_area", number_or_null(result.unseparated_area)}};
}

}  // namespace

int cut_mesh(const CutCommandOptions& options) {
  require(options.plane.empty() != options.blade.empty(), ErrorCode::invalid_argument,
          "expected either --plane or --blade");
  refuse_same_files({{"the input", options.file}, {"--json", options.json}});
  Output json("--json", options.json, OutputKind::json);
  std::FILE* text = json.to_stdout() ? stderr : stdout;
  const TriangleMesh mesh = read_mesh_file(options.file, options.reading).mesh;
  const std::string stem = fs::path(options.file).stem().string();
  const CutOptions cut_options{.snap = options.snap};
  CutResult result;
  try {
    result = options.plane.empty() ? cut(mesh, read_blade(options.blade), stem, cut_options)
                                   : cut(mesh, parse_plane(options.plane), stem, cut_options);
  } catch (const Error& error) {
    const bool of_mesh = error.code() == ErrorCode::bad_mesh || error.code() == ErrorCode::not_finite;
    if (!of_mesh) throw;
    fail(error.code(), "{}: {}", options.file, error.what());
  }
  if (interrupted_by_user()) return interrupted_exit_code();

  std::error_code error;
  fs::create_directories(options.folder, error);
  require(!error && fs::is_directory(options.folder), ErrorCode::io, "{}: cannot be created as a folder{}{}",
          options.folder, error ? ": " : "", error ? error.message() : "");
  remove_temporary_files_in(options.folder);
  bench::Table table{"", {"piece", "triangles", "volume m^3", "faces of the cut m^2", "file"}, {}};
  std::vector<std::string> files;
  for (const MeshPiece& piece : result.pieces) {
    const fs::path file = fs::path(options.folder) / (piece.name + "." + options.to);
    refuse_same_files({{"the input", options.file}, {"a piece", file.string()}});
    write_mesh_file(file, piece.mesh);
    files.push_back(file.string());
    table.add({piece.name, with_commas(static_cast<double>(piece.mesh.triangles.size())),
               piece.closed ? fmt::format("{:.6g}", piece.volume) : "open", fmt::format("{:.6g}", piece.cut_area),
               file.string()});
  }
  if (json.wanted()) json.write(dump(to_json(result, files)));
  json.finish();
  say(text, "{}\n", Lines{table.text()});
  if (!result.pieces[0].closed) say(text, "The mesh is open: its pieces are open, and the cut has no faces.\n");
  if (result.unseparated_area > 0)
    say(text, "{:.6g} m^2 of the blade's surface inside of the mesh separate nothing and were not cut.\n",
        result.unseparated_area);
  return done;
}

}  // namespace carom::app
