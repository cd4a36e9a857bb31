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
constexpr std::size_t rigid_contact_size = 77;   // the same

template <std::floating_point T>
BodyEntry::Moved parse_moved(ByteReader& reader, std::uint32_t frame, std::uint32_t body) {
  BodyEntry::Moved moved;
  moved.rest_frame = reader.get<std::uint32_t>("rest frame");
  require(moved.rest_frame < frame, ErrorCode::bad_format, "{}: body {} has moved since frame {}, which is not before",
          reader.where(), body, moved.rest_frame);
  std::array<double, 7> values{};
  for (double& value : values) value = reader.get<T>("pose");
  const Eigen::Quaterniond turn(values[0], values[1], values[2], values[3]);
  const Eigen::Vector3d shift(values[4], values[5], values[6]);
  require(is_finite(shift) && std::abs(turn.norm() - 1) < 1e-3, ErrorCode::bad_format,
          "{}: body {} has moved by no rotation and translation", reader.where(), body);
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
  constexpr std::uint32_t most = std::numeric_limits<Index>::max();
  require(entry.vertex_count <= most && entry.triangle_count <= most, ErrorCode::bad_format,
          "{}: body {} has {} vertices and {} triangles, more than an index can count", reader.where(), entry.body,
          entry.vertex_count, entry.triangle_count);
  if (entry.topology_frame == frame) {
    const auto kind = reader.get<std::uint8_t>("kind");
    require(kind <= static_cast<std::uint8_t>(BodyKind::rigid), ErrorCode::bad_format,
            "{}: body {} is of kind {}, which this version does not know", reader.where(), entry.body, kind);
    entry.kind = static_cast<BodyKind>(kind);
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

/// Reads the columns one after the other.
template <class Contact>
class Columns {
 public:
  Columns(std::span<const std::uint8_t> bytes, std::vector<Contact>& contacts)
      : at_(bytes.data()), contacts_(contacts) {}

  template <Scalar T, class Field>
  void next(Field field) {
    for (Contact& contact : contacts_) field(contact) = take<T>();
  }
  void next_points(Eigen::Vector3f Contact::*point) {
    for (Contact& contact : contacts_) {
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
  std::vector<Contact>& contacts_;
};

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
  // Frames without contacts of rigid bodies, and those of older versions, end here.
  if (reader.left() > 0) {
    const auto rigid_count = reader.get<std::uint32_t>("number of contacts of rigid bodies");
    frame.rigid_contacts = reader.take(rigid_count, rigid_contact_size, "contacts of rigid bodies");
  }
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

std::vector<RecordedContact> decode_contacts(const FrameLayout& frame) {
  std::vector<RecordedContact> contacts(frame.contacts.size() / contact_size);
  for (std::size_t i = frame.vertex_face_count; i < contacts.size(); ++i) contacts[i].kind = ContactKind::edge_edge;

  Columns<RecordedContact> columns(frame.contacts, contacts);
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

  check_contacts(contacts, sizes_of(frame), frame.where);
  return contacts;
}

std::vector<RecordedRigidContact> decode_rigid_contacts(const FrameLayout& frame) {
  using Contact = RecordedRigidContact;
  std::vector<Contact> contacts(frame.rigid_contacts.size() / rigid_contact_size);
  Columns<Contact> columns(frame.rigid_contacts, contacts);
  columns.next<std::uint64_t>([](Contact & contact) -> auto& { return contact.id; });
  columns.next<std::uint32_t>([](Contact & contact) -> auto& { return contact.body_a; });
  columns.next<std::uint32_t>([](Contact & contact) -> auto& { return contact.body_b; });
  columns.next<std::uint8_t>(
      [](Contact & contact) -> auto& { return reinterpret_cast<std::uint8_t&>(contact.motion); });
  columns.next<double>([](Contact & contact) -> auto& { return contact.distance; });
  columns.next<double>([](Contact & contact) -> auto& { return contact.normal_speed; });
  columns.next<double>([](Contact & contact) -> auto& { return contact.impulse; });
  columns.next_points(&Contact::point_a);
  columns.next_points(&Contact::point_b);
  columns.next_points(&Contact::normal);
  check_rigid_contacts(contacts, sizes_of(frame), frame.where);
  return contacts;
}

}  // namespace carom::io
