#include "core/check.hpp"
#include "io/contact_table.hpp"

namespace carom::io {

namespace {

// Bytes of a contact over all columns.
constexpr std::size_t held_size = 95;
constexpr std::size_t surface_contact_size = 64;  // version 1
constexpr std::size_t rigid_contact_size = 77;    // version 1
constexpr std::size_t run_size = 12;

/// Reads the columns one after the other.
class ContactColumns {
 public:
  ContactColumns(std::span<const std::uint8_t> bytes, std::span<RecordedContact> contacts)
      : at_(bytes.data()), contacts_(contacts) {}

  template <Scalar T, class Field>
  void next(Field field) {
    for (RecordedContact& contact : contacts_)
      field(contact) = static_cast<std::decay_t<decltype(field(contact))>>(take<T>());
  }
  void next_vectors(Eigen::Vector3f RecordedContact::*vector) {
    for (RecordedContact& contact : contacts_) {
      for (float& x : contact.*vector) x = take<float>();
    }
  }
  void next_ids_and_bodies() {
    next<std::uint64_t>([](RecordedContact & c) -> auto& { return c.id; });
    next<std::uint32_t>([](RecordedContact & c) -> auto& { return c.body_a; });
    next<std::uint32_t>([](RecordedContact & c) -> auto& { return c.body_b; });
  }
  void next_motions() {
    next<std::uint8_t>([](RecordedContact & c) -> auto& { return c.motion; });
  }
  void next_index(RecordedFeature RecordedContact::*feature, std::size_t k) {
    next<Index>([=](RecordedContact & c) -> auto& { return (c.*feature).index[k]; });
  }
  void next_numbers() {
    next<double>([](RecordedContact & c) -> auto& { return c.distance; });
    next<double>([](RecordedContact & c) -> auto& { return c.normal_speed; });
    next<double>([](RecordedContact & c) -> auto& { return c.impulse; });
  }

 private:
  template <Scalar T>
  T take() {
    const T value = load_little<T>(at_);
    at_ += sizeof(T);
    return value;
  }

  const std::uint8_t* at_;
  std::span<RecordedContact> contacts_;
};

/// Version 1 has features of surfaces, and neither a motion nor a normal.
void decode_surface_contacts(const ContactTable& table, std::span<RecordedContact> contacts) {
  ContactColumns columns(table.columns, contacts);
  columns.next_ids_and_bodies();
  for (const auto feature : {&RecordedContact::feature_a, &RecordedContact::feature_b}) {
    columns.next_index(feature, 0);
    columns.next_index(feature, 1);
  }
  columns.next<double>([](RecordedContact & c) -> auto& { return c.distance; });
  columns.next_vectors(&RecordedContact::point_a);
  columns.next_vectors(&RecordedContact::point_b);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    RecordedContact& c = contacts[i];
    const bool edges = i >= table.vertex_face_count;
    c.feature_a.kind = edges ? FeatureKind::edge : FeatureKind::vertex;
    c.feature_b.kind = edges ? FeatureKind::edge : FeatureKind::face;
    c.normal = (c.point_b - c.point_a).stableNormalized();
  }
}

/// Version 1 has no features of rigid bodies, and those of this version are points, too.
void decode_rigid_contacts(const ContactTable& table, std::span<RecordedContact> contacts) {
  ContactColumns columns(table.rigid_columns, contacts);
  columns.next_ids_and_bodies();
  columns.next_motions();
  columns.next_numbers();
  columns.next_vectors(&RecordedContact::point_a);
  columns.next_vectors(&RecordedContact::point_b);
  columns.next_vectors(&RecordedContact::normal);
}

ContactTable parse_first_version(ByteReader& reader, std::uint32_t frame) {
  ContactTable table;
  table.version = 1;
  table.vertex_face_count = reader.get<std::uint32_t>("number of vertex-face contacts");
  const std::uint64_t count =
      std::uint64_t{table.vertex_face_count} + reader.get<std::uint32_t>("number of edge-edge contacts");
  table.columns = reader.take(count, surface_contact_size, "contacts");
  std::uint64_t all = count;
  // Frames without contacts of rigid bodies end here.
  if (reader.left() > 0) {
    const auto rigid_count = reader.get<std::uint32_t>("number of contacts of rigid bodies");
    table.rigid_columns = reader.take(rigid_count, rigid_contact_size, "contacts of rigid bodies");
    all += rigid_count;
  }
  reader.expect_end();
  require(all <= 0xffffffff, ErrorCode::bad_format, "{}: {} contacts", reader.where(), all);
  table.count = static_cast<std::uint32_t>(count);
  if (all > 0) table.runs.push_back({frame, 0, static_cast<std::uint32_t>(all)});
  return table;
}

}  // namespace

ContactTable parse_contacts(ByteReader& reader, std::uint32_t frame, std::uint32_t version) {
  if (version == 1) return parse_first_version(reader, frame);
  ContactTable table;
  table.version = version;
  table.count = reader.get<std::uint32_t>("number of contacts");
  const auto run_count = reader.get<std::uint32_t>("number of runs of contacts");
  require(run_count <= reader.left() / run_size, ErrorCode::truncated,
          "{}: {} runs of contacts do not fit into the {} bytes that are left", reader.where(), run_count,
          reader.left());
  table.runs.resize(run_count);
  for (const auto column : {&ContactRun::frame, &ContactRun::first, &ContactRun::count}) {
    for (ContactRun& run : table.runs) run.*column = reader.get<std::uint32_t>("run of contacts");
  }
  table.columns = reader.take(table.count, held_size, "contacts");
  reader.expect_end();
  for (const ContactRun& run : table.runs) {
    require(run.frame <= frame, ErrorCode::bad_format, "{}: contacts refer forward, to frame {}", reader.where(),
            run.frame);
  }
  return table;
}

std::vector<RecordedContact> decode_held(const ContactTable& table) {
  std::vector<RecordedContact> contacts(table.count + table.rigid_columns.size() / rigid_contact_size);
  const std::span<RecordedContact> all(contacts);
  if (table.version == 1) {
    decode_surface_contacts(table, all.first(table.count));
    decode_rigid_contacts(table, all.subspan(table.count));
    return contacts;
  }
  ContactColumns columns(table.columns, all);
  columns.next_ids_and_bodies();
  columns.next_motions();
  for (const auto feature : {&RecordedContact::feature_a, &RecordedContact::feature_b}) {
    columns.next<std::uint8_t>([=](RecordedContact & c) -> auto& { return (c.*feature).kind; });
    columns.next_index(feature, 0);
    columns.next_index(feature, 1);
  }
  columns.next_numbers();
  columns.next_vectors(&RecordedContact::point_a);
  columns.next_vectors(&RecordedContact::point_b);
  columns.next_vectors(&RecordedContact::normal);
  return contacts;
}

}  // namespace carom::io
