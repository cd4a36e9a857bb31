#include <cstddef>
#include <cstdint>
#include <vector>

#include "carom/core/error.hpp"
#include "carom/io/recording.hpp"
#include "io/recording/chunk.hpp"
#include "io/recording/frame_decoder.hpp"
#include "io/recording/recording_json.hpp"

namespace {

template <class Call>
void expect_clean(Call call) {
  try {
    call();
  } catch (const carom::Error&) {
    // Refusing is right; crashing, hanging and running out of memory are not.
  }
}

void read_all(std::vector<std::uint8_t> bytes) {
  const carom::RecordingReader reader(std::move(bytes));
  for (std::uint32_t i = 0; i < reader.frame_count(); ++i) {
    expect_clean([&] { reader.read_frame(i); });
    expect_clean([&] { reader.read_stages(i); });
    expect_clean([&] { reader.read_cuts(i); });
  }
}

/// The same bytes as the payload of a frame: a fuzzer does not find its way past checksums.
void read_as_frame(std::span<const std::uint8_t> payload, std::uint32_t version) {
  const carom::io::FrameLayout frame = carom::io::parse_frame(payload, 0, version, "fuzz");
  carom::RecordedBody body;
  for (const carom::io::BodyEntry& entry : frame.bodies) {
    decode_topology(frame, entry, body);
    decode_positions(frame, entry, body);
  }
  join_contacts(frame, {{0, decode_held(frame.contacts)}});
}

/// The same bytes as two frames with right checksums, for the references between them.
void read_as_frames(std::span<const std::uint8_t> payload) {
  using namespace carom::io;
  const std::string_view meta = R"({"carom":"","scene":"","dt":0,"gravity":[0,0,0],"contact_distance":0})";
  ByteWriter out;
  out.put(recording_magic);
  out.put(recording_version);
  out.put(std::uint32_t{0});
  append_chunk(out, meta_tag, {reinterpret_cast<const std::uint8_t*>(meta.data()), meta.size()}, Compress::no);
  append_chunk(out, frame_tag, payload.first(payload.size() / 2), Compress::no);
  append_chunk(out, stat_tag, payload, Compress::yes);
  append_chunk(out, frame_tag, payload.subspan(payload.size() / 2), Compress::yes);
  read_all({out.bytes().begin(), out.bytes().end()});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(data, size);
  expect_clean([&] { read_all({data, data + size}); });
  expect_clean([&] { read_as_frame(bytes, 1); });
  expect_clean([&] { read_as_frame(bytes, carom::io::recording_version); });
  expect_clean([&] { read_as_frames(bytes); });
  expect_clean([&] { carom::io::decode_meta(bytes, "fuzz"); });
  expect_clean([&] { carom::io::decode_stat(bytes, 0, "fuzz"); });
  return 0;
}
