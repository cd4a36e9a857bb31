#include "io/recording/frame_source.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "carom/io/mesh_file.hpp"
#include "carom/io/recording.hpp"
#include "carom/io/replay.hpp"
#include "core/check.hpp"
#include "io/file_bytes.hpp"
#include "io/mesh/mesh_extension.hpp"
#include "io/mesh/mesh_folder.hpp"
#include "io/recording/chunk.hpp"
#include "io/recording/replay_format.hpp"

namespace carom {

using namespace io;

namespace {

class ReplayFrames final : public FrameSource {
 public:
  explicit ReplayFrames(const std::filesystem::path& path) : reader_(path) {}

  std::size_t frame_count() const override { return reader_.frame_count(); }

  bool read(std::size_t frame, FrameSurface& surface, std::vector<Eigen::Vector3d>& positions) override {
    reader_.read_frame(frame, positions);
    if (std::exchange(started_, true)) return false;
    surface.vertex_count = reader_.vertex_count();
    surface.triangles.assign(reader_.triangles().begin(), reader_.triangles().end());
    number_objects(surface);
    return true;
  }

 private:
  /// The file may number its objects with gaps; names keep the file's numbers.
  void number_objects(FrameSurface& surface) const {
    const auto objects = reader_.object_of_triangle();
    std::vector<Index> used(objects.begin(), objects.end());
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    surface.object_names.clear();
    for (const Index object : used) surface.object_names.push_back(fmt::format("object {}", object));
    surface.object_of_triangle.clear();
    for (const Index object : objects) {
      const auto at = std::lower_bound(used.begin(), used.end(), object);
      surface.object_of_triangle.push_back(static_cast<Index>(at - used.begin()));
    }
  }

  ReplayReader reader_;
  bool started_ = false;
};

/// For sources whose triangles may change from frame to frame: keeps the last ones to compare.
class ChangingFrames : public FrameSource {
 public:
  bool read(std::size_t frame, FrameSurface& surface, std::vector<Eigen::Vector3d>& positions) final {
    FrameSurface now;
    load(frame, now, positions);
    // Names may change from file to file; what counts is which triangles belong together.
    if (started_ && now.vertex_count == last_.vertex_count && now.triangles == last_.triangles &&
        now.object_of_triangle == last_.object_of_triangle) {
      return false;
    }
    started_ = true;
    last_ = std::move(now);
    surface = last_;
    return true;
  }

 private:
  virtual void load(std::size_t frame, FrameSurface& surface, std::vector<Eigen::Vector3d>& positions) = 0;

  FrameSurface last_;
  bool started_ = false;
};

/// Bodies end to end, in the order of their numbers.
class RecordingFrames final : public ChangingFrames {
 public:
  explicit RecordingFrames(const std::filesystem::path& path) : name_(path.string()), reader_(path) {}

  std::size_t frame_count() const override { return reader_.frame_count(); }
  std::string warning() const override {
    return reader_.damage().empty() ? std::string() : fmt::format("{}: {}", name_, reader_.damage());
  }

 private:
  void load(std::size_t number, FrameSurface& surface, std::vector<Eigen::Vector3d>& positions) override {
    require(number < frame_count(), ErrorCode::bad_index, "{}: there is no frame {}; the recording has {}", name_,
            number, frame_count());
    const RecordedFrame frame = reader_.read_frame(static_cast<std::uint32_t>(number));
    positions.clear();
    for (const RecordedBody& body : frame.bodies) {
      require(positions.size() + body.positions.size() <= std::numeric_limits<Index>::max(), ErrorCode::unsupported,
              "{}: frame {} has more vertices than an index can count", name_, number);
      const auto first = static_cast<Index>(positions.size());
      positions.insert(positions.end(), body.positions.begin(), body.positions.end());
      for (const Triangle& t : body.triangles) surface.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      surface.object_of_triangle.resize(surface.triangles.size(), static_cast<Index>(surface.object_names.size()));
      surface.object_names.push_back(body.name);
    }
    surface.vertex_count = positions.size();
  }

  std::string name_;
  RecordingReader reader_;
};

/// One mesh file a frame.
class MeshFrames final : public ChangingFrames {
 public:
  MeshFrames(std::vector<std::filesystem::path> files, MeshReadOptions options)
      : files_(std::move(files)), options_(std::move(options)) {}

  std::size_t frame_count() const override { return files_.size(); }

 private:
  void load(std::size_t frame, FrameSurface& surface, std::vector<Eigen::Vector3d>& positions) override {
    require(frame < files_.size(), ErrorCode::bad_index, "{}: there is no frame {}; there are {} files",
            files_.front().parent_path().string(), frame, files_.size());
    MeshFile file = read_mesh_file(files_[frame], options_);
    positions = std::move(file.mesh.positions);
    surface.vertex_count = positions.size();
    surface.triangles = std::move(file.mesh.triangles);
    surface.object_of_triangle = std::move(file.object_of_triangle);
    surface.object_names = std::move(file.object_names);
    // The files of an animation are all named differently: an object that only has the name of
    // its file would be another one in every frame.
    if (surface.object_names == std::vector{files_[frame].stem().string()}) {
      surface.object_names.front() = files_.front().stem().string();
    }
  }

  std::vector<std::filesystem::path> files_;
  MeshReadOptions options_;
};

bool begins_with(const std::vector<std::uint8_t>& head, std::string_view magic) {
  return head.size() >= magic.size() && std::equal(magic.begin(), magic.end(), head.begin());
}

}  // namespace

InputKind input_kind(const std::filesystem::path& input) {
  std::error_code missing;
  if (std::filesystem::is_directory(input, missing)) return InputKind::folder;
  const FileBytes file(input);
  const auto head = file.read(0, std::min<std::uint64_t>(file.size(), recording_magic.size()));
  const std::string extension = lower_extension(input);
  if (begins_with(head, recording_magic) || extension == ".carom") return InputKind::recording;
  if (begins_with(head, replay_magic_text) || extension == ".replay") return InputKind::replay;
  if (is_mesh_file(input)) return InputKind::mesh_file;
  fail(ErrorCode::unknown_name,
       "{}: is not an input this program reads; it reads recordings (.carom), replays (.replay), meshes ({}) and "
       "folders of numbered meshes",
       input.string(), readable_mesh_extensions());
}

void refuse_read_options(const MeshReadOptions& options, const std::filesystem::path& input, InputKind kind) {
  if (kind != InputKind::recording && kind != InputKind::replay) return;
  const MeshReadOptions defaults;
  const char* name = options.up != defaults.up                         ? "up"
                     : options.unit != defaults.unit                   ? "unit"
                     : options.max_triangles != defaults.max_triangles ? "max_triangles"
                     : options.weld != defaults.weld                   ? "weld"
                     : options.chord != defaults.chord                 ? "chord"
                                                                       : nullptr;
  if (name == nullptr) return;
  fail(ErrorCode::invalid_argument, "{}: is a {}, which is in metres; {} is for mesh files", input.string(),
       kind == InputKind::recording ? "recording" : "replay", name);
}

std::unique_ptr<FrameSource> open_frames(const std::filesystem::path& input, const MeshReadOptions& options) {
  const InputKind kind = input_kind(input);
  refuse_read_options(options, input, kind);
  switch (kind) {
    case InputKind::recording:
      return std::make_unique<RecordingFrames>(input);
    case InputKind::replay:
      return std::make_unique<ReplayFrames>(input);
    case InputKind::mesh_file:
      return std::make_unique<MeshFrames>(std::vector{input}, options);
    case InputKind::folder:
      break;
  }
  return std::make_unique<MeshFrames>(numbered_mesh_files(input), options);
}

}  // namespace carom
