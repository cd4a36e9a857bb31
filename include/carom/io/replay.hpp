#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "carom/mesh/mesh.hpp"

/// Replay files: one fixed list of triangles, and the position of every vertex in every frame.
/// The format is described in docs/formats.md.
namespace carom {

class ReplayReader {
 public:
  /// Checks the header, the size of the file and every index. Throws Error that names the file
  /// and the offset.
  explicit ReplayReader(const std::filesystem::path& path);
  explicit ReplayReader(std::vector<std::uint8_t> bytes, std::string name = "replay");
  ~ReplayReader();
  ReplayReader(ReplayReader&&) noexcept;
  ReplayReader& operator=(ReplayReader&&) noexcept;

  std::size_t vertex_count() const;
  std::size_t frame_count() const;
  std::span<const Triangle> triangles() const;
  std::span<const Index> object_of_triangle() const;

  /// Throws Error(not_finite) that names the frame and the vertex. `positions` is resized.
  void read_frame(std::size_t frame, std::vector<Eigen::Vector3d>& positions) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Appends frames and counts them in the header, so that an interrupted file is whole.
class ReplayWriter {
 public:
  ReplayWriter(const std::filesystem::path& path, std::size_t vertex_count, std::span<const Triangle> triangles,
               std::span<const Index> object_of_triangle);
  ~ReplayWriter();
  ReplayWriter(ReplayWriter&&) noexcept;
  ReplayWriter& operator=(ReplayWriter&&) noexcept;

  void write_frame(std::span<const Eigen::Vector3d> positions);
  void close();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom
