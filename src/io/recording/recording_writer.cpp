#include <optional>
#include <utility>

#include "carom/core/version.hpp"
#include "carom/io/recording.hpp"
#include "core/check.hpp"
#include "io/file_writer.hpp"
#include "io/recording/chunk.hpp"
#include "io/recording/cut_chunk.hpp"
#include "io/recording/frame_encoder.hpp"
#include "io/recording/recording_json.hpp"

namespace carom {

using namespace io;

namespace {

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Bytes before the first frame.
ByteWriter opening(RecordingMeta meta) {
  meta.carom_version = version();
  ByteWriter out;
  out.put(recording_magic);
  out.put(recording_version);
  out.put(std::uint32_t{0});
  append_chunk(out, meta_tag, bytes_of(encode_meta(meta)), Compress::no);
  return out;
}

/// Levels of cloth and spheres of the tree; nothing where there are none.
ByteWriter encode_details(std::span<const FrameBodyView> bodies, std::span<const BoundingSphere> spheres) {
  ByteWriter out;
  std::uint32_t count = 0;
  for (const FrameBodyView& body : bodies) count += body.levels.empty() ? 0 : 1;
  if (count == 0 && spheres.empty()) return out;
  out.put(count);
  for (const FrameBodyView& body : bodies) {
    if (body.levels.empty()) continue;
    require(body.levels.size() == body.positions.size(), ErrorCode::invalid_argument,
            "recording, body {} \"{}\": {} levels, but {} vertices", body.body, body.name, body.levels.size(),
            body.positions.size());
    out.put(body.body);
    out.put(static_cast<std::uint32_t>(body.levels.size()));
    out.put_items(body.levels);
  }
  out.put(static_cast<std::uint32_t>(spheres.size()));
  for (const BoundingSphere& sphere : spheres) {
    for (const double value : {sphere.center.x(), sphere.center.y(), sphere.center.z(), sphere.radius})
      out.put(static_cast<float>(value));
  }
  return out;
}

}  // namespace

struct RecordingWriter::Impl {
  /// `pending` comes first: a description that is refused must not cost the file of an earlier run.
  Impl(const RecordingMeta& meta, const std::filesystem::path* path, PositionEncoding encoding)
      : pending(opening(meta)), encoder(encoding) {
    if (path != nullptr) file.emplace(*path);
    flush();
  }

  /// Hands the pending chunks over: all of them or, if that fails, none.
  void flush() {
    if (file) {
      file->append(pending.bytes());
    } else {
      memory.put(pending.bytes());
    }
    size += pending.bytes().size();
    pending.clear();
  }

  std::optional<FileWriter> file;  ///< none: into memory
  ByteWriter memory;
  std::uint64_t size = 0;
  ByteWriter pending;
  FrameEncoder encoder;
  std::vector<std::uint64_t> frame_offsets;
  bool closed = false;
};

RecordingWriter::RecordingWriter(const std::filesystem::path& path, const RecordingMeta& meta,
                                 PositionEncoding encoding)
    : impl_(std::make_unique<Impl>(meta, &path, encoding)) {}

RecordingWriter::RecordingWriter(const RecordingMeta& meta, PositionEncoding encoding)
    : impl_(std::make_unique<Impl>(meta, nullptr, encoding)) {}

RecordingWriter::~RecordingWriter() {
  if (!impl_) return;
  try {
    close();
  } catch (...) {
    // The frames are in the file all the same; only the index is missing.
  }
}

RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;

RecordingWriter& RecordingWriter::operator=(RecordingWriter&& other) noexcept {
  RecordingWriter old(std::move(*this));  // closes what was being written here
  impl_ = std::move(other.impl_);
  return *this;
}

void RecordingWriter::write_frame(double time, std::span<const FrameBodyView> bodies,
                                  std::span<const RecordedContact> contacts, const PipelineStats& stats,
                                  std::span<const BoundingSphere> spheres, std::span<const RecordedCut> cuts) {
  require(!impl_->closed, ErrorCode::invalid_argument, "recording: a frame was written after close()");
  const std::uint32_t frame = frame_count();
  const auto payload = impl_->encoder.encode(frame, time, bodies, contacts);
  ByteWriter& pending = impl_->pending;
  pending.clear();
  const ByteWriter details = encode_details(bodies, spheres);
  if (!details.bytes().empty()) append_chunk(pending, detail_tag, details.bytes(), Compress::yes);
  std::vector<FrameBodyView> changed;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (impl_->encoder.holds_topology(i)) changed.push_back(bodies[i]);
  const ByteWriter cut = encode_cuts(changed, cuts, fmt::format("recording, frame {}", frame));
  if (!cut.bytes().empty()) append_chunk(pending, cuts_tag, cut.bytes(), Compress::yes);
  append_chunk(pending, stat_tag, bytes_of(encode_stat(frame, time, stats)), Compress::yes);
  const std::uint64_t offset = impl_->size + pending.bytes().size();
  append_chunk(pending, frame_tag, payload, Compress::yes);
  impl_->flush();
  impl_->frame_offsets.push_back(offset);
  impl_->encoder.commit(bodies);
}

std::uint32_t RecordingWriter::frame_count() const {
  return static_cast<std::uint32_t>(impl_->frame_offsets.size());
}

void RecordingWriter::close() {
  if (impl_->closed) return;
  impl_->closed = true;
  ByteWriter index;
  index.put(std::uint64_t{impl_->frame_offsets.size()});
  for (const std::uint64_t offset : impl_->frame_offsets) index.put(offset);
  impl_->pending.clear();
  append_chunk(impl_->pending, index_tag, index.bytes(), Compress::no);
  impl_->flush();
  if (impl_->file) impl_->file->close();
}

std::span<const std::uint8_t> RecordingWriter::bytes() const {
  return impl_->memory.bytes();
}

}  // namespace carom
