#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "carom/core/error.hpp"
#include "carom/io/recording.hpp"
#include "io/recording/cut_chunk.hpp"
#include "sample_recording.hpp"

// Cuts in recordings.
namespace carom::test {
namespace {

using Eigen::Vector3d;

const std::vector<Vector3d> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
const std::vector<Triangle> triangles{{0, 1, 2}, {2, 1, 3}};
const RecordedCut event{
    .step = 7, .body = 1, .pieces = {2}, .crossed = 12, .separated = 5, .length = 0.25, .area = 0.5};

FrameBodyView body_of(std::uint32_t number, std::span<const std::uint8_t> cut = {}) {
  return {.body = number,
          .name = "b",
          .kind = MotionModel::particles,
          .triangles = triangles,
          .positions = corners,
          .cut_triangles = cut};
}

std::vector<std::uint8_t> bytes_of(RecordingWriter& writer) {
  writer.close();
  return {writer.bytes().begin(), writer.bytes().end()};
}

bool has_chunk_of_cuts(const std::vector<std::uint8_t>& bytes) {
  const std::string_view tag = "CUTS";
  return std::search(bytes.begin(), bytes.end(), tag.begin(), tag.end()) != bytes.end();
}

TEST(RecordingCuts, EventsAreThoseOfTheirFrameAndFacesStay) {
  const std::vector<std::uint8_t> second{0, 1};
  const std::vector<std::uint8_t> both{1, 1};
  RecordingWriter writer(RecordingMeta{}, PositionEncoding::f64);
  writer.write_frame(0, std::vector{body_of(1)}, {}, {});
  writer.write_frame(1, std::vector{body_of(1, second), body_of(2, both)}, {}, {}, {}, std::vector{event});
  writer.write_frame(2, std::vector{body_of(1, second), body_of(2, both)}, {}, {});
  writer.write_frame(3, std::vector{body_of(1, both), body_of(2, both)}, {}, {});  // nothing but the faces is new
  const RecordingReader reader(bytes_of(writer));
  EXPECT_EQ(reader.read_cuts(0), RecordedCuts{});
  EXPECT_EQ(reader.read_cuts(1), (RecordedCuts{{event}, {{1, {1}}, {2, {0, 1}}}}));
  EXPECT_EQ(reader.read_cuts(2), (RecordedCuts{{}, {{1, {1}}, {2, {0, 1}}}}));
  EXPECT_EQ(reader.read_cuts(3), (RecordedCuts{{}, {{1, {0, 1}}, {2, {0, 1}}}}));
  EXPECT_EQ(reader.read_frame(3).bodies.size(), 2U);
  EXPECT_NO_THROW(reader.read_stages(1));
}

TEST(RecordingCuts, WithoutCutsNothingIsWritten) {
  const std::vector<std::uint8_t> bytes = sample_bytes();
  EXPECT_FALSE(has_chunk_of_cuts(bytes));
  const RecordingReader reader(bytes);
  for (std::uint32_t i = 0; i < reader.frame_count(); ++i) EXPECT_EQ(reader.read_cuts(i), RecordedCuts{});
  const std::vector<std::uint8_t> zeros{0, 0};
  RecordingWriter writer(RecordingMeta{}, PositionEncoding::f64);
  writer.write_frame(0, std::vector{body_of(1, zeros)}, {}, {});
  EXPECT_FALSE(has_chunk_of_cuts(bytes_of(writer)));
}

TEST(RecordingCuts, FramesBesideThemAreTheSame) {
  RecordingWriter writer(RecordingMeta{}, PositionEncoding::f64);
  writer.write_frame(0, std::vector{body_of(1)}, {}, {}, {}, std::vector{event});
  const std::vector<std::uint8_t> with = bytes_of(writer);
  EXPECT_TRUE(has_chunk_of_cuts(with));
  const RecordedFrame frame = RecordingReader(with).read_frame(0);
  EXPECT_EQ(frame.bodies[0].triangles, triangles);
  EXPECT_EQ(frame.bodies[0].positions, corners);
}

TEST(RecordingCuts, RefusesWhatNobodyCouldRead) {
  const std::vector<std::uint8_t> three{1, 1, 1};
  RecordingWriter writer(RecordingMeta{}, PositionEncoding::f64);
  EXPECT_THROW(writer.write_frame(0, std::vector{body_of(1, three)}, {}, {}), Error);
  RecordedCut endless = event;
  endless.area = INFINITY;
  EXPECT_THROW(writer.write_frame(0, std::vector{body_of(1)}, {}, {}, {}, std::vector{endless}), Error);
  EXPECT_EQ(writer.frame_count(), 0U);
}

TEST(RecordingCuts, RefusesPayloadsThatAreNotWhole) {
  const std::vector<std::uint8_t> both{1, 1};
  const std::vector<FrameBodyView> bodies{body_of(1, both)};
  const io::ByteWriter whole = io::encode_cuts(bodies, std::vector{event}, "w");
  const std::span<const std::uint8_t> bytes = whole.bytes();
  EXPECT_EQ(io::decode_cuts(bytes, "w"), (RecordedCuts{{event}, {{1, {0, 1}}}}));
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_THROW(io::decode_cuts(bytes.first(n), "w"), Error) << n;
  std::vector<std::uint8_t> changed(bytes.begin(), bytes.end());
  changed.push_back(0);
  EXPECT_THROW(io::decode_cuts(changed, "w"), Error) << "a byte too many";
  changed.pop_back();
  changed[changed.size() - 8] = 1;
  EXPECT_THROW(io::decode_cuts(changed, "w"), Error) << "not ascending";
}

}  // namespace
}  // namespace carom::test
