#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "carom/body/motion_model.hpp"
#include "carom/core/stats.hpp"
#include "carom/detect/contact.hpp"
#include "carom/mesh/mesh.hpp"
#include "carom/world/world.hpp"

/// Recordings of runs. The format is described in docs/formats.md.
namespace carom {

enum class PositionEncoding : std::uint8_t {
  f64 = 0,  ///< exact: detection on the recording gives the contacts of the run
  f32 = 1,  ///< half the size, for looking at
};

/// View that a reader should see first: the viewer lists these, and shows one when it is chosen.
struct RecordedView {
  std::string title{};
  std::uint32_t frame = 0;
  std::vector<std::uint32_t> bodies{};  ///< the others are hidden; empty: all are shown

  friend bool operator==(const RecordedView&, const RecordedView&) = default;
};

struct RecordingMeta {
  std::string carom_version{};  ///< version of the writer; filled in by it
  std::string scene{};
  double dt = 0;  ///< s, from frame to frame
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
  double contact_distance = 0;                     ///< m, of meshes; 0 where all bodies are rigid
  Eigen::Vector3d wind = Eigen::Vector3d::Zero();  ///< m/s, of the first cloth that has any, without gusts
  std::vector<RecordedView> views{};               ///< a few thousand at most: the whole of this is limited to 16 MB
  std::string description{};                       ///< description of the scene, for the reader
  std::string check{};  ///< JSON of a clash check for the viewer, see docs/formats.md; empty: this is none
};

/// View of one body in one frame; owned by the caller.
struct FrameBodyView {
  std::uint32_t body = 0;  ///< the same number in every frame; ascending within a frame
  std::string_view name;
  MotionModel kind = MotionModel::fixed;
  std::span<const Triangle> triangles;
  std::span<const Eigen::Vector3d> positions;  ///< in the world; if there is a pose, in the frame of the body
  /// Pose of a body that keeps its shape. After the first frame only the pose is written, not every position.
  std::optional<Eigen::Isometry3d> pose{};
  std::span<const std::uint8_t> levels{};         ///< of the vertices of cloth with levels, see World::vertex_levels
  std::span<const std::uint8_t> cut_triangles{};  ///< see World::cut_triangles; empty if no cut has made any
};

/// Feature of a body at a contact, numbered within the body: a vertex or a triangle and `none`, the two vertices of an
/// edge, or nothing for a point.
struct RecordedFeature {
  FeatureKind kind = FeatureKind::point;
  std::array<Index, 2> index{none, none};

  friend bool operator==(const RecordedFeature&, const RecordedFeature&) = default;
};

/// A contact, see WorldContact.
struct RecordedContact {
  std::uint64_t id = 0;
  std::uint32_t body_a = 0;
  std::uint32_t body_b = 0;
  ContactMotion motion = ContactMotion::resting;
  RecordedFeature feature_a{};
  RecordedFeature feature_b{};
  double distance = 0;          ///< m
  double normal_speed = unset;  ///< m/s; NaN if it is not known
  double impulse = unset;       ///< N s; NaN if it is not known
  Eigen::Vector3f point_a = Eigen::Vector3f::Zero();
  Eigen::Vector3f point_b = Eigen::Vector3f::Zero();
  Eigen::Vector3f normal = Eigen::Vector3f::Zero();  ///< from a to b
};

/// Cut of a body in a step, see WorldCut.
struct RecordedCut {
  std::uint64_t step = 0;
  std::uint32_t body = 0;               ///< which was cut, and keeps the largest part
  std::vector<std::uint32_t> pieces{};  ///< bodies that came off it
  std::uint32_t crossed = 0;
  std::uint32_t separated = 0;
  double length = 0;  ///< m
  double area = 0;    ///< m^2

  friend bool operator==(const RecordedCut&, const RecordedCut&) = default;
};

/// Triangles of a body that cuts have made, ascending.
struct RecordedCutFaces {
  std::uint32_t body = 0;
  std::vector<std::uint32_t> triangles{};

  friend bool operator==(const RecordedCutFaces&, const RecordedCutFaces&) = default;
};

struct RecordedCuts {
  std::vector<RecordedCut> events{};      ///< since the frame before
  std::vector<RecordedCutFaces> faces{};  ///< of the bodies that have any, ascending

  friend bool operator==(const RecordedCuts&, const RecordedCuts&) = default;
};

/// Appends frames to a file, or to memory. Each frame is handed to the operating system before
/// write_frame returns, so that a crash of the program loses none that was written.
class RecordingWriter {
 public:
  /// Throws Error(io) that names the file.
  RecordingWriter(const std::filesystem::path& path, const RecordingMeta& meta,
                  PositionEncoding encoding = PositionEncoding::f64);
  /// Into memory: see bytes().
  RecordingWriter(const RecordingMeta& meta, PositionEncoding encoding);
  /// Closes, as close() does, but swallows the errors.
  ~RecordingWriter();
  RecordingWriter(RecordingWriter&&) noexcept;
  RecordingWriter& operator=(RecordingWriter&&) noexcept;

  /// Triangles, positions and contacts that are bit for bit those of the last frame are not written again. `spheres`:
  /// those of a level of the tree of detection, see World::detection_spheres. Levels and spheres are for looking at:
  /// RecordingReader passes them over. `cuts`: those since the last frame.
  void write_frame(double time, std::span<const FrameBodyView> bodies, std::span<const RecordedContact> contacts,
                   const PipelineStats& stats, std::span<const BoundingSphere> spheres = {},
                   std::span<const RecordedCut> cuts = {});
  std::uint32_t frame_count() const;

  /// Writes the index and closes the file; nothing may be written afterwards.
  void close();
  /// Bytes of an in-memory recording. Call after close().
  std::span<const std::uint8_t> bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct RecordedBody {
  std::uint32_t body = 0;
  std::string name;
  MotionModel kind = MotionModel::fixed;
  std::vector<Triangle> triangles;
  std::vector<Eigen::Vector3d> positions;
};

struct RecordedFrame {
  std::uint32_t number = 0;
  double time = 0;
  std::vector<RecordedBody> bodies;
  std::vector<RecordedContact> contacts;
};

/// Counts of one stage, as read from a file (the names of a newer version may be unknown here).
struct RecordedStage {
  std::string name;
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::vector<std::pair<std::string, std::uint64_t>> culled;
  std::uint64_t limited = 0;
  double ms = 0;
  std::uint64_t remembered = 0;
  std::string in_unit;  ///< empty if the stage did not run, and in files of older versions
  std::string out_unit;
};

/// Reads a recording, from a file or from memory. Opening walks the chunk headers only.
class RecordingReader {
 public:
  /// Throws Error that names the file and the offset.
  explicit RecordingReader(const std::filesystem::path& path);
  explicit RecordingReader(std::vector<std::uint8_t> bytes, std::string name = "recording");
  ~RecordingReader();
  RecordingReader(RecordingReader&&) noexcept;
  RecordingReader& operator=(RecordingReader&&) noexcept;

  const RecordingMeta& meta() const;
  std::uint32_t frame_count() const;
  /// Damage of the file: empty if the recording was closed in order; otherwise where and how it ends. The frames
  /// before that can be read.
  const std::string& damage() const;

  /// Throws Error that names the file, the frame and the offset.
  RecordedFrame read_frame(std::uint32_t frame) const;
  std::vector<RecordedStage> read_stages(std::uint32_t frame) const;
  /// Cuts since the frame before, and faces of all cuts so far.
  RecordedCuts read_cuts(std::uint32_t frame) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom
