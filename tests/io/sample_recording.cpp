#include "sample_recording.hpp"

#include <cmath>
#include <cstring>

namespace carom::test {

namespace {

template <class T>
bool same_bits(const std::vector<T>& left, const std::vector<T>& right) {
  return left.size() == right.size() &&
         (left.empty() || std::memcmp(left.data(), right.data(), left.size() * sizeof(T)) == 0);
}

bool same_number(double left, double right) {
  return left == right || (std::isnan(left) && std::isnan(right));
}

bool same(const RecordedBody& left, const RecordedBody& right) {
  return left.body == right.body && left.name == right.name && left.kind == right.kind &&
         left.triangles == right.triangles && same_bits(left.positions, right.positions);
}

bool same(const RecordedContact& left, const RecordedContact& right) {
  return left.id == right.id && left.body_a == right.body_a && left.body_b == right.body_b &&
         left.motion == right.motion && left.feature_a == right.feature_a && left.feature_b == right.feature_b &&
         left.distance == right.distance && same_number(left.normal_speed, right.normal_speed) &&
         same_number(left.impulse, right.impulse) && left.point_a == right.point_a && left.point_b == right.point_b &&
         left.normal == right.normal;
}

RecordedContact vertex_face(std::uint64_t id, std::uint32_t a, std::uint32_t b, Index vertex, Index face) {
  return {.id = id,
          .body_a = a,
          .body_b = b,
          .motion = ContactMotion::colliding,
          .feature_a = {FeatureKind::vertex, {vertex, none}},
          .feature_b = {FeatureKind::face, {face, none}},
          .distance = 0.1 / 3,
          .normal_speed = -1.0 / 3,
          .impulse = 0.7,
          .point_a = {0.1f, 0, -0.f},
          .point_b = {1, 2, 3},
          .normal = {0.6f, 0, 0.8f}};
}

RecordedContact edge_edge(std::uint64_t id, std::uint32_t a, std::uint32_t b, Edge edge_a, Edge edge_b) {
  return {.id = id,
          .body_a = a,
          .body_b = b,
          .feature_a = {FeatureKind::edge, edge_a},
          .feature_b = {FeatureKind::edge, edge_b},
          .distance = 5e-324,
          .point_a = {-1, 0.5f, 7},
          .point_b = {3.25f, 1e-40f, 2}};
}

}  // namespace

RecordingMeta sample_meta() {
  return {"ignored", "two \"tori\" \xc3\xa9", 0.1, {1e-300, -9.81, 1.0 / 3}, 0.02};
}

std::vector<SampleFrame> sample_frames() {
  const std::vector<Triangle> one{{0, 1, 2}};
  const std::vector<Triangle> two{{0, 1, 2}, {2, 1, 3}};
  const RecordedBody floor{3, "floor", MotionModel::fixed, one, {{0, 0, 0}, {1, -0.0, 0}, {0, 5e-324, 1}}};
  std::vector<SampleFrame> frames(6);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    SampleFrame& frame = frames[i];
    const double t = static_cast<double>(i) / 3;
    frame.time = t;
    frame.bodies.push_back(floor);
    if (i == 2 || i == 3) frame.bodies.push_back({5, "guest", MotionModel::scripted, {}, {{7, 8, 9}}});
    RecordedBody cloth{9, "cloth", MotionModel::particles, two, {{0, t, 0}, {1, t, 0}, {0, t, 1}, {1, t, 1}}};
    if (i >= 3) {  // cut: the second triangle gets corners of its own
      cloth.positions.push_back(cloth.positions[2]);
      cloth.positions.push_back(cloth.positions[1]);
      cloth.triangles[1] = {4, 5, 3};
    }
    frame.bodies.push_back(cloth);
    if (i == 0) continue;
    frame.contacts.push_back(vertex_face(40 + i, 3, 9, 2, 1));
    frame.contacts.push_back(edge_edge(~std::uint64_t{0} - i, 9, 9, {0, 1}, {2, 3}));
    StageStats& mid = frame.stats[Stage::mid];
    mid.in = 1;
    mid.out = 4211 + i;
    mid.seconds = 0.1;
    mid.limited = i;
    mid.add_culled("sphere", 5);
    mid.add_culled("box", 91822);
  }
  return frames;
}

void write_frames(RecordingWriter& writer, const std::vector<SampleFrame>& frames) {
  for (const SampleFrame& frame : frames) {
    std::vector<FrameBodyView> views;
    for (const RecordedBody& body : frame.bodies) {
      views.push_back({body.body, body.name, body.kind, body.triangles, body.positions});
    }
    writer.write_frame(frame.time, views, frame.contacts, frame.stats);
  }
}

std::vector<std::uint8_t> sample_bytes(PositionEncoding encoding) {
  RecordingWriter writer(sample_meta(), encoding);
  write_frames(writer, sample_frames());
  writer.close();
  return {writer.bytes().begin(), writer.bytes().end()};
}

bool same(const RecordedFrame& read, const SampleFrame& written) {
  if (read.time != written.time || read.bodies.size() != written.bodies.size() ||
      read.contacts.size() != written.contacts.size()) {
    return false;
  }
  for (std::size_t i = 0; i < read.bodies.size(); ++i) {
    if (!same(read.bodies[i], written.bodies[i])) return false;
  }
  for (std::size_t i = 0; i < read.contacts.size(); ++i) {
    if (!same(read.contacts[i], written.contacts[i])) return false;
  }
  return true;
}

}  // namespace carom::test
