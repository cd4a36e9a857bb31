#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "carom/io/recording.hpp"
#include "io/recording/chunk.hpp"
#include "io/recording/frame_encoder.hpp"

/// Contacts that do not change are written once, and files of the first version are read.
namespace carom::test {
namespace {

const std::vector<Triangle> triangles{{0, 1, 2}, {0, 2, 3}};
const std::vector<Eigen::Vector3d> corners{{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 3}};
const std::vector<FrameBodyView> bodies{{1, "a", MotionModel::fixed, triangles, corners, {}},
                                        {4, "b", MotionModel::particles, triangles, corners, {}}};

RecordedContact contact(std::uint64_t id, double distance) {
  return {.id = id,
          .body_a = 1,
          .body_b = 4,
          .motion = static_cast<ContactMotion>(id % 3),
          .feature_a = {FeatureKind::face, {static_cast<Index>(id % 2), none}},
          .feature_b = {FeatureKind::vertex, {static_cast<Index>(id % 4), none}},
          .distance = distance,
          .normal_speed = id % 5 == 0 ? NAN : 0.25 * distance,
          .impulse = 3 * distance,
          .point_a = {1, 2, static_cast<float>(id)},
          .point_b = {4, 5, 6},
          .normal = {0, 1, 0}};
}

void expect_same(const RecordedContact& read, const RecordedContact& written) {
  EXPECT_EQ(read.id, written.id);
  EXPECT_EQ(read.body_a, written.body_a);
  EXPECT_EQ(read.body_b, written.body_b);
  EXPECT_EQ(read.motion, written.motion);
  EXPECT_EQ(read.feature_a, written.feature_a);
  EXPECT_EQ(read.feature_b, written.feature_b);
  EXPECT_EQ(read.distance, written.distance);
  EXPECT_TRUE(read.normal_speed == written.normal_speed || std::isnan(written.normal_speed));
  EXPECT_EQ(std::isnan(read.normal_speed), std::isnan(written.normal_speed));
  EXPECT_EQ(read.impulse, written.impulse);
  EXPECT_EQ(read.point_a, written.point_a);
  EXPECT_EQ(read.point_b, written.point_b);
  EXPECT_EQ(read.normal, written.normal);
}

TEST(RecordingContacts, ThoseThatDoNotChangeAreNotWrittenAgain) {
  std::vector<RecordedContact> contacts;
  for (std::uint64_t id = 0; id < 1000; ++id) contacts.push_back(contact(id, 0.5));
  io::FrameEncoder encoder(PositionEncoding::f64);
  const auto size = [&](std::uint32_t frame) {
    const std::size_t bytes = encoder.encode(frame, 0, bodies, contacts).size();
    encoder.commit(bodies);
    return bytes;
  };
  EXPECT_GT(size(0), 90'000U);
  // Frame number, time, number of bodies; two bodies that did not change; two counts and one run.
  constexpr std::size_t quiet = 16 + 2 * 20 + 8 + 12;
  EXPECT_EQ(size(1), quiet);
  EXPECT_EQ(size(2), quiet);
  contacts[500].impulse = 7;  // the ones before it, itself, and the ones after it
  EXPECT_EQ(size(3), quiet + 2 * 12 + 95);
  EXPECT_EQ(size(4), quiet + 2 * 12);
  contacts.clear();
  EXPECT_EQ(size(5), quiet - 12);
}

/// A frame that could not be written is not referred to.
TEST(RecordingContacts, WhatWasNotCommittedIsWrittenAgain) {
  const std::vector<RecordedContact> contacts{contact(1, 0.5)};
  io::FrameEncoder encoder(PositionEncoding::f64);
  const std::size_t first = encoder.encode(0, 0, bodies, contacts).size();
  EXPECT_EQ(encoder.encode(0, 0, bodies, contacts).size(), first);
}

/// Contacts come, go, change, rest for long and change places; every frame is found from everywhere.
TEST(RecordingContacts, AnyStoryIsReadBackFromAnyFrame) {
  std::mt19937 random(7);
  const auto chance = [&](double fraction) { return std::uniform_real_distribution<>(0, 1)(random) < fraction; };
  RecordingWriter writer(RecordingMeta{}, PositionEncoding::f64);
  std::vector<std::vector<RecordedContact>> frames;
  std::vector<RecordedContact> now;
  std::uint64_t next = 1;
  for (int frame = 0; frame < 60; ++frame) {
    std::erase_if(now, [&](const RecordedContact&) { return chance(0.1); });
    for (RecordedContact& c : now)
      if (chance(0.2)) c.distance += 1;
    for (int i = 0; i < 3; ++i)
      now.insert(now.begin() + (chance(0.5) ? 0 : static_cast<std::ptrdiff_t>(now.size())), contact(next++, 0.5));
    if (chance(0.2)) std::shuffle(now.begin(), now.end(), random);
    if (chance(0.1) && !now.empty()) now.push_back(now.front());  // the same id again
    frames.push_back(now);
    writer.write_frame(frame, bodies, now, {});
    if (now.size() > 1 && now.back().id == now.front().id) now.pop_back();
  }
  writer.close();
  const RecordingReader reader({writer.bytes().begin(), writer.bytes().end()});
  std::vector<std::uint32_t> order(frames.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  for (const std::uint32_t i : order) {
    const RecordedFrame frame = reader.read_frame(i);
    ASSERT_EQ(frame.contacts.size(), frames[i].size()) << "frame " << i;
    for (std::size_t k = 0; k < frames[i].size(); ++k) expect_same(frame.contacts[k], frames[i][k]);
  }
}

/// As the first version wrote it: columns of contacts of surfaces, then those of rigid bodies.
TEST(RecordingContacts, TheFirstVersionIsRead) {
  io::ByteWriter frame;
  frame.put(std::uint32_t{0});
  frame.put(0.5);
  frame.put(std::uint32_t{1});
  for (const std::uint32_t number : {4U, 0U, 0U, 4U, 2U}) frame.put(number);
  frame.put(std::uint8_t{2});
  frame.put(std::uint32_t{1});
  frame.put(std::string_view("b"));
  for (const Triangle& t : triangles) {
    for (const Index corner : t) frame.put(corner);
  }
  frame.put(std::uint8_t{1});
  frame.extend(4 * 12);
  frame.put(std::uint32_t{1});  // vertex-face
  frame.put(std::uint32_t{1});  // edge-edge
  for (const std::uint64_t id : {11U, 12U}) frame.put(id);
  for (int i = 0; i < 4; ++i) frame.put(std::uint32_t{4});
  for (const Index index : {3, 0, -1, 1, 1, 2, -1, 3}) frame.put(index);  // a0, a1, b0, b1 of both
  for (const double distance : {0.25, 0.5}) frame.put(distance);
  for (const float x : {0.f, 0.f, 0.f, 1.f, 1.f, 1.f}) frame.put(x);
  for (const float x : {0.f, 2.f, 0.f, 1.f, 1.f, 1.f}) frame.put(x);
  frame.put(std::uint32_t{1});  // of rigid bodies
  frame.put(std::uint64_t{13});
  for (int i = 0; i < 2; ++i) frame.put(std::uint32_t{4});
  frame.put(std::uint8_t{2});
  for (const double value : {-0.125, 0.75, 2.0}) frame.put(value);
  for (const float x : {1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 0.f, 0.f, 1.f}) frame.put(x);

  io::ByteWriter file;
  file.put(io::recording_magic);
  file.put(std::uint32_t{1});
  file.put(std::uint32_t{0});
  const std::string_view meta = R"({"carom":"0.1.0","scene":"","dt":0.1,"gravity":[0,0,0],"contact_distance":0.02})";
  const std::string_view stat = R"({"frame":0,"time":0.5,"stages":[{"name":"mid","in":3,"out":1,"culled":{},"ms":1}]})";
  const auto bytes = [](std::string_view text) {
    return std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  };
  io::append_chunk(file, io::meta_tag, bytes(meta), io::Compress::no);
  io::append_chunk(file, io::stat_tag, bytes(stat), io::Compress::no);
  io::append_chunk(file, io::frame_tag, frame.bytes(), io::Compress::yes);
  const RecordingReader reader({file.bytes().begin(), file.bytes().end()});

  const RecordedFrame read = reader.read_frame(0);
  ASSERT_EQ(read.contacts.size(), 3U);
  const RecordedContact& face = read.contacts[0];
  EXPECT_EQ(face.id, 11U);
  EXPECT_EQ(face.feature_a, (RecordedFeature{FeatureKind::vertex, {3, none}}));
  EXPECT_EQ(face.feature_b, (RecordedFeature{FeatureKind::face, {1, none}}));
  EXPECT_EQ(face.distance, 0.25);
  EXPECT_EQ(face.normal, Eigen::Vector3f(0, 1, 0)) << "from point to point";
  EXPECT_EQ(face.motion, ContactMotion::resting);
  EXPECT_TRUE(std::isnan(face.normal_speed));
  EXPECT_TRUE(std::isnan(face.impulse));
  const RecordedContact& edge = read.contacts[1];
  EXPECT_EQ(edge.feature_a, (RecordedFeature{FeatureKind::edge, {0, 1}}));
  EXPECT_EQ(edge.feature_b, (RecordedFeature{FeatureKind::edge, {2, 3}}));
  EXPECT_EQ(edge.normal, Eigen::Vector3f(0, 0, 0)) << "the points are the same";
  const RecordedContact& rigid = read.contacts[2];
  EXPECT_EQ(rigid.id, 13U);
  EXPECT_EQ(rigid.feature_a, RecordedFeature{});
  EXPECT_EQ(rigid.motion, ContactMotion::separating);
  EXPECT_EQ(rigid.distance, -0.125);
  EXPECT_EQ(rigid.normal_speed, 0.75);
  EXPECT_EQ(rigid.impulse, 2);
  EXPECT_EQ(rigid.point_b, Eigen::Vector3f(4, 5, 6));
  EXPECT_EQ(rigid.normal, Eigen::Vector3f(0, 0, 1));
  EXPECT_EQ(reader.read_stages(0)[0].in_unit, "");
}

}  // namespace
}  // namespace carom::test
