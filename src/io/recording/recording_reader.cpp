#include <map>
#include <utility>

#include "carom/io/recording.hpp"
#include "core/check.hpp"
#include "io/frame_check.hpp"
#include "io/recording/chunk_list.hpp"
#include "io/recording/cut_chunk.hpp"
#include "io/recording/frame_decoder.hpp"
#include "io/recording/recording_json.hpp"

namespace carom {

using namespace io;

namespace {

/// JSON chunks have a limit of their own, see recording_json.hpp.
std::vector<std::uint8_t> read_json(const FileBytes& file, const ChunkHeader& chunk, std::uint64_t limit,
                                    const std::string& what) {
  require(chunk.raw_size <= limit, ErrorCode::bad_format, "{}: {} (offset {}) has {} bytes; {} is the limit",
          file.name(), what, chunk.offset, chunk.raw_size, limit);
  return read_payload(file, chunk, what);
}

/// A frame taken apart, with the bytes that it points into.
struct LoadedFrame {
  std::vector<std::uint8_t> payload;
  FrameLayout layout;
};

/// Bodies of one frame that another one holds.
struct Wanted {
  std::vector<std::size_t> topology;   ///< positions in the list of bodies
  std::vector<std::size_t> positions;  ///< the same
};

}  // namespace

struct RecordingReader::Impl {
  explicit Impl(FileBytes from) : file(std::move(from)), chunks(list_chunks(file)) {
    const auto text = read_json(file, chunks.meta, max_meta_size, "description");
    meta = decode_meta(text, fmt::format("{}: description (offset {})", file.name(), chunks.meta.offset));
  }

  void check(std::uint32_t frame) const {
    require(frame < chunks.frames.size(), ErrorCode::bad_index, "{}: there is no frame {}; the recording has {}",
            file.name(), frame, chunks.frames.size());
  }

  ChunkHeader frame_chunk(std::uint32_t frame) const {
    const std::uint64_t offset = chunks.frames[frame];
    const ChunkProbe probe = probe_chunk(file, offset);
    require(probe.fault != ChunkFault::cut_short, ErrorCode::truncated, "{}: ends inside frame {} (offset {})",
            file.name(), frame, offset);
    require(probe.fault == ChunkFault::none && probe.header.tag == frame_tag, ErrorCode::bad_format,
            "{}: frame {} (offset {}) is damaged: there is no chunk header of a frame", file.name(), frame, offset);
    return probe.header;
  }

  LoadedFrame load(std::uint32_t frame) const {
    const ChunkHeader chunk = frame_chunk(frame);
    LoadedFrame loaded;
    loaded.payload = read_payload(file, chunk, fmt::format("frame {}", frame));
    loaded.layout = parse_frame(loaded.payload, frame, chunks.version,
                                fmt::format("{}: frame {} (offset {})", file.name(), frame, chunk.offset));
    return loaded;
  }

  /// The chunk with a tag between the frame before and the frame. `what` names it in errors.
  std::optional<ChunkHeader> chunk_before(std::uint32_t frame, Tag tag, std::string_view what) const {
    std::uint64_t offset = frame == 0 ? chunks.meta.end() : frame_chunk(frame - 1).end();
    while (offset < chunks.frames[frame]) {
      const ChunkProbe probe = probe_chunk(file, offset);
      require(probe.fault == ChunkFault::none, ErrorCode::bad_format,
              "{}: {} of frame {}: the chunk header at offset {} is damaged", file.name(), what, frame, offset);
      if (probe.header.tag == tag) return probe.header;
      offset = probe.header.end();
    }
    return std::nullopt;
  }

  ChunkHeader stat_chunk(std::uint32_t frame) const {
    if (const auto chunk = chunk_before(frame, stat_tag, "statistics")) return *chunk;
    fail(ErrorCode::bad_format, "{}: frame {} (offset {}) has no statistics", file.name(), frame, chunks.frames[frame]);
  }

  /// Of the chunk of the frame alone: faces are those of the bodies whose triangles it holds.
  RecordedCuts cuts_of(std::uint32_t frame) const {
    const auto chunk = chunk_before(frame, cuts_tag, "cuts");
    if (!chunk) return {};
    const std::string what = fmt::format("cuts of frame {}", frame);
    return decode_cuts(read_payload(file, *chunk, what),
                       fmt::format("{}: {} (offset {})", file.name(), what, chunk->offset));
  }

  FileBytes file;
  ChunkList chunks;
  RecordingMeta meta;
};

namespace {

/// Finds what `frame` says is in `source`, and checks that it really is there.
const BodyEntry& referred(const FrameLayout& frame, const BodyEntry& entry, const FrameLayout& source, bool holds,
                          const BodyEntry* found) {
  require(found != nullptr && holds, ErrorCode::bad_format, "{}: body {} refers to frame {}, which does not hold it",
          frame.where, entry.body, source.number);
  require(found->vertex_count == entry.vertex_count, ErrorCode::bad_format,
          "{}: body {} has {} vertices, but {} in frame {}, to which it refers", frame.where, entry.body,
          entry.vertex_count, found->vertex_count, source.number);
  return *found;
}

/// A body whose positions are those of an earlier frame, moved.
struct MovedBody {
  std::size_t body = 0;  ///< position in the list of bodies
  BodyEntry::Moved moved;
};

void take_from(const LoadedFrame& source, const Wanted& wanted, const FrameLayout& frame,
               std::vector<RecordedBody>& bodies, std::vector<MovedBody>& moved) {
  for (const std::size_t i : wanted.topology) {
    const BodyEntry& entry = frame.bodies[i];
    const BodyEntry* found = source.layout.find(entry.body);
    const bool holds = found != nullptr && found->topology_frame == source.layout.number &&
                       found->triangle_count == entry.triangle_count;
    decode_topology(source.layout, referred(frame, entry, source.layout, holds, found), bodies[i]);
  }
  for (const std::size_t i : wanted.positions) {
    const BodyEntry& entry = frame.bodies[i];
    const BodyEntry* found = source.layout.find(entry.body);
    const bool holds = found != nullptr && found->positions_frame == source.layout.number;
    const BodyEntry& holder = referred(frame, entry, source.layout, holds, found);
    if (holder.moved) {
      moved.push_back({i, *holder.moved});
    } else {
      decode_positions(source.layout, holder, bodies[i]);
    }
  }
}

void take_moved(const LoadedFrame& source, std::span<const MovedBody> moved, const FrameLayout& frame,
                std::vector<RecordedBody>& bodies) {
  for (const auto& [i, how] : moved) {
    const BodyEntry& entry = frame.bodies[i];
    const BodyEntry* found = source.layout.find(entry.body);
    const bool holds = found != nullptr && found->positions_frame == source.layout.number && !found->moved;
    decode_positions(source.layout, referred(frame, entry, source.layout, holds, found), bodies[i]);
    for (Eigen::Vector3d& p : bodies[i].positions) p = how.by * p;
    check_positions(bodies[i].positions, fmt::format("{}: body {}", frame.where, entry.body));
  }
}

}  // namespace

RecordingReader::RecordingReader(const std::filesystem::path& path) : impl_(std::make_unique<Impl>(FileBytes(path))) {}

RecordingReader::RecordingReader(std::vector<std::uint8_t> bytes, std::string name)
    : impl_(std::make_unique<Impl>(FileBytes(std::move(bytes), std::move(name)))) {}

RecordingReader::~RecordingReader() = default;
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;
RecordingReader& RecordingReader::operator=(RecordingReader&&) noexcept = default;

const RecordingMeta& RecordingReader::meta() const {
  return impl_->meta;
}

std::uint32_t RecordingReader::frame_count() const {
  return static_cast<std::uint32_t>(impl_->chunks.frames.size());
}

const std::string& RecordingReader::damage() const {
  return impl_->chunks.damage;
}

RecordedFrame RecordingReader::read_frame(std::uint32_t number) const {
  impl_->check(number);
  const LoadedFrame loaded = impl_->load(number);
  const FrameLayout& layout = loaded.layout;
  RecordedFrame frame;
  frame.number = number;
  frame.time = layout.time;
  frame.bodies.resize(layout.bodies.size());

  std::map<std::uint32_t, Wanted> sources;  // each frame referred to is read once
  for (std::size_t i = 0; i < layout.bodies.size(); ++i) {
    frame.bodies[i].body = layout.bodies[i].body;
    sources[layout.bodies[i].topology_frame].topology.push_back(i);
    sources[layout.bodies[i].positions_frame].positions.push_back(i);
  }
  HeldContacts held;
  for (const ContactRun& run : layout.contacts.runs) {
    held[run.frame];
    sources[run.frame];
  }
  std::vector<MovedBody> moved;
  const auto take = [&](const LoadedFrame& source, const Wanted& wanted) {
    take_from(source, wanted, layout, frame.bodies, moved);
    const auto holder = held.find(source.layout.number);
    if (holder != held.end()) holder->second = decode_held(source.layout.contacts);
  };
  for (const auto& [source, wanted] : sources) {
    if (source == number) {
      take(loaded, wanted);
    } else {
      take(impl_->load(source), wanted);
    }
  }
  std::map<std::uint32_t, std::vector<MovedBody>> rests;
  for (const MovedBody& body : moved) rests[body.moved.rest_frame].push_back(body);
  for (const auto& [source, bodies] : rests) take_moved(impl_->load(source), bodies, layout, frame.bodies);
  frame.contacts = join_contacts(layout, held);
  return frame;
}

std::vector<RecordedStage> RecordingReader::read_stages(std::uint32_t frame) const {
  impl_->check(frame);
  const ChunkHeader chunk = impl_->stat_chunk(frame);
  const std::string what = fmt::format("statistics of frame {}", frame);
  const auto text = read_json(impl_->file, chunk, max_stat_size, what);
  return decode_stat(text, frame, fmt::format("{}: {} (offset {})", impl_->file.name(), what, chunk.offset));
}

RecordedCuts RecordingReader::read_cuts(std::uint32_t frame) const {
  impl_->check(frame);
  const LoadedFrame loaded = impl_->load(frame);
  const std::string& where = loaded.layout.where;
  RecordedCuts cuts;
  cuts.events = impl_->cuts_of(frame).events;
  std::map<std::uint32_t, RecordedCuts> held;  // by the frame that holds the triangles
  for (const BodyEntry& body : loaded.layout.bodies) {
    require(body.topology_frame <= frame, ErrorCode::bad_format, "{}: body {} refers to a later frame", where,
            body.body);
    auto holder = held.find(body.topology_frame);
    if (holder == held.end()) holder = held.emplace(body.topology_frame, impl_->cuts_of(body.topology_frame)).first;
    for (const RecordedCutFaces& faces : holder->second.faces) {
      if (faces.body != body.body) continue;
      require(faces.triangles.empty() || faces.triangles.back() < body.triangle_count, ErrorCode::bad_format,
              "{}: a cut face of body {} is triangle {}, but it has {}", where, body.body, faces.triangles.back(),
              body.triangle_count);
      cuts.faces.push_back(faces);
      break;
    }
  }
  return cuts;
}

}  // namespace carom
