#include <filesystem>

#include "carom/io/mesh_file.hpp"
#include "carom/io/replay.hpp"
#include "commands.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "frame_range.hpp"
#include "interrupt.hpp"
#include "io/recording/frame_source.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "say.hpp"

namespace carom::app {

namespace fs = std::filesystem;

namespace {

/// Vertices that triangles use, ascending; all of them where there are no triangles. Bodies that were cut keep the
/// places of vertices that went away with a piece.
std::vector<std::size_t> used_vertices(std::span<const Triangle> triangles, std::size_t count) {
  std::vector<std::uint8_t> used(count, triangles.empty() ? 1 : 0);
  for (const Triangle& t : triangles) {
    for (const Index v : t) used[at(v)] = 1;
  }
  std::vector<std::size_t> list;
  for (std::size_t v = 0; v < count; ++v) {
    if (used[v] != 0) list.push_back(v);
  }
  return list;
}

std::vector<Triangle> renumbered(std::span<const Triangle> triangles, std::span<const std::size_t> used,
                                 std::size_t count) {
  std::vector<Index> number(count, none);
  for (std::size_t i = 0; i < used.size(); ++i) number[used[i]] = static_cast<Index>(i);
  std::vector<Triangle> list(triangles.begin(), triangles.end());
  for (Triangle& t : list) {
    for (Index& v : t) v = number[at(v)];
  }
  return list;
}

}  // namespace

int export_frames(const ExportOptions& options) {
  const std::unique_ptr<FrameSource> source = open_frames(options.file, options.reading);
  if (!source->warning().empty()) say(stderr, "carom: warning: {}\n", source->warning());
  const std::vector<std::size_t> frames = parse_frame_range(options.frames, source->frame_count());
  const fs::path folder(options.folder);
  refuse_same_files({{"the input", options.file}, {"the output", options.folder}});
  std::error_code error;
  fs::create_directories(folder, error);
  require(!error && fs::is_directory(folder), ErrorCode::io, "{}: cannot be created as a folder{}{}", options.folder,
          error ? ": " : "", error ? error.message() : "");

  fs::path input(options.file);
  if (!input.has_filename()) input = input.parent_path();
  const fs::path replay_path = folder / (input.stem().string() + ".replay");
  // All names get the same number of digits, so that they sort.
  const std::size_t digits = std::max<std::size_t>(4, std::to_string(source->frame_count()).size());

  remove_temporary_files_in(folder);
  std::unique_ptr<ReplayWriter> replay;
  FrameSurface surface;
  MeshFile out;
  std::vector<Eigen::Vector3d> positions;
  std::vector<std::size_t> used;
  std::size_t count = 0;
  {
    Progress progress("export", frames.size());
    for (const std::size_t frame : frames) {
      if (interrupted_by_user()) break;
      const bool changed = source->read(frame, surface, positions);
      if (changed) {
        used = used_vertices(surface.triangles, positions.size());
        out.mesh.triangles = renumbered(surface.triangles, used, positions.size());
        out.object_of_triangle = surface.object_of_triangle;
        out.object_names = surface.object_names;
      }
      if (options.to == "replay") {
        require(!(changed && replay), ErrorCode::unsupported,
                "{}: the triangles change at frame {}; a replay has one list of triangles for all frames", options.file,
                frame);
        if (!replay) {
          refuse_same_files({{"the input", options.file}, {"the output", replay_path.string()}});
          refuse_other_kind("the output", replay_path, OutputKind::replay);
          replay = std::make_unique<ReplayWriter>(replay_path, surface.vertex_count, surface.triangles,
                                                  surface.object_of_triangle);
        }
        replay->write_frame(positions);
      } else {
        out.mesh.positions.clear();
        for (const std::size_t v : used) out.mesh.positions.push_back(positions[v]);
        const fs::path file = folder / fmt::format("frame_{:0{}}.{}", frame, digits, options.to);
        refuse_same_files({{"the input", options.file}, {"the output", file.string()}});
        write_mesh_file(file, out);
      }
      progress.update(++count, "");
    }
  }
  if (replay) replay->close();
  say(stdout, "{} in {}\n", counted(count, "frame"), options.to == "replay" ? replay_path.string() : folder.string());
  if (!interrupted_by_user()) return done;
  say(stderr, "carom: ended early by a signal, after {} of {}\n", count, counted(frames.size(), "frame"));
  return interrupted_exit_code();
}

}  // namespace carom::app
