#include "io/recording/frame_decoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "io/byte_reader.hpp"
#include "io/frame_check.hpp"
#include "io/recording/shuffle.hpp"

namespace carom::io {

namespace {

constexpr std::size_t smallest_body_entry = 20;  // bytes

template <std::floating_point T>
BodyEntry::Moved parse_moved(ByteReader& reader, std::uint32_t frame, std::uint32_t body) {
  BodyEntry::Moved moved;
  moved.rest_frame = reader.get<std::uint32_t>("rest frame");
  require(moved.rest_frame < frame, ErrorCode::bad_format,
          "{}: body {} refers to frame {}, which is not an earlier frame", reader.where(), body, moved.rest_frame);
  std::array<double, 7> values{};
  for (double& value : values) value = reader.get<T>("pose");
  const Eigen::Quaterniond turn(values[0], values[1], values[2], values[3]);
  const Eigen::Vector3d shift(values[4], values[5], values[6]);
  require(is_finite(shift) && std::abs(turn.norm() - 1) < 1e-3, ErrorCode::bad_format,
          "{}: the pose of body {} is not a rotation and a translation", reader.where(), body);
  moved.by.linear() = turn.normalized().toRotationMatrix();
  moved.by.translation() = shift;
  return moved;
}

BodyEntry parse_body(ByteReader& reader, std::uint32_t frame) {
  BodyEntry entry;
  entry.body = reader.get<std::uint32_t>("body number");
  entry.topology_frame = reader.get<std::uint32_t>("topology frame");
  entry.positions_frame = reader.get<std::uint32_t>("positions frame");
  entry.vertex_count = reader.get<std::uint32_t>("number of vertices");
  entry.triangle_count = reader.get<std::uint32_t>("number of triangles");
  require(entry.topology_frame <= frame && entry.positions_frame <= frame, ErrorCode::bad_format,
          "{}: body {} refers forward, to frame {}", reader.where(), entry.body,
          std::max(entry.topology_frame, entry.positions_frame));
  constexpr std::uint32_t largest = std::numeric_limits<Index>::max();
  require(entry.vertex_count <= largest && entry.triangle_count <= largest, ErrorCode::bad_format,
          "{}: body {} has {} vertices and {} triangles, more than an index can count", reader.where(), entry.body,
          entry.vertex_count, entry.triangle_count);
  if (entry.topology_frame == frame) {
    const auto kind = reader.get<std::uint8_t>("kind");
    require(kind <= static_cast<std::uint8_t>(MotionModel::rigid), ErrorCode::bad_format,
            "{}: body {} is of kind {}, which this version does not know", reader.where(), entry.body, kind);
    entry.kind = static_cast<MotionModel>(kind);
    const auto name = reader.take(reader.get<std::uint32_t>("length of the name"), 1, "name");
    entry.name = {reinterpret_cast<const char*>(name.data()), name.size()};
    entry.triangles = reader.take(entry.triangle_count, sizeof(Triangle), "triangles");
  }
  if (entry.positions_frame == frame) {
    const auto encoding = reader.get<std::uint8_t>("encoding");
    require(encoding < 2 * moved_encoding, ErrorCode::bad_format,
            "{}: body {} has positions of encoding {}, which this version does not know", reader.where(), entry.body,
            encoding);
    entry.encoding = static_cast<PositionEncoding>(encoding % moved_encoding);
    const bool wide = entry.encoding == PositionEncoding::f64;
    if (encoding >= moved_encoding) {
      entry.moved =
          wide ? parse_moved<double>(reader, frame, entry.body) : parse_moved<float>(reader, frame, entry.body);
    } else {
      entry.positions = reader.take(entry.vertex_count, wide ? 24 : 12, "positions");
    }
  }
  return entry;
}

template <std::floating_point T>
void unshuffle(std::span<const std::uint8_t> planes, std::vector<Eigen::Vector3d>& positions) {
  const std::size_t count = planes.size() / sizeof(T);
  for (std::size_t i = 0; i < count; ++i) {
    positions[i / 3][static_cast<Eigen::Index>(i % 3)] = get_shuffled<T>(i, count, planes.data());
  }
}

std::vector<BodySize> sizes_of(const FrameLayout& frame) {
  std::vector<BodySize> sizes;
  sizes.reserve(frame.bodies.size());
  for (const BodyEntry& entry : frame.bodies) sizes.push_back({entry.body, entry.vertex_count, entry.triangle_count});
  return sizes;
}

}  // namespace

const BodyEntry* FrameLayout::find(std::uint32_t body) const {
  const auto at = std::lower_bound(bodies.begin(), bodies.end(), body,
                                   [](const BodyEntry& entry, std::uint32_t n) { return entry.body < n; });
  return at != bodies.end() && at->body == body ? &*at : nullptr;
}

FrameLayout parse_frame(std::span<const std::uint8_t> payload, std::uint32_t number, std::uint32_t version,
                        std::string where) {
  ByteReader reader(payload, where);
  FrameLayout frame;
  frame.where = std::move(where);
  frame.number = reader.get<std::uint32_t>("frame number");
  require(frame.number == number, ErrorCode::bad_format, "{}: its number is {}", frame.where, frame.number);
  frame.time = reader.get<double>("time");
  require(std::isfinite(frame.time), ErrorCode::not_finite, "{}: the time is {}", frame.where, frame.time);

  const auto body_count = reader.get<std::uint32_t>("number of bodies");
  require(body_count <= reader.left() / smallest_body_entry, ErrorCode::truncated,
          "{}: {} bodies do not fit into the {} bytes that are left", frame.where, body_count, reader.left());
  frame.bodies.reserve(body_count);
  for (std::uint32_t i = 0; i < body_count; ++i) {
    const BodyEntry entry = parse_body(reader, number);
    require(frame.bodies.empty() || frame.bodies.back().body < entry.body, ErrorCode::bad_format,
            "{}: bodies are not in ascending order at body {}", frame.where, entry.body);
    frame.bodies.push_back(entry);
  }
  frame.contacts = parse_contacts(reader, number, version);
  return frame;
}

void decode_topology(const FrameLayout& frame, const BodyEntry& entry, RecordedBody& body) {
  assert(entry.topology_frame == frame.number);
  body.name = entry.name;
  body.kind = entry.kind;
  body.triangles.resize(entry.triangle_count);
  if (!entry.triangles.empty()) std::memcpy(body.triangles.data(), entry.triangles.data(), entry.triangles.size());
  check_triangles(body.triangles, entry.vertex_count, fmt::format("{}: body {}", frame.where, entry.body));
}

void decode_positions(const FrameLayout& frame, const BodyEntry& entry, RecordedBody& body) {
  assert(entry.positions_frame == frame.number);
  require(!entry.moved, ErrorCode::bad_format, "{}: body {} has no positions here, only a pose", frame.where,
          entry.body);
  body.positions.resize(entry.vertex_count);
  if (entry.encoding == PositionEncoding::f64) {
    unshuffle<double>(entry.positions, body.positions);
  } else {
    unshuffle<float>(entry.positions, body.positions);
  }
  check_positions(body.positions, fmt::format("{}: body {}", frame.where, entry.body));
}

std::vector<RecordedContact> join_contacts(const FrameLayout& frame, const HeldContacts& held) {
  std::map<std::uint32_t, std::size_t> taken;  // of each frame: a few bytes must not stand for any number of contacts
  std::vector<RecordedContact> contacts;
  for (const ContactRun& run : frame.contacts.runs) {
    const std::vector<RecordedContact>& source = held.at(run.frame);
    std::size_t& used = taken[run.frame];
    used += run.count;
    require(std::uint64_t{run.first} + run.count <= source.size() && used <= source.size(), ErrorCode::bad_format,
            "{}: refers to contacts {} to {} of frame {}, which holds {}", frame.where, run.first,
            std::uint64_t{run.first} + run.count, run.frame, source.size());
    contacts.insert(contacts.end(), source.begin() + run.first, source.begin() + run.first + run.count);
  }
  check_contacts(contacts, sizes_of(frame), frame.where);
  return contacts;
}

}  // namespace carom::io
