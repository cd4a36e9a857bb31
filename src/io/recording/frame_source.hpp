#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "carom/io/mesh_read_options.hpp"
#include "carom/mesh/mesh.hpp"

namespace carom {

/// The triangles of several objects over one array of vertices.
struct FrameSurface {
  std::size_t vertex_count = 0;
  std::vector<Triangle> triangles;
  std::vector<Index> object_of_triangle;  ///< index into object_names
  std::vector<std::string> object_names;
};

/// Frames of surfaces, whatever file they come from.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  virtual std::size_t frame_count() const = 0;
  /// Fills positions; returns true and fills `surface` when the triangles differ from those of the
  /// frame read before (always at the first call). Throws Error that names the file and the frame.
  virtual bool read(std::size_t frame, FrameSurface& surface, std::vector<Eigen::Vector3d>& positions) = 0;
  /// Warning that the user should see before trusting the frames, such as how a recording is damaged.
  virtual std::string warning() const { return {}; }
};

enum class InputKind { recording, replay, mesh_file, folder };

/// Told by the first bytes, else by the extension. Throws Error that names the file and lists what
/// can be read.
InputKind input_kind(const std::filesystem::path& input);

/// Throws Error that names the option if one is set for an input that is no mesh file or folder of them.
void refuse_read_options(const MeshReadOptions& options, const std::filesystem::path& input, InputKind kind);

/// A recording, a replay, a mesh file (one frame) or a folder of numbered mesh files. Throws Error
/// that names the file.
std::unique_ptr<FrameSource> open_frames(const std::filesystem::path& input, const MeshReadOptions& options = {});

}  // namespace carom
