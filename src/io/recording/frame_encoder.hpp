#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "carom/io/recording.hpp"
#include "io/byte_writer.hpp"
#include "io/contact_table.hpp"

namespace carom::io {

/// Turns frames into the payloads of `FRAM` chunks. Remembers the bodies and contacts of the last frame, to
/// refer back to what has not changed since.
class FrameEncoder {
 public:
  explicit FrameEncoder(PositionEncoding encoding) : encoding_(encoding) {}

  /// Throws Error that names the body and the element, if a reader would refuse the frame.
  /// The payload is valid until the next call.
  std::span<const std::uint8_t> encode(std::uint32_t frame, double time, std::span<const FrameBodyView> bodies,
                                       std::span<const RecordedContact> contacts);
  /// Whether the frame just encoded holds the triangles of its i-th body.
  bool holds_topology(std::size_t i) const { return sources_[i].topology == frame_; }
  /// Call with the same bodies once the frame is written: only then may later ones refer to it.
  void commit(std::span<const FrameBodyView> bodies);

 private:
  /// The frames that hold what a body is made of.
  struct Source {
    std::uint32_t topology = 0;
    std::uint32_t positions = 0;
    std::uint32_t rest = 0;  ///< of a body with a pose: the frame that holds its positions themselves
  };
  struct LastBody {
    Source source;
    std::string name;
    MotionModel kind{};
    std::vector<Triangle> triangles;
    std::vector<std::uint8_t> cut_triangles;
    std::vector<Eigen::Vector3d> positions;
    std::optional<Eigen::Isometry3d> pose;
    std::optional<Eigen::Isometry3d> rest_pose;  ///< in the frame `source.rest`
  };

  Source source_of(std::uint32_t frame, const FrameBodyView& body) const;
  void put_body(std::uint32_t frame, const FrameBodyView& body, Source source);

  PositionEncoding encoding_;
  std::uint32_t frame_ = 0;
  ByteWriter payload_;
  ContactEncoder contacts_;
  std::vector<Source> sources_;  ///< of the bodies of the frame just encoded
  std::map<std::uint32_t, LastBody> last_;
};

}  // namespace carom::io
