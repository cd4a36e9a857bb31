#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "carom/io/recording.hpp"
#include "io/recording/frame_encoder.hpp"

namespace carom::app {

/// Copy of all that a page shows of a world.
struct LiveState {
  struct Body {
    std::uint32_t number = 0;
    std::string name;
    MotionModel motion = MotionModel::fixed;
    std::vector<Triangle> triangles;
    std::vector<std::uint8_t> cut_triangles;  ///< see World::cut_triangles
    std::vector<Eigen::Vector3d> positions;
    std::optional<Eigen::Isometry3d> pose;
  };

  std::uint64_t number = 0;  ///< counts up with every copy
  std::uint64_t resets = 0;
  double time = 0;     ///< s
  std::string status;  ///< JSON: the members of an object, without its braces
  std::vector<Body> bodies;
  std::vector<RecordedContact> contacts;
  std::vector<RecordedCut> cuts;   ///< since the world began, see CutStrokes
  std::uint64_t cut_revision = 0;  ///< counts up with every cut

  /// Takes over the bodies, which are copied.
  void copy(std::span<const FrameBodyView> from, std::span<const RecordedContact> of);
};

/// Pictures for pages, encoded when one asks. A picture refers to a key frame, which holds the triangles, the faces of
/// cuts, and the positions of what only moves as a whole; a page that does not have the key frame gets it along.
class LivePictures {
 public:
  /// The bytes of a state for a page that holds this key frame. May be called from several threads.
  std::shared_ptr<const std::string> encode(const std::shared_ptr<const LiveState>& state, std::uint64_t key);

 private:
  void begin_key(const LiveState& state);
  void encode_frame(const LiveState& state);

  std::mutex mutex_;
  std::uint64_t key_ = 0;  ///< number of the key frame; 0: there is none
  std::uint64_t key_resets_ = 0;
  std::vector<std::size_t> key_sizes_;  ///< vertices and triangles of each body
  std::uint64_t key_cuts_ = 0;
  std::uint32_t frames_ = 0;  ///< since the key frame
  io::FrameEncoder encoder_{PositionEncoding::f32};
  std::string key_payload_;
  std::string cuts_payload_;   ///< of the key frame
  std::uint64_t encoded_ = 0;  ///< number of the state that is encoded
  std::shared_ptr<const std::string> with_key_;
  std::shared_ptr<const std::string> without_key_;
};

}  // namespace carom::app
