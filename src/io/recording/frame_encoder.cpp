#include "io/recording/frame_encoder.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "core/check.hpp"
#include "geometry/check_pose.hpp"
#include "io/frame_check.hpp"
#include "io/recording/shuffle.hpp"

namespace carom::io {

namespace {

static_assert(sizeof(Triangle) == 12 && sizeof(Eigen::Vector3d) == 24 && sizeof(Eigen::Vector3f) == 12);

/// Bit for bit: 0 and -0 are different, or a recording would not play back what was recorded.
template <class T>
bool same_bits(std::span<const T> left, std::span<const T> right) {
  return left.size() == right.size() &&
         (left.empty() || std::memcmp(left.data(), right.data(), left.size_bytes()) == 0);
}

bool same_pose(const std::optional<Eigen::Isometry3d>& left, const std::optional<Eigen::Isometry3d>& right) {
  return left.has_value() == right.has_value() && (!left || same_bits<double>({left->data(), 16}, {right->data(), 16}));
}

Eigen::Vector3d in_world(const FrameBodyView& body, std::size_t vertex) {
  return body.pose ? *body.pose * body.positions[vertex] : body.positions[vertex];
}

template <std::floating_point T>
void put_positions(ByteWriter& out, const FrameBodyView& body) {
  const std::size_t count = 3 * body.positions.size();
  std::uint8_t* planes = out.extend(count * sizeof(T));
  for (std::size_t v = 0; v < body.positions.size(); ++v) {
    const Eigen::Vector3d p = in_world(body, v);
    for (std::size_t k = 0; k < 3; ++k)
      put_shuffled(static_cast<T>(p[static_cast<Eigen::Index>(k)]), 3 * v + k, count, planes);
  }
}

/// How the body has moved since the frame that holds its positions.
template <std::floating_point T>
void put_pose(ByteWriter& out, const Eigen::Isometry3d& moved) {
  const Eigen::Quaterniond turn = Eigen::Quaterniond(moved.linear()).normalized();
  for (const double value : {turn.w(), turn.x(), turn.y(), turn.z(), moved.translation().x(), moved.translation().y(),
                             moved.translation().z()})
    out.put(static_cast<T>(value));
}

void check_fits_float(const FrameBodyView& body, const std::string& where) {
  for (std::size_t i = 0; i < body.positions.size(); ++i) {
    if (!in_world(body, i).cast<float>().allFinite()) {
      fail(ErrorCode::not_finite, "{}: vertex {} is too far away for f32 positions", where, i);
    }
  }
}

void check_body(const FrameBodyView& body, PositionEncoding encoding, const std::string& where) {
  constexpr auto largest = static_cast<std::size_t>(std::numeric_limits<Index>::max());
  require(body.positions.size() <= largest && body.triangles.size() <= largest, ErrorCode::unsupported,
          "{}: {} vertices and {} triangles are more than an index can count", where, body.positions.size(),
          body.triangles.size());
  require(body.kind <= MotionModel::rigid, ErrorCode::invalid_argument, "{}: {} is not a kind of body", where,
          static_cast<int>(body.kind));
  check_triangles(body.triangles, body.positions.size(), where);
  require(body.cut_triangles.empty() || body.cut_triangles.size() == body.triangles.size(), ErrorCode::invalid_argument,
          "{}: {} cut triangles are told apart, but there are {} triangles", where, body.cut_triangles.size(),
          body.triangles.size());
  check_positions(body.positions, where);
  if (body.pose) check_pose(*body.pose, [&] { return fmt::format("{}: its pose", where); });
  if (encoding == PositionEncoding::f32) check_fits_float(body, where);
}

}  // namespace

std::span<const std::uint8_t> FrameEncoder::encode(std::uint32_t frame, double time,
                                                   std::span<const FrameBodyView> bodies,
                                                   std::span<const RecordedContact> contacts) {
  const std::string where = fmt::format("recording, frame {}", frame);
  require(std::isfinite(time), ErrorCode::not_finite, "{}: the time is {}", where, time);
  constexpr std::size_t largest = std::numeric_limits<std::uint32_t>::max();
  require(contacts.size() <= largest, ErrorCode::unsupported, "{}: {} contacts", where, contacts.size());
  std::vector<BodySize> sizes;
  sizes.reserve(bodies.size());
  for (const FrameBodyView& body : bodies) {
    require(sizes.empty() || sizes.back().body < body.body, ErrorCode::invalid_argument,
            "{}: body {} comes after body {}; bodies must be in ascending order", where, body.body,
            sizes.empty() ? 0 : sizes.back().body);
    check_body(body, encoding_, fmt::format("{}, body {} \"{}\"", where, body.body, body.name));
    sizes.push_back({body.body, body.positions.size(), body.triangles.size()});
  }
  check_contacts(contacts, sizes, where);

  frame_ = frame;
  payload_.clear();
  sources_.clear();
  payload_.put(frame);
  payload_.put(time);
  payload_.put(static_cast<std::uint32_t>(bodies.size()));
  for (const FrameBodyView& body : bodies) {
    sources_.push_back(source_of(frame, body));
    put_body(frame, body, sources_.back());
  }
  contacts_.put(payload_, frame, contacts);
  return payload_.bytes();
}

FrameEncoder::Source FrameEncoder::source_of(std::uint32_t frame, const FrameBodyView& body) const {
  const auto at = last_.find(body.body);
  if (at == last_.end()) return {frame, frame, frame};
  const LastBody& last = at->second;
  const bool same_vertex_count = last.positions.size() == body.positions.size();
  const bool same_topology = same_vertex_count && last.kind == body.kind && last.name == body.name &&
                             same_bits(std::span<const Triangle>(last.triangles), body.triangles) &&
                             same_bits(std::span<const std::uint8_t>(last.cut_triangles), body.cut_triangles);
  const bool same_positions = same_bits(std::span<const Eigen::Vector3d>(last.positions), body.positions);
  const bool same_place = same_positions && same_pose(last.pose, body.pose);
  const bool only_moved = same_positions && body.pose && last.rest_pose;
  return {same_topology ? last.source.topology : frame, same_place ? last.source.positions : frame,
          same_place || only_moved ? last.source.rest : frame};
}

void FrameEncoder::put_body(std::uint32_t frame, const FrameBodyView& body, Source source) {
  payload_.put(body.body);
  payload_.put(source.topology);
  payload_.put(source.positions);
  payload_.put(static_cast<std::uint32_t>(body.positions.size()));
  payload_.put(static_cast<std::uint32_t>(body.triangles.size()));
  if (source.topology == frame) {
    payload_.put(static_cast<std::uint8_t>(body.kind));
    payload_.put(static_cast<std::uint32_t>(body.name.size()));
    payload_.put(body.name);
    payload_.put_items(body.triangles);
  }
  if (source.positions != frame) return;
  const bool moved = source.rest != frame;
  payload_.put(static_cast<std::uint8_t>(static_cast<int>(encoding_) + (moved ? moved_encoding : 0)));
  if (moved) {
    payload_.put(source.rest);
    const Eigen::Isometry3d since = *body.pose * last_.at(body.body).rest_pose->inverse();
    encoding_ == PositionEncoding::f64 ? put_pose<double>(payload_, since) : put_pose<float>(payload_, since);
  } else {
    encoding_ == PositionEncoding::f64 ? put_positions<double>(payload_, body) : put_positions<float>(payload_, body);
  }
}

void FrameEncoder::commit(std::span<const FrameBodyView> bodies) {
  assert(bodies.size() == sources_.size());
  std::map<std::uint32_t, LastBody> next;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    // The node moves over with its arrays, so that a body that does not change is not copied.
    auto node = last_.extract(bodies[i].body);
    LastBody& kept = (node ? next.insert(std::move(node)).position : next.try_emplace(bodies[i].body).first)->second;
    kept.source = sources_[i];
    if (kept.source.topology == frame_) {
      kept.name = bodies[i].name;
      kept.kind = bodies[i].kind;
      kept.triangles.assign(bodies[i].triangles.begin(), bodies[i].triangles.end());
      kept.cut_triangles.assign(bodies[i].cut_triangles.begin(), bodies[i].cut_triangles.end());
    }
    kept.pose = bodies[i].pose;
    if (kept.source.rest == frame_) kept.rest_pose = bodies[i].pose;
    if (kept.source.positions == frame_ && kept.source.rest == frame_) {
      kept.positions.assign(bodies[i].positions.begin(), bodies[i].positions.end());
    }
  }
  last_ = std::move(next);
  contacts_.commit();
}

}  // namespace carom::io
