#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "carom/core/error.hpp"
#include "carom/io/recording.hpp"
#include "io/recording/frame_encoder.hpp"

namespace carom::test {
namespace {

using Eigen::Isometry3d;
using Eigen::Vector3d;

const std::vector<Triangle> triangles{{0, 1, 2}, {0, 2, 3}};
const std::vector<Vector3d> corners{{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 3}};

Isometry3d pose(double turn, const Vector3d& place) {
  Isometry3d result(Eigen::Translation3d(place) * Eigen::AngleAxisd(turn, Vector3d(1, 2, -1).normalized()));
  return result;
}

FrameBodyView body_at(const Isometry3d& where) {
  return {4, "die", MotionModel::rigid, triangles, corners, where};
}

RecordingReader reread(RecordingWriter& writer) {
  writer.close();
  return RecordingReader({writer.bytes().begin(), writer.bytes().end()});
}

class Moved : public testing::TestWithParam<PositionEncoding> {};

TEST_P(Moved, BodiesAreWhereTheirPosesPutThem) {
  const double tolerance = GetParam() == PositionEncoding::f64 ? 1e-12 : 1e-5;
  const std::vector<Isometry3d> poses{pose(0.3, {1, 2, 3}), pose(0.3, {1, 2, 3}), pose(0.4, {1.5, 2, 3}),
                                      pose(3, {-10, 2, 3}), pose(3, {-10, 2, 3}), pose(0, {0, 0, 0})};
  RecordingWriter writer(RecordingMeta{}, GetParam());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const FrameBodyView body = body_at(poses[i]);
    writer.write_frame(static_cast<double>(i), {&body, 1}, {}, {});
  }
  const RecordingReader reader = reread(writer);
  for (const std::uint32_t i : {5U, 0U, 1U, 4U, 2U, 3U}) {
    const RecordedFrame frame = reader.read_frame(i);
    ASSERT_EQ(frame.bodies.size(), 1U);
    EXPECT_EQ(frame.bodies[0].kind, MotionModel::rigid);
    EXPECT_EQ(frame.bodies[0].triangles, triangles);
    ASSERT_EQ(frame.bodies[0].positions.size(), corners.size());
    for (std::size_t k = 0; k < corners.size(); ++k)
      EXPECT_LT((frame.bodies[0].positions[k] - poses[i] * corners[k]).norm(), tolerance) << "frame " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Recording, Moved, testing::Values(PositionEncoding::f64, PositionEncoding::f32));

TEST(RecordingRigid, ABodyThatMovesIsNotWrittenAgain) {
  std::vector<Vector3d> many(1000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = Vector3d::Random();
  io::FrameEncoder encoder(PositionEncoding::f64);
  std::vector<std::size_t> sizes;
  for (std::uint32_t i = 0; i < 4; ++i) {
    // It rests in the last frame.
    const FrameBodyView body{0, "b", MotionModel::rigid, {}, many, pose(0.1 * std::min(i, 2U), {1, 0, 0})};
    sizes.push_back(encoder.encode(i, 0, {&body, 1}, {}).size());
    encoder.commit({&body, 1});
  }
  EXPECT_GT(sizes[0], 24'000U);
  // Frame number, time, number of bodies; the entry; encoding, rest frame and pose; no contacts.
  EXPECT_EQ(sizes[1], 16U + 20U + 61U + 8U);
  EXPECT_EQ(sizes[2], sizes[1]);
  EXPECT_EQ(sizes[3], 16U + 20U + 8U);
}

TEST(RecordingRigid, AChangedShapeIsWrittenAnew) {
  RecordingWriter writer(RecordingMeta{}, PositionEncoding::f64);
  std::vector<Vector3d> other = corners;
  other[3] = {5, 5, 5};
  const Isometry3d here = pose(1, {1, 1, 1});
  const Isometry3d there = pose(2, {2, 1, 1});
  const std::vector<FrameBodyView> frames{body_at(here),
                                          {4, "die", MotionModel::rigid, triangles, other, there},
                                          {4, "die", MotionModel::rigid, triangles, other, here},
                                          {4, "die", MotionModel::rigid, triangles, other, {}}};
  for (const FrameBodyView& body : frames) writer.write_frame(0, {&body, 1}, {}, {});
  const RecordingReader reader = reread(writer);
  EXPECT_LT((reader.read_frame(1).bodies[0].positions[3] - there * other[3]).norm(), 1e-12);
  EXPECT_LT((reader.read_frame(2).bodies[0].positions[3] - here * other[3]).norm(), 1e-12);
  EXPECT_EQ(reader.read_frame(3).bodies[0].positions, other);
}

TEST(RecordingRigid, KeepsTheContacts) {
  RecordingWriter writer(RecordingMeta{}, PositionEncoding::f64);
  const std::vector<FrameBodyView> bodies{{1, "a", MotionModel::fixed, triangles, corners, {}},
                                          body_at(pose(0, {0, 0, 1}))};
  const std::vector<RecordedContact> contacts{
      {3, 1, 4, ContactMotion::colliding, {}, {}, -0.001, -2.5, 12.5, {1, 2, 3}, {1, 2, 4}, {0, 0, 1}},
      {7,
       1,
       4,
       ContactMotion::resting,
       {FeatureKind::vertex, {0, none}},
       {FeatureKind::face, {1, none}},
       0.25,
       0.5,
       0.125,
       {1, 2, 3},
       {4, 5, 6},
       {0, 1, 0}},
      {9, 1, 4, ContactMotion::resting, {}, {}, 0.0005, 0, 1.0 / 3, {0, 0, 0}, {0, 0, 0}, {0, 1, 0}},
      {1ULL << 40, 4, 1, ContactMotion::separating, {}, {}, 0, 0.75, 0, {5, 0, 0}, {6, 0, 0}, {1, 0, 0}}};
  writer.write_frame(0, bodies, {}, {});
  writer.write_frame(1, bodies, contacts, {});
  const RecordingReader reader = reread(writer);
  EXPECT_TRUE(reader.read_frame(0).contacts.empty());
  const RecordedFrame frame = reader.read_frame(1);
  ASSERT_EQ(frame.contacts.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const RecordedContact& read = frame.contacts[i];
    EXPECT_EQ(read.feature_a, contacts[i].feature_a);
    EXPECT_EQ(read.feature_b, contacts[i].feature_b);
    EXPECT_EQ(read.id, contacts[i].id);
    EXPECT_EQ(read.body_a, contacts[i].body_a);
    EXPECT_EQ(read.body_b, contacts[i].body_b);
    EXPECT_EQ(read.motion, contacts[i].motion);
    EXPECT_EQ(read.distance, contacts[i].distance);
    EXPECT_EQ(read.normal_speed, contacts[i].normal_speed);
    EXPECT_EQ(read.impulse, contacts[i].impulse);
    EXPECT_EQ(read.point_a, contacts[i].point_a);
    EXPECT_EQ(read.point_b, contacts[i].point_b);
    EXPECT_EQ(read.normal, contacts[i].normal);
  }
}

TEST(RecordingRigid, WhatAReaderWouldRefuseIsNotWritten) {
  RecordingWriter writer(RecordingMeta{}, PositionEncoding::f64);
  const FrameBodyView good = body_at(pose(0, {0, 0, 0}));
  RecordedContact contact{.id = 1, .body_a = 4, .body_b = 4};
  const auto write = [&] { writer.write_frame(0, {&good, 1}, {&contact, 1}, {}); };
  write();
  contact.body_b = 5;
  EXPECT_THROW(write(), Error);
  contact.body_b = 4;
  contact.impulse = INFINITY;
  EXPECT_THROW(write(), Error);
  contact.impulse = 0;
  contact.motion = static_cast<ContactMotion>(3);
  EXPECT_THROW(write(), Error);
  Isometry3d nowhere = Isometry3d::Identity();
  nowhere.translation().x() = INFINITY;
  const FrameBodyView lost = body_at(nowhere);
  EXPECT_THROW(writer.write_frame(0, {&lost, 1}, {}, {}), Error);
  EXPECT_EQ(reread(writer).frame_count(), 1U);
}

}  // namespace
}  // namespace carom::test
