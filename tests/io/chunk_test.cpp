#include "io/recording/chunk.hpp"

#include <gtest/gtest.h>

#include <random>

#include "temp_folder.hpp"

namespace carom::test {
namespace {

using namespace io;
using Bytes = std::vector<std::uint8_t>;

/// Stretches of noise and of zeros, so that the writer changes its mind many times.
Bytes mixed(std::size_t size, std::size_t stretch) {
  std::mt19937 random(1);
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    if ((i / stretch) % 2 == 0) bytes[i] = static_cast<std::uint8_t>(random());
  }
  return bytes;
}

struct Stored {
  std::size_t size;
  Bytes payload;
};

Stored through_a_chunk(const Bytes& payload) {
  ByteWriter out;
  append_chunk(out, frame_tag, payload, Compress::yes);
  const FileBytes file(Bytes(out.bytes().begin(), out.bytes().end()), "chunk");
  const ChunkProbe probe = probe_chunk(file, 0);
  EXPECT_EQ(probe.fault, ChunkFault::none);
  EXPECT_EQ(probe.header.end(), file.size());
  return {probe.header.stored_size, read_payload(file, probe.header, "it")};
}

TEST(Chunk, AnyPayloadComesBack) {
  for (const std::size_t size : {0u, 1u, 2u, 63u, 32767u, 32768u, 32769u, 65536u, 300001u}) {
    for (const std::size_t stretch : {1u, 100u, 32768u, 40000u, 70000u, 1000000u}) {
      const Bytes payload = mixed(size, stretch);
      const Stored stored = through_a_chunk(payload);
      EXPECT_EQ(stored.payload, payload) << size << " " << stretch;
      EXPECT_LE(stored.size, size);
    }
  }
}

TEST(Chunk, NoiseIsStoredAndTheRestIsPacked) {
  EXPECT_EQ(through_a_chunk(mixed(200000, 1000000)).size, 200000u);
  EXPECT_LT(through_a_chunk(Bytes(200000)).size, 2000u);
  const Stored half = through_a_chunk(mixed(4 * 32768, 32768));
  EXPECT_LT(half.size, 2 * 32768u + 1000);
}

TEST(Chunk, MoreComesOutThanWasAnnounced) {
  ByteWriter out;
  append_chunk(out, frame_tag, Bytes(1000), Compress::yes);
  const FileBytes file(Bytes(out.bytes().begin(), out.bytes().end()), "chunk");
  ChunkHeader header = probe_chunk(file, 0).header;
  for (const std::uint64_t size : {0u, 999u, 1001u}) {
    header.raw_size = size;
    expect_error(ErrorCode::bad_format, {"chunk", "it (offset 0)"}, [&] { read_payload(file, header, "it"); });
  }
}

}  // namespace
}  // namespace carom::test
