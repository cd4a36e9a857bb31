#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "carom/io/recording.hpp"
#include "io/byte_reader.hpp"
#include "io/byte_writer.hpp"

/// The contacts of a `FRAM` payload: docs/formats.md, "Contacts".
namespace carom::io {

/// Contacts `first` to `first + count - 1` of those that a frame holds itself.
struct ContactRun {
  std::uint32_t frame = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Writes the contacts of frame after frame; one that is bit for bit as in the last frame is a reference to the frame
/// that holds it.
class ContactEncoder {
 public:
  void put(ByteWriter& out, std::uint32_t frame, std::span<const RecordedContact> contacts);
  /// Call once the frame is written: only then may later ones refer to it.
  void commit() { last_.swap(next_); }

 private:
  struct Held {
    RecordedContact contact;
    std::uint32_t frame = 0;
    std::uint32_t index = 0;  ///< among those that the frame holds
  };
  std::unordered_map<std::uint64_t, Held> last_;  ///< by id
  std::unordered_map<std::uint64_t, Held> next_;
  std::vector<ContactRun> runs_;
  std::vector<RecordedContact> held_;
};

/// The contacts of a frame taken apart: counts are checked against the bytes that are there.
struct ContactTable {
  std::vector<ContactRun> runs;  ///< in the order of the contacts
  std::uint32_t version = 0;
  std::uint32_t count = 0;              ///< that the frame holds itself; version 1: those of surfaces
  std::uint32_t vertex_face_count = 0;  ///< version 1 only
  std::span<const std::uint8_t> columns;
  std::span<const std::uint8_t> rigid_columns;  ///< version 1 only
};

/// Reads on to the end of the payload of frame `frame`.
ContactTable parse_contacts(ByteReader& reader, std::uint32_t frame, std::uint32_t version);

/// Contacts that the frame holds itself; neither bodies nor numbers are checked.
std::vector<RecordedContact> decode_held(const ContactTable& table);

}  // namespace carom::io
