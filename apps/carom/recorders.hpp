#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "carom/io/recording.hpp"
#include "carom/io/replay.hpp"
#include "carom/io/scene.hpp"

namespace carom::app {

/// Wind of the first cloth that has any, m/s.
Eigen::Vector3d wind_of(const Scene& scene);

/// The places a run is written to, frame by frame. Refers to the world.
class Recorders {
 public:
  /// `output` a recording, or a replay if it ends in .replay; empty: none. `html`: into memory as well, for a page.
  /// `spheres`: level of the tree of detection whose spheres are written, if any.
  Recorders(const Scene& scene, const World& world, const std::string& output, bool html, int every,
            std::optional<int> spheres = {});

  /// Writes nothing: for collect().
  Recorders(const Scene& scene, const World& world);

  /// What the world is now, for bodies() and contacts(), which refer to it.
  void collect();
  /// Keeps the cuts of the present step. To be called after each step by who calls collect().
  void keep_cuts();
  /// Cuts that were kept, with the numbers of bodies() as they were collected last. They are kept no longer.
  std::vector<RecordedCut> take_cuts();
  std::span<const FrameBodyView> bodies() const { return bodies_; }
  std::span<const RecordedContact> contacts() const { return contacts_; }

  /// Of the present step, if it is one of those to record.
  void write_frame();
  void close();

  std::span<const std::uint8_t> page_recording() const { return page_->bytes(); }

 private:
  /// A rigid body has no vertices of its own: what is drawn of it.
  struct RigidSurface {
    TriangleMesh mesh;  ///< in the frame of the shape; in the world if the body is fixed
    bool moves = true;
  };

  void make_surfaces(const Scene& scene);
  void open_replay(const std::string& path);

  const World& world_;
  std::uint64_t every_;
  std::optional<int> spheres_;
  std::unique_ptr<RecordingWriter> recording_;
  std::unique_ptr<RecordingWriter> page_;
  std::unique_ptr<ReplayWriter> replay_;
  std::vector<FrameBodyView> bodies_;
  std::map<BodyId, std::uint32_t> numbers_;
  std::map<BodyId, RigidSurface> surfaces_;
  std::vector<RecordedContact> contacts_;
  std::vector<Eigen::Vector3d> joined_;
  std::vector<std::pair<std::uint64_t, WorldCut>> cuts_;  ///< with their steps, since the last frame
  std::map<BodyId, std::vector<std::uint8_t>> cut_triangles_;
  std::set<BodyId> recut_;  ///< bodies whose cut_triangles_ are of before a cut
  std::vector<BodyId> with_levels_;
  std::map<BodyId, std::vector<std::uint8_t>> levels_;
};

}  // namespace carom::app
