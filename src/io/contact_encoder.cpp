#include <bit>

#include "io/contact_table.hpp"

namespace carom::io {

namespace {

/// Bit for bit, so that NaN is the same as NaN and 0 is not -0.
bool same_contact(const RecordedContact& left, const RecordedContact& right) {
  const auto numbers = [](const RecordedContact& c) {
    struct Numbers {
      std::array<double, 3> wide;
      std::array<float, 10> narrow;  ///< the last one fills the struct up
    };
    Numbers result{{c.distance, c.normal_speed, c.impulse}, {}};
    std::size_t k = 0;
    for (const Eigen::Vector3f* v : {&c.point_a, &c.point_b, &c.normal}) {
      for (const float x : *v) result.narrow[k++] = x;
    }
    return result;
  };
  const auto a = numbers(left);
  const auto b = numbers(right);
  using Bytes = std::array<std::uint8_t, 64>;
  return left.id == right.id && left.body_a == right.body_a && left.body_b == right.body_b &&
         left.motion == right.motion && left.feature_a == right.feature_a && left.feature_b == right.feature_b &&
         std::bit_cast<Bytes>(a) == std::bit_cast<Bytes>(b);
}

template <class Field>
void put_column(ByteWriter& out, std::span<const RecordedContact> contacts, Field field) {
  for (const RecordedContact& contact : contacts) out.put(field(contact));
}

void put_vectors(ByteWriter& out, std::span<const RecordedContact> contacts, Eigen::Vector3f RecordedContact::*vector) {
  for (const RecordedContact& contact : contacts) {
    for (const float x : contact.*vector) out.put(x);
  }
}

void put_held(ByteWriter& out, std::span<const RecordedContact> held) {
  using Contact = RecordedContact;
  put_column(out, held, [](const Contact& c) { return c.id; });
  put_column(out, held, [](const Contact& c) { return c.body_a; });
  put_column(out, held, [](const Contact& c) { return c.body_b; });
  put_column(out, held, [](const Contact& c) { return static_cast<std::uint8_t>(c.motion); });
  for (const auto feature : {&Contact::feature_a, &Contact::feature_b}) {
    put_column(out, held, [&](const Contact& c) { return static_cast<std::uint8_t>((c.*feature).kind); });
    // `none` is -1, whose bits are those of 4294967295.
    put_column(out, held, [&](const Contact& c) { return (c.*feature).index[0]; });
    put_column(out, held, [&](const Contact& c) { return (c.*feature).index[1]; });
  }
  put_column(out, held, [](const Contact& c) { return c.distance; });
  put_column(out, held, [](const Contact& c) { return c.normal_speed; });
  put_column(out, held, [](const Contact& c) { return c.impulse; });
  put_vectors(out, held, &Contact::point_a);
  put_vectors(out, held, &Contact::point_b);
  put_vectors(out, held, &Contact::normal);
}

}  // namespace

void ContactEncoder::put(ByteWriter& out, std::uint32_t frame, std::span<const RecordedContact> contacts) {
  next_.clear();
  runs_.clear();
  held_.clear();
  for (const RecordedContact& contact : contacts) {
    const auto last = last_.find(contact.id);
    const bool known = last != last_.end() && same_contact(last->second.contact, contact) &&
                       !next_.contains(contact.id);  // each is referred to once
    if (!known) held_.push_back(contact);
    const auto index = static_cast<std::uint32_t>(held_.size() - 1);
    const Held place = known ? last->second : Held{contact, frame, index};
    const bool goes_on =
        !runs_.empty() && runs_.back().frame == place.frame && runs_.back().first + runs_.back().count == place.index;
    if (goes_on) {
      ++runs_.back().count;
    } else {
      runs_.push_back({place.frame, place.index, 1});
    }
    next_.emplace(contact.id, place);
  }
  out.put(static_cast<std::uint32_t>(held_.size()));
  out.put(static_cast<std::uint32_t>(runs_.size()));
  for (const auto column : {&ContactRun::frame, &ContactRun::first, &ContactRun::count}) {
    for (const ContactRun& run : runs_) out.put(run.*column);
  }
  put_held(out, held_);
}

}  // namespace carom::io
