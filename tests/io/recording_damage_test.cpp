#include <gtest/gtest.h>

#include <limits>

#include "carom/io/recording.hpp"
#include "io/recording/chunk.hpp"
#include "io/recording/shuffle.hpp"
#include "sample_recording.hpp"
#include "temp_folder.hpp"

namespace carom::test {
namespace {

using namespace io;
using Bytes = std::vector<std::uint8_t>;

/// Every frame is either what was written or refused by an Error; returns how many could be read.
std::size_t readable_frames(const RecordingReader& reader, const std::vector<SampleFrame>& written) {
  std::size_t readable = 0;
  EXPECT_LE(reader.frame_count(), written.size());
  for (std::uint32_t i = 0; i < reader.frame_count(); ++i) {
    try {
      EXPECT_TRUE(same(reader.read_frame(i), written[i])) << "frame " << i;
      ++readable;
    } catch (const Error&) {
    }
    try {
      reader.read_stages(i);
    } catch (const Error&) {
    }
  }
  return readable;
}

/// Where each frame ends: the offsets stand at the end of the file, in the index.
std::vector<std::uint64_t> frame_ends(const Bytes& bytes, std::size_t frames) {
  std::vector<std::uint64_t> ends;
  for (std::size_t i = 0; i < frames; ++i) {
    const auto offset = load_little<std::uint64_t>(bytes.data() + bytes.size() - 8 * (frames - i));
    ends.push_back(offset + 32 + load_little<std::uint64_t>(bytes.data() + offset + 8));
  }
  return ends;
}

TEST(RecordingDamage, CutAnywhereItKeepsTheFramesBefore) {
  const Bytes whole = sample_bytes();
  const auto written = sample_frames();
  const auto ends = frame_ends(whole, written.size());
  const std::uint64_t meta_end = 16 + 32 + load_little<std::uint64_t>(whole.data() + 24);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    if (size < meta_end) {
      EXPECT_THROW(RecordingReader{cut}, Error) << size;
      continue;
    }
    const RecordingReader reader(cut);
    EXPECT_FALSE(reader.damage().empty()) << size;
    const auto expected = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), size) - ends.begin());
    EXPECT_EQ(readable_frames(reader, written), expected) << size;
  }
}

TEST(RecordingDamage, SaysWhereItEnds) {
  const Bytes whole = sample_bytes();
  const auto ends = frame_ends(whole, 6);
  const auto damage_at = [&](std::uint64_t size) {
    return RecordingReader(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))).damage();
  };
  EXPECT_EQ(damage_at(ends[3] - 1),
            "ends inside frame 3 at offset " + std::to_string(ends[3] - 1) + " (the run was interrupted)");
  EXPECT_EQ(damage_at(ends[3]), "ends after 4 frames at offset " + std::to_string(ends[3]) +
                                    ", without an index (the run was interrupted)");
  EXPECT_EQ(damage_at(whole.size() - 1),
            "ends inside its index at offset " + std::to_string(whole.size() - 1) + "; all frames are there");
}

TEST(RecordingDamage, AnyByteFlippedIsNoticedOrHarmless) {
  const Bytes whole = sample_bytes();
  const auto written = sample_frames();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const std::uint8_t mask : {std::uint8_t{1}, std::uint8_t{0x80}, std::uint8_t{0xff}}) {
      Bytes flipped = whole;
      flipped[i] = static_cast<std::uint8_t>(flipped[i] ^ mask);
      try {
        const RecordingReader reader(flipped);
        readable_frames(reader, written);
      } catch (const Error&) {
      }
    }
  }
}

TEST(RecordingDamage, ADamagedFrameIsNamedAndTheOthersCanBeRead) {
  Bytes bytes = sample_bytes();
  const auto ends = frame_ends(bytes, 6);
  bytes[ends[4] - 1] ^= 1;
  const RecordingReader reader(bytes, "run.carom");
  EXPECT_EQ(reader.frame_count(), 6u);
  const auto offset = load_little<std::uint64_t>(bytes.data() + bytes.size() - 16);
  expect_error(ErrorCode::bad_format, {"run.carom", "frame 4", "offset " + std::to_string(offset), "damaged"},
               [&] { reader.read_frame(4); });
  EXPECT_EQ(readable_frames(reader, sample_frames()), 5u);
}

TEST(RecordingDamage, ADamagedHeaderInTheMiddleIsBridgedByTheIndex) {
  Bytes bytes = sample_bytes();
  const auto ends = frame_ends(bytes, 6);
  bytes[ends[1] + 3] ^= 1;  // the header of the statistics of frame 2
  const RecordingReader reader(bytes);
  EXPECT_EQ(readable_frames(reader, sample_frames()), 6u);
  expect_error(ErrorCode::bad_format, {"statistics of frame 2", std::to_string(ends[1])},
               [&] { reader.read_stages(2); });
}

TEST(RecordingDamage, GarbageAtTheEndIsReported) {
  for (const std::size_t count : {1u, 8u, 31u, 32u, 1000u}) {
    Bytes bytes = sample_bytes();
    const std::size_t end = bytes.size();
    bytes.resize(end + count, 0xab);
    const RecordingReader reader(bytes);
    EXPECT_EQ(reader.damage(), std::to_string(count) + " bytes that do not belong to it follow its end at offset " +
                                   std::to_string(end));
    EXPECT_EQ(readable_frames(reader, sample_frames()), 6u);
  }
}

TEST(RecordingDamage, WhatIsNotARecordingIsRefused) {
  const auto refuse = [](std::string_view text, ErrorCode code) {
    expect_error(code, {"x.carom"}, [&] { RecordingReader(Bytes(text.begin(), text.end()), "x.carom"); });
  };
  refuse("", ErrorCode::bad_format);
  refuse("CAROM", ErrorCode::truncated);
  refuse("solid cube and some more text", ErrorCode::bad_format);
  refuse(std::string_view("CAROMREC\3\0\0\0\0\0\0\0", 16), ErrorCode::unsupported);
  refuse(std::string_view("CAROMREC\0\0\0\0\0\0\0\0", 16), ErrorCode::unsupported);
}

/// Recordings whose checksums are right and whose content is not.
class Forged : public testing::Test {
 protected:
  Forged() {
    out.put(recording_magic);
    out.put(recording_version);
    out.put(std::uint32_t{0});
    put_json(meta_tag, R"({"carom":"0","scene":"","dt":0.1,"gravity":[0,0,0],"contact_distance":0})");
  }

  void put_json(Tag tag, std::string_view text) {
    append_chunk(out, tag, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, Compress::no);
  }
  ByteWriter frame_head(std::uint32_t number, std::uint32_t bodies, double time = 0) {
    ByteWriter frame;
    frame.put(number);
    frame.put(time);
    frame.put(bodies);
    return frame;
  }
  static void put_entry(ByteWriter& frame, const std::array<std::uint32_t, 5>& numbers) {
    for (const std::uint32_t number : numbers) frame.put(number);
  }
  static void put_topology(ByteWriter& frame, std::span<const std::uint32_t> corners) {
    frame.put(std::uint8_t{0});
    frame.put(std::uint32_t{1});
    frame.put(std::string_view("b"));
    for (const std::uint32_t corner : corners) frame.put(corner);
  }
  static void put_positions(ByteWriter& frame, std::span<const double> values) {
    frame.put(std::uint8_t{0});
    std::uint8_t* planes = frame.extend(8 * values.size());
    for (std::size_t i = 0; i < values.size(); ++i) put_shuffled(values[i], i, values.size(), planes);
  }
  static void put_contact_counts(ByteWriter& frame, std::uint32_t held, std::uint32_t runs) {
    frame.put(held);
    frame.put(runs);
  }
  /// Contact of body 4 with itself: a vertex and the triangle of that number.
  static void put_contact(ByteWriter& frame, std::uint32_t triangle) {
    frame.put(std::uint64_t{1});
    for (const std::uint32_t body : {4U, 4U}) frame.put(body);
    frame.put(std::uint8_t{1});  // resting
    for (const auto& [kind, index] : {std::pair{1U, 0U}, std::pair{3U, triangle}}) {
      frame.put(static_cast<std::uint8_t>(kind));
      frame.put(index);
      frame.put(0xffffffffU);
    }
    for (int i = 0; i < 3; ++i) frame.put(0.0);
    for (int i = 0; i < 9; ++i) frame.put(0.f);
  }
  /// Frame 0 with body 4 and this contact, or without.
  void put_frame_with_contact(std::uint32_t triangle) {
    ByteWriter frame = frame_head(0, 1);
    put_entry(frame, {4, 0, 0, 3, 1});
    put_topology(frame, std::array<std::uint32_t, 3>{0, 1, 2});
    put_positions(frame, std::array<double, 9>{});
    put_contact_counts(frame, 1, 1);
    for (const std::uint32_t number : {0U, 0U, 1U}) frame.put(number);
    put_contact(frame, triangle);
    put_frame(frame);
  }
  /// Frame 1, which has nothing of its own: contacts `first` to `first + count` of frame `held`, twice if asked for.
  void put_referring_frame(std::uint32_t held, std::uint32_t first, std::uint32_t count, int times = 1) {
    ByteWriter frame = frame_head(1, 1);
    put_entry(frame, {4, 0, 0, 3, 1});
    put_contact_counts(frame, 0, static_cast<std::uint32_t>(times));
    for (const std::uint32_t number : {held, first, count}) {
      for (int i = 0; i < times; ++i) frame.put(number);
    }
    put_frame(frame);
  }
  void put_frame(const ByteWriter& frame, Compress compress = Compress::no) {
    append_chunk(out, frame_tag, frame.bytes(), compress);
  }
  RecordingReader reader() const { return RecordingReader(Bytes(out.bytes().begin(), out.bytes().end()), "forged"); }

  void refuse(std::uint32_t frame, ErrorCode code, std::vector<std::string> parts) {
    parts.push_back("forged");
    parts.push_back("frame " + std::to_string(frame));
    const RecordingReader opened = reader();
    expect_error(code, parts, [&] { opened.read_frame(frame); });
  }

  /// Frame 0 with body 4: three vertices, one triangle.
  void put_good_frame() {
    ByteWriter frame = frame_head(0, 1);
    put_entry(frame, {4, 0, 0, 3, 1});
    put_topology(frame, std::array<std::uint32_t, 3>{0, 1, 2});
    put_positions(frame, std::array<double, 9>{});
    put_contact_counts(frame, 0, 0);
    put_frame(frame);
  }

  ByteWriter out;
};

TEST_F(Forged, TheGoodFrameIsGood) {
  put_good_frame();
  EXPECT_EQ(reader().read_frame(0).bodies.at(0).triangles.at(0), (Triangle{0, 1, 2}));
  expect_error(ErrorCode::bad_format, {"frame 0", "no statistics"}, [&] { reader().read_stages(0); });
}
TEST_F(Forged, FrameNumber) {
  put_frame(frame_head(1, 0));
  refuse(0, ErrorCode::bad_format, {"its number is 1"});
}
TEST_F(Forged, Time) {
  put_frame(frame_head(0, 0, std::numeric_limits<double>::quiet_NaN()));
  refuse(0, ErrorCode::not_finite, {"time"});
}
TEST_F(Forged, NumberOfBodies) {
  put_frame(frame_head(0, 0xffffffff));
  refuse(0, ErrorCode::truncated, {"4294967295 bodies"});
}
TEST_F(Forged, NumberOfTriangles) {
  ByteWriter frame = frame_head(0, 1);
  put_entry(frame, {4, 0, 0, 3, 0x7fffffff});
  put_topology(frame, {});
  put_frame(frame);
  refuse(0, ErrorCode::truncated, {"triangles"});
}
TEST_F(Forged, NumberOfVertices) {
  ByteWriter frame = frame_head(0, 1);
  put_entry(frame, {4, 0, 0, 0x7fffffff, 0});
  put_topology(frame, {});
  put_positions(frame, {});
  put_frame(frame);
  refuse(0, ErrorCode::truncated, {"positions"});
}
TEST_F(Forged, NumberOfVerticesBeyondAnIndex) {
  ByteWriter frame = frame_head(0, 1);
  put_entry(frame, {4, 0, 0, 0x80000000, 0});
  put_frame(frame);
  refuse(0, ErrorCode::bad_format, {"2147483648 vertices"});
}
TEST_F(Forged, NumberOfContacts) {
  ByteWriter frame = frame_head(0, 0);
  put_contact_counts(frame, 0xffffffff, 0xffffffff);
  put_frame(frame);
  refuse(0, ErrorCode::truncated, {"contacts"});
}
TEST_F(Forged, BytesTooMany) {
  ByteWriter frame = frame_head(0, 0);
  put_contact_counts(frame, 0, 0);
  frame.put(std::uint8_t{0});
  put_frame(frame);
  refuse(0, ErrorCode::bad_format, {"1 bytes too many"});
}
TEST_F(Forged, CornerOutOfRange) {
  ByteWriter frame = frame_head(0, 1);
  put_entry(frame, {4, 0, 0, 3, 1});
  put_topology(frame, std::array<std::uint32_t, 3>{0, 1, 3});
  put_positions(frame, std::array<double, 9>{});
  put_contact_counts(frame, 0, 0);
  put_frame(frame);
  refuse(0, ErrorCode::bad_index, {"body 4", "triangle 0", "vertex 3"});
}
TEST_F(Forged, PositionNotFinite) {
  ByteWriter frame = frame_head(0, 1);
  put_entry(frame, {4, 0, 0, 1, 0});
  put_topology(frame, {});
  put_positions(frame, std::array<double, 3>{0, std::numeric_limits<double>::infinity(), 0});
  put_contact_counts(frame, 0, 0);
  put_frame(frame);
  refuse(0, ErrorCode::not_finite, {"body 4", "vertex 0"});
}
TEST_F(Forged, KindUnknown) {
  ByteWriter frame = frame_head(0, 1);
  put_entry(frame, {4, 0, 0, 0, 0});
  frame.put(std::uint8_t{4});
  put_frame(frame);
  refuse(0, ErrorCode::bad_format, {"kind 4"});
}
TEST_F(Forged, EncodingUnknown) {
  ByteWriter frame = frame_head(0, 1);
  put_entry(frame, {4, 0, 0, 0, 0});
  put_topology(frame, {});
  frame.put(std::uint8_t{200});
  put_frame(frame);
  refuse(0, ErrorCode::bad_format, {"encoding 200"});
}
TEST_F(Forged, BodiesNotAscending) {
  ByteWriter frame = frame_head(0, 2);
  for (int i = 0; i < 2; ++i) {
    put_entry(frame, {4, 0, 0, 0, 0});
    put_topology(frame, {});
    put_positions(frame, {});
  }
  put_contact_counts(frame, 0, 0);
  put_frame(frame);
  refuse(0, ErrorCode::bad_format, {"ascending", "body 4"});
}
TEST_F(Forged, ReferenceForward) {
  ByteWriter frame = frame_head(0, 1);
  put_entry(frame, {4, 1, 0, 0, 0});
  put_frame(frame);
  refuse(0, ErrorCode::bad_format, {"forward"});
}

/// Frame 1 refers to frame 0 with these five numbers.
class ForgedReference : public Forged {
 protected:
  void put_reference(const std::array<std::uint32_t, 5>& numbers) {
    put_good_frame();
    ByteWriter frame = frame_head(1, 1);
    put_entry(frame, numbers);
    put_contact_counts(frame, 0, 0);
    put_frame(frame);
  }
};
TEST_F(ForgedReference, Good) {
  put_reference({4, 0, 0, 3, 1});
  EXPECT_EQ(reader().read_frame(1).bodies.at(0).name, "b");
}
TEST_F(ForgedReference, ToABodyThatIsNotThere) {
  put_reference({5, 0, 0, 3, 1});
  refuse(1, ErrorCode::bad_format, {"body 5", "frame 0"});
}
TEST_F(ForgedReference, WithMoreVertices) {
  put_reference({4, 0, 0, 1000000, 1});
  refuse(1, ErrorCode::bad_format, {"1000000 vertices"});
}
TEST_F(ForgedReference, WithMoreTriangles) {
  put_reference({4, 0, 0, 3, 1000000});
  refuse(1, ErrorCode::bad_format, {"body 4"});
}
TEST_F(ForgedReference, ToAFrameThatOnlyRefersItself) {
  put_reference({4, 0, 0, 3, 1});
  ByteWriter frame = frame_head(2, 1);
  put_entry(frame, {4, 1, 0, 3, 1});
  put_contact_counts(frame, 0, 0);
  put_frame(frame);
  refuse(2, ErrorCode::bad_format, {"refers to frame 1"});
}

TEST_F(Forged, ContactFeatureOutOfRange) {
  put_frame_with_contact(1);
  refuse(0, ErrorCode::bad_index, {"contact 0"});
}
TEST_F(Forged, ContactsOfAnEarlierFrame) {
  put_frame_with_contact(0);
  put_referring_frame(0, 0, 1);
  EXPECT_EQ(reader().read_frame(1).contacts.size(), 1U);
}
TEST_F(Forged, ContactsOfALaterFrame) {
  put_frame_with_contact(0);
  put_referring_frame(2, 0, 1);
  refuse(1, ErrorCode::bad_format, {"forward, to frame 2"});
}
TEST_F(Forged, ContactsThatAnEarlierFrameDoesNotHold) {
  put_frame_with_contact(0);
  put_referring_frame(0, 0xffffffff, 2);
  refuse(1, ErrorCode::bad_format, {"frame 0, which holds 1"});
}
/// A few bytes would stand for any number of contacts.
TEST_F(Forged, ContactsOfAnEarlierFrameTwice) {
  put_frame_with_contact(0);
  put_referring_frame(0, 0, 1, 2);
  refuse(1, ErrorCode::bad_format, {"frame 0, which holds 1"});
}
TEST_F(Forged, CompressedSizeThatCannotBe) {
  ByteWriter zeros;
  zeros.extend(100000);
  const std::size_t start = out.bytes().size();
  put_frame(zeros, Compress::yes);
  // A raw size of 2^60 with a header checksum to match.
  Bytes header(out.bytes().begin() + static_cast<std::ptrdiff_t>(start),
               out.bytes().begin() + static_cast<std::ptrdiff_t>(start + 28));
  store_little(std::uint64_t{1} << 60, header.data() + 16);
  ByteWriter scratch;  // the checksum of a payload is that of the same bytes as a header
  append_chunk(scratch, frame_tag, header, Compress::no);
  header.resize(32);
  std::copy_n(scratch.bytes().begin() + 24, 4, header.begin() + 28);
  out.overwrite(start, header);
  refuse(0, ErrorCode::bad_format, {"cannot hold"});
}
TEST_F(Forged, UnknownChunksAreSkipped) {
  put_json({'N', 'E', 'W', '!'}, "whatever");
  put_json(stat_tag, R"({"frame":0,"time":0,"stages":[]})");
  put_json({'N', 'E', 'W', '!'}, "whatever");
  put_good_frame();
  EXPECT_EQ(reader().frame_count(), 1u);
  EXPECT_TRUE(reader().read_stages(0).empty());
}
TEST_F(Forged, StatisticsThatAreNotJson) {
  put_json(stat_tag, R"({"frame":0,)");
  put_good_frame();
  expect_error(ErrorCode::bad_format, {"forged", "statistics of frame 0", "not JSON"},
               [&] { reader().read_stages(0); });
}
TEST_F(Forged, StatisticsWithANumberThatIsTooLarge) {  // found by fuzz_recording
  put_json(stat_tag, R"({"frame":0,"time":1e6150,"stages":[]})");
  put_good_frame();
  expect_error(ErrorCode::bad_format, {"statistics of frame 0", "too large"}, [&] { reader().read_stages(0); });
}
TEST_F(Forged, StatisticsWithoutAField) {
  put_json(stat_tag, R"({"frame":0,"stages":[{"name":"mid","in":1,"out":-4}]})");
  put_good_frame();
  expect_error(ErrorCode::bad_format, {"\"out\" is not a count"}, [&] { reader().read_stages(0); });
}

}  // namespace
}  // namespace carom::test
