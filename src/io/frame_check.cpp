#include "io/frame_check.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace carom::io {

namespace {

bool within(Index index, std::size_t count) {
  return index >= 0 && static_cast<std::size_t>(index) < count;
}

const BodySize* find(std::span<const BodySize> bodies, std::uint32_t body) {
  const auto at = std::lower_bound(bodies.begin(), bodies.end(), body,
                                   [](const BodySize& entry, std::uint32_t number) { return entry.body < number; });
  return at != bodies.end() && at->body == body ? &*at : nullptr;
}

bool fits(const RecordedFeature& feature, const BodySize& body) {
  switch (feature.kind) {
    case FeatureKind::point:
      return feature.index[0] == none && feature.index[1] == none;
    case FeatureKind::vertex:
      return within(feature.index[0], body.vertices) && feature.index[1] == none;
    case FeatureKind::edge:
      return within(feature.index[0], body.vertices) && within(feature.index[1], body.vertices);
    case FeatureKind::face:
      return within(feature.index[0], body.triangles) && feature.index[1] == none;
  }
  return false;
}

}  // namespace

void check_triangles(std::span<const Triangle> triangles, std::size_t vertex_count, std::string_view where) {
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (const Index corner : triangles[i]) {
      if (!within(corner, vertex_count)) {
        fail(ErrorCode::bad_index, "{}: triangle {} uses vertex {}, but there are {} vertices", where, i, corner,
             vertex_count);
      }
    }
  }
}

void check_positions(std::span<const Eigen::Vector3d> positions, std::string_view where) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!is_finite(positions[i])) {
      fail(ErrorCode::not_finite, "{}: vertex {} is at ({}, {}, {})", where, i, positions[i].x(), positions[i].y(),
           positions[i].z());
    }
  }
}

void check_contacts(std::span<const RecordedContact> contacts, std::span<const BodySize> bodies,
                    std::string_view where) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const RecordedContact& c = contacts[i];
    const BodySize* a = find(bodies, c.body_a);
    const BodySize* b = find(bodies, c.body_b);
    if (a == nullptr || b == nullptr) {
      fail(ErrorCode::bad_index, "{}: contact {} is of body {}, which is not in the frame", where, i,
           a == nullptr ? c.body_a : c.body_b);
    }
    if (!fits(c.feature_a, *a) || !fits(c.feature_b, *b)) {
      fail(ErrorCode::bad_index,
           "{}: contact {} names features ({}, {}) and ({}, {}) that bodies {} and {} do not have", where, i,
           c.feature_a.index[0], c.feature_a.index[1], c.feature_b.index[0], c.feature_b.index[1], c.body_a, c.body_b);
    }
    // Speed and impulse may be unknown.
    if (!std::isfinite(c.distance) || std::isinf(c.normal_speed) || std::isinf(c.impulse) || !c.point_a.allFinite() ||
        !c.point_b.allFinite() || !c.normal.allFinite()) {
      fail(ErrorCode::not_finite, "{}: contact {} has a number that is not finite", where, i);
    }
    if (c.motion > ContactMotion::separating) {
      fail(ErrorCode::bad_format, "{}: contact {} has motion {}, which this version does not know", where, i,
           static_cast<int>(c.motion));
    }
  }
}

}  // namespace carom::io
