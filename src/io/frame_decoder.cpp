#include "io/frame_decoder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "io/byte_reader.hpp"
#include "io/frame_check.hpp"
#include "io/shuffle.hpp"

namespace carom::io {

namespace {

constexpr std::size_t smallest_body_entry = 20;  // bytes
constexpr std::size_t contact_size = 64;         // bytes over all columns

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
  constexpr std::uint32_t most = std::numeric_limits<Index>::max();
  require(entry.vertex_count <= most && entry.triangle_count <= most, ErrorCode::bad_format,
          "{}: body {} has {} vertices and {} triangles, more than an index can count", reader.where(), entry.body,
          entry.vertex_count, entry.triangle_count);
  if (entry.topology_frame == frame) {
    const auto kind = reader.get<std::uint8_t>("kind");
    require(kind <= static_cast<std::uint8_t>(BodyKind::particles), ErrorCode::bad_format,
            "{}: body {} is of kind {}, which this version does not know", reader.where(), entry.body, kind);
    entry.kind = static_cast<BodyKind>(kind);
    const auto name = reader.take(reader.get<std::uint32_t>("length of the name"), 1, "name");
    entry.name = {reinterpret_cast<const char*>(name.data()), name.size()};
    entry.triangles = reader.take(entry.triangle_count, sizeof(Triangle), "triangles");
  }
  if (entry.positions_frame == frame) {
    const auto encoding = reader.get<std::uint8_t>("encoding");
    require(encoding <= static_cast<std::uint8_t>(PositionEncoding::f32), ErrorCode::bad_format,
            "{}: body {} has positions of encoding {}, which this version does not know", reader.where(), entry.body,
            encoding);
    entry.encoding = static_cast<PositionEncoding>(encoding);
    const std::size_t vertex_size = entry.encoding == PositionEncoding::f64 ? 24 : 12;
    entry.positions = reader.take(entry.vertex_count, vertex_size, "positions");
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

/// Reads the columns one after the other.
class Columns {
 public:
  Columns(std::span<const std::uint8_t> bytes, std::vector<RecordedContact>& contacts)
      : at_(bytes.data()), contacts_(contacts) {}

  template <Scalar T, class Field>
  void next(Field field) {
    for (RecordedContact& contact : contacts_) field(contact) = take<T>();
  }
  void next_points(Eigen::Vector3f RecordedContact::*point) {
    for (RecordedContact& contact : contacts_) {
      for (float& x : contact.*point) x = take<float>();
    }
  }

 private:
  template <Scalar T>
  T take() {
    const T value = load_little<T>(at_);
    at_ += sizeof(T);
    return value;
  }

  const std::uint8_t* at_;
  std::vector<RecordedContact>& contacts_;
};

}  // namespace

const BodyEntry* FrameLayout::find(std::uint32_t body) const {
  const auto at = std::lower_bound(bodies.begin(), bodies.end(), body,
                                   [](const BodyEntry& entry, std::uint32_t n) { return entry.body < n; });
  return at != bodies.end() && at->body == body ? &*at : nullptr;
}

FrameLayout parse_frame(std::span<const std::uint8_t> payload, std::uint32_t number, std::string where) {
  ByteReader reader(payload, where);
  FrameLayout frame;
  frame.where = std::move(where);
  frame.number = reader.get<std::uint32_t>("frame number");
  require(frame.number == number, ErrorCode::bad_format, "{}: it calls itself frame {}", frame.where, frame.number);
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
  frame.vertex_face_count = reader.get<std::uint32_t>("number of vertex-face contacts");
  frame.edge_edge_count = reader.get<std::uint32_t>("number of edge-edge contacts");
  const std::uint64_t contact_count = std::uint64_t{frame.vertex_face_count} + frame.edge_edge_count;
  frame.contacts = reader.take(contact_count, contact_size, "contacts");
  reader.expect_end();
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
  body.positions.resize(entry.vertex_count);
  if (entry.encoding == PositionEncoding::f64) {
    unshuffle<double>(entry.positions, body.positions);
  } else {
    unshuffle<float>(entry.positions, body.positions);
  }
  check_positions(body.positions, fmt::format("{}: body {}", frame.where, entry.body));
}

std::vector<RecordedContact> decode_contacts(const FrameLayout& frame) {
  std::vector<RecordedContact> contacts(frame.contacts.size() / contact_size);
  for (std::size_t i = frame.vertex_face_count; i < contacts.size(); ++i) contacts[i].kind = ContactKind::edge_edge;

  Columns columns(frame.contacts, contacts);
  columns.next<std::uint64_t>([](RecordedContact & contact) -> auto& { return contact.id; });
  columns.next<std::uint32_t>([](RecordedContact & contact) -> auto& { return contact.body_a; });
  columns.next<std::uint32_t>([](RecordedContact & contact) -> auto& { return contact.body_b; });
  columns.next<Index>([](RecordedContact & contact) -> auto& { return contact.a[0]; });
  columns.next<Index>([](RecordedContact & contact) -> auto& { return contact.a[1]; });
  columns.next<Index>([](RecordedContact & contact) -> auto& { return contact.b[0]; });
  columns.next<Index>([](RecordedContact & contact) -> auto& { return contact.b[1]; });
  columns.next<double>([](RecordedContact & contact) -> auto& { return contact.distance; });
  columns.next_points(&RecordedContact::point_a);
  columns.next_points(&RecordedContact::point_b);

  std::vector<BodySize> sizes;
  sizes.reserve(frame.bodies.size());
  for (const BodyEntry& entry : frame.bodies) sizes.push_back({entry.body, entry.vertex_count, entry.triangle_count});
  check_contacts(contacts, sizes, frame.where);
  return contacts;
}

}  // namespace carom::io
