#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "carom/io/recording.hpp"
#include "io/contact_table.hpp"

namespace carom::io {

/// A body entry of a `FRAM` payload. The views point into the payload.
struct BodyEntry {
  std::uint32_t body = 0;
  std::uint32_t topology_frame = 0;
  std::uint32_t positions_frame = 0;
  std::uint32_t vertex_count = 0;
  std::uint32_t triangle_count = 0;
  // Only if topology_frame is the frame itself.
  MotionModel kind{};
  std::string_view name;
  std::span<const std::uint8_t> triangles;
  // Only if positions_frame is the frame itself.
  PositionEncoding encoding{};
  std::span<const std::uint8_t> positions;
  /// The positions are those of an earlier frame, moved by this.
  struct Moved {
    std::uint32_t rest_frame = 0;
    Eigen::Isometry3d by = Eigen::Isometry3d::Identity();
  };
  std::optional<Moved> moved;
};

/// A `FRAM` payload taken apart: every count is checked against the bytes that are there, no
/// index and no coordinate is looked at yet.
struct FrameLayout {
  std::string where;  ///< opens every message: file, frame, offset
  std::uint32_t number = 0;
  double time = 0;
  std::vector<BodyEntry> bodies;  ///< ascending
  ContactTable contacts;

  const BodyEntry* find(std::uint32_t body) const;
};

/// `number` is the frame that is expected here, `version` that of the file. `where` opens the messages.
FrameLayout parse_frame(std::span<const std::uint8_t> payload, std::uint32_t number, std::uint32_t version,
                        std::string where);

/// Name, kind and triangles of a body, from the frame that holds them.
void decode_topology(const FrameLayout& frame, const BodyEntry& entry, RecordedBody& body);

/// Positions of a body, from the frame that holds them themselves: the entry is not `moved`.
void decode_positions(const FrameLayout& frame, const BodyEntry& entry, RecordedBody& body);

/// Contacts of each frame that the runs of `frame` name, by its number.
using HeldContacts = std::map<std::uint32_t, std::vector<RecordedContact>>;

/// All contacts of a frame, in their order.
std::vector<RecordedContact> join_contacts(const FrameLayout& frame, const HeldContacts& held);

}  // namespace carom::io
