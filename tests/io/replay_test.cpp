#include "carom/io/replay.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "io/byte_writer.hpp"
#include "temp_folder.hpp"

namespace carom::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A replay file, field by field.
struct Fields {
  std::int32_t magic = 0x4c505243;
  std::int32_t vertices = 3;
  std::int32_t triangles = 1;
  std::int32_t frames = 2;
  std::vector<std::int32_t> objects{7};
  std::vector<std::int32_t> corners{0, 1, 2};
  std::vector<double> positions{0, -0.0, 5e-324, 1, 0, 0, 0, 1, 0, 0.1, 0.2, 0.3, 1, 0, 0, 0, 1, 1e308};

  Bytes bytes() const {
    io::ByteWriter out;
    for (const std::int32_t value : {magic, vertices, triangles, frames}) out.put(value);
    out.put_items(std::span<const std::int32_t>(objects));
    out.put_items(std::span<const std::int32_t>(corners));
    out.put_items(std::span<const double>(positions));
    return {out.bytes().begin(), out.bytes().end()};
  }
  void refuse(ErrorCode code, std::vector<std::string> parts) const {
    parts.push_back("x.replay");
    expect_error(code, parts, [&] { ReplayReader(bytes(), "x.replay"); });
  }
};

TEST(Replay, ReadsWhatTheFormatSays) {
  const ReplayReader reader(Fields{}.bytes());
  EXPECT_EQ(reader.vertex_count(), 3u);
  EXPECT_EQ(reader.frame_count(), 2u);
  ASSERT_EQ(reader.triangles().size(), 1u);
  EXPECT_EQ(reader.triangles()[0], (Triangle{0, 1, 2}));
  EXPECT_EQ(reader.object_of_triangle()[0], 7);
  std::vector<Eigen::Vector3d> positions;
  reader.read_frame(1, positions);
  ASSERT_EQ(positions.size(), 3u);
  EXPECT_EQ(positions[0], Eigen::Vector3d(0.1, 0.2, 0.3));
  EXPECT_EQ(positions[2], Eigen::Vector3d(0, 1, 1e308));
  reader.read_frame(0, positions);
  EXPECT_TRUE(std::signbit(positions[0].y()));
  EXPECT_EQ(positions[0].z(), 5e-324);
}

TEST(Replay, WrongMagic) {
  Fields fields;
  fields.magic = 1;
  fields.refuse(ErrorCode::bad_format, {"CRPL"});
}
TEST(Replay, NegativeCounts) {
  Fields vertices, triangles, frames;
  vertices.vertices = -1;
  vertices.refuse(ErrorCode::bad_format, {"vertices", "-1", "offset 4"});
  triangles.triangles = -2;
  triangles.refuse(ErrorCode::bad_format, {"triangles", "-2", "offset 8"});
  frames.frames = std::numeric_limits<std::int32_t>::min();
  frames.refuse(ErrorCode::bad_format, {"frames", "offset 12"});
}
TEST(Replay, AbsurdCounts) {
  Fields fields;
  fields.vertices = fields.triangles = fields.frames = std::numeric_limits<std::int32_t>::max();
  fields.refuse(ErrorCode::bad_format, {"2147483647 frames"});
  fields.frames = 1;
  fields.refuse(ErrorCode::truncated, {"ends at offset"});
}
TEST(Replay, FramesOfNothing) {
  Fields fields;
  fields = {fields.magic, 0, 0, 5, {}, {}, {}};
  fields.refuse(ErrorCode::bad_format, {"5 frames of no vertices"});
}
TEST(Replay, CutAnywhere) {
  const Bytes whole = Fields{}.bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    expect_error(ErrorCode::truncated, {"replay"}, [&] { ReplayReader{cut}; });
  }
  const Bytes cut(whole.begin(), whole.end() - 1);
  expect_error(ErrorCode::truncated, {"offset 175", "176 bytes"}, [&] { ReplayReader{cut}; });
}
TEST(Replay, TooLong) {
  Bytes bytes = Fields{}.bytes();
  bytes.push_back(0);
  expect_error(ErrorCode::bad_format, {"1 bytes too many", "offset 176"}, [&] { ReplayReader{bytes}; });
}
TEST(Replay, CornerOutOfRange) {
  Fields fields;
  fields.corners[1] = 3;
  fields.refuse(ErrorCode::bad_index, {"triangle 0", "vertex 3"});
  fields.corners[1] = -1;
  fields.refuse(ErrorCode::bad_index, {"triangle 0", "vertex -1"});
}
TEST(Replay, ObjectsMayHaveAnyNumber) {
  Fields fields;
  fields.objects[0] = -1;
  EXPECT_EQ(ReplayReader(fields.bytes()).object_of_triangle()[0], -1);
}
TEST(Replay, NotFinite) {
  Fields fields;
  fields.positions[9 + 4] = nan;
  const ReplayReader reader(fields.bytes(), "x.replay");
  std::vector<Eigen::Vector3d> positions;
  reader.read_frame(0, positions);
  expect_error(ErrorCode::not_finite, {"x.replay", "frame 1", "vertex 1"}, [&] { reader.read_frame(1, positions); });
}
TEST(Replay, NoSuchFrame) {
  const ReplayReader reader(Fields{}.bytes(), "x.replay");
  std::vector<Eigen::Vector3d> positions;
  expect_error(ErrorCode::bad_index, {"x.replay", "no frame 2"}, [&] { reader.read_frame(2, positions); });
}
TEST(Replay, NoFramesIsLegal) {
  Fields fields;
  fields.frames = 0;
  fields.positions.clear();
  EXPECT_EQ(ReplayReader(fields.bytes()).frame_count(), 0u);
}
TEST(Replay, AVertexOfTwoObjectsIsLegal) {
  Fields fields;
  fields.triangles = 2;
  fields.objects = {0, 1};
  fields.corners = {0, 1, 2, 0, 2, 1};
  EXPECT_EQ(ReplayReader(fields.bytes()).triangles().size(), 2u);
}

const std::vector<Triangle> triangles{{0, 1, 2}};
const std::vector<Index> objects{7};
const std::vector<Eigen::Vector3d> first{{0, -0.0, 5e-324}, {1, 0, 0}, {0, 1, 0}};
const std::vector<Eigen::Vector3d> second{{0.1, 0.2, 0.3}, {1, 0, 0}, {0, 1, 1e308}};

TEST(ReplayWriter, WritesTheBytesOfTheFormat) {
  const TempFolder folder;
  ReplayWriter writer(folder / "a.replay", 3, triangles, objects);
  EXPECT_EQ(ReplayReader(folder / "a.replay").frame_count(), 0u);
  writer.write_frame(first);
  EXPECT_EQ(ReplayReader(folder / "a.replay").frame_count(), 1u);  // whole at any time
  writer.write_frame(second);
  writer.close();
  std::ifstream in(folder / "a.replay", std::ios::binary);
  EXPECT_EQ((Bytes{std::istreambuf_iterator<char>(in), {}}), Fields{}.bytes());
}

TEST(ReplayWriter, RefusesWhatAReaderWould) {
  const TempFolder folder;
  const auto path = folder / "a.replay";
  expect_error(ErrorCode::bad_index, {"a.replay", "triangle 0"}, [&] { ReplayWriter(path, 2, triangles, objects); });
  expect_error(ErrorCode::invalid_argument, {"a.replay"}, [&] { ReplayWriter(path, 3, triangles, {}); });
  EXPECT_FALSE(std::filesystem::exists(path));
  ReplayWriter writer(path, 3, triangles, objects);
  auto positions = first;
  positions[2].x() = nan;
  expect_error(ErrorCode::not_finite, {"frame 0", "vertex 2"}, [&] { writer.write_frame(positions); });
  positions.pop_back();
  expect_error(ErrorCode::invalid_argument, {"2 vertices"}, [&] { writer.write_frame(positions); });
  writer.close();
  expect_error(ErrorCode::invalid_argument, {"close()"}, [&] { writer.write_frame(first); });
  EXPECT_EQ(ReplayReader(path).frame_count(), 0u);
}

TEST(ReplayWriter, ErrorsNameTheFile) {
  expect_error(ErrorCode::io, {"/dev/full", "No space"}, [&] { ReplayWriter("/dev/full", 3, triangles, objects); });
}

}  // namespace
}  // namespace carom::test
