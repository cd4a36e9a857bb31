#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/io/recording.hpp"

namespace carom::test {

/// What is handed to a writer, kept to compare with what a reader gives back.
struct SampleFrame {
  double time = 0;
  std::vector<RecordedBody> bodies;
  std::vector<RecordedContact> contacts;
  PipelineStats stats;
};

RecordingMeta sample_meta();

/// Six frames: a body that never moves, one that moves in every frame, one that is added in
/// frame 2 and gone in frame 4, one that is cut in frame 3, contacts of both kinds.
std::vector<SampleFrame> sample_frames();

void write_frames(RecordingWriter& writer, const std::vector<SampleFrame>& frames);

/// The sample, closed, in memory.
std::vector<std::uint8_t> sample_bytes(PositionEncoding encoding = PositionEncoding::f64);

/// Bit for bit.
bool same(const RecordedFrame& read, const SampleFrame& written);

}  // namespace carom::test
