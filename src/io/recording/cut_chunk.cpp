#include "io/recording/cut_chunk.hpp"

#include <cmath>

#include "core/check.hpp"
#include "io/byte_reader.hpp"

namespace carom::io {

namespace {

std::vector<std::uint32_t> get_list(ByteReader& reader, const char* what) {
  const auto count = reader.get<std::uint32_t>(what);
  const std::span<const std::uint8_t> bytes = reader.take(count, sizeof(std::uint32_t), what);
  std::vector<std::uint32_t> list(count);
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = load_little<std::uint32_t>(bytes.data() + 4 * i);
  return list;
}

double get_size(ByteReader& reader, const char* what) {
  const auto value = reader.get<double>(what);
  require(std::isfinite(value) && value >= 0, ErrorCode::bad_format, "{}: the {} is {}", reader.where(), what, value);
  return value;
}

void put_list(std::span<const std::uint32_t> list, ByteWriter& out) {
  out.put(static_cast<std::uint32_t>(list.size()));
  for (const std::uint32_t value : list) out.put(value);
}

void put_event(const RecordedCut& cut, const std::string& where, ByteWriter& out) {
  require(std::isfinite(cut.length) && cut.length >= 0 && std::isfinite(cut.area) && cut.area >= 0,
          ErrorCode::not_finite, "{}: the cut of body {} has length {} and area {}", where, cut.body, cut.length,
          cut.area);
  out.put(cut.step);
  out.put(cut.body);
  put_list(cut.pieces, out);
  out.put(cut.crossed);
  out.put(cut.separated);
  out.put(cut.length);
  out.put(cut.area);
}

std::vector<RecordedCutFaces> faces_of(std::span<const FrameBodyView> bodies) {
  std::vector<RecordedCutFaces> all;
  for (const FrameBodyView& body : bodies) {
    RecordedCutFaces faces{.body = body.body};
    for (std::size_t t = 0; t < body.cut_triangles.size(); ++t)
      if (body.cut_triangles[t] != 0) faces.triangles.push_back(static_cast<std::uint32_t>(t));
    if (!faces.triangles.empty()) all.push_back(std::move(faces));
  }
  return all;
}

}  // namespace

ByteWriter encode_cuts(std::span<const FrameBodyView> bodies, std::span<const RecordedCut> cuts,
                       const std::string& where) {
  ByteWriter out;
  const std::vector<RecordedCutFaces> all = faces_of(bodies);
  if (cuts.empty() && all.empty()) return out;
  out.put(static_cast<std::uint32_t>(cuts.size()));
  for (const RecordedCut& cut : cuts) put_event(cut, where, out);
  out.put(static_cast<std::uint32_t>(all.size()));
  for (const RecordedCutFaces& faces : all) {
    out.put(faces.body);
    put_list(faces.triangles, out);
  }
  return out;
}

RecordedCuts decode_cuts(std::span<const std::uint8_t> payload, const std::string& where) {
  ByteReader reader(payload, where);
  RecordedCuts cuts;
  for (auto left = reader.get<std::uint32_t>("number of cuts"); left > 0; --left) {
    RecordedCut cut;
    cut.step = reader.get<std::uint64_t>("step of a cut");
    cut.body = reader.get<std::uint32_t>("body of a cut");
    cut.pieces = get_list(reader, "pieces of a cut");
    cut.crossed = reader.get<std::uint32_t>("crossings of a cut");
    cut.separated = reader.get<std::uint32_t>("separations of a cut");
    cut.length = get_size(reader, "length of a cut");
    cut.area = get_size(reader, "area of a cut");
    cuts.events.push_back(std::move(cut));
  }
  for (auto left = reader.get<std::uint32_t>("number of bodies with cut faces"); left > 0; --left) {
    RecordedCutFaces faces;
    faces.body = reader.get<std::uint32_t>("body with cut faces");
    faces.triangles = get_list(reader, "cut faces");
    for (std::size_t i = 1; i < faces.triangles.size(); ++i)
      require(faces.triangles[i - 1] < faces.triangles[i], ErrorCode::bad_format,
              "{}: the cut faces of body {} are not in ascending order", where, faces.body);
    cuts.faces.push_back(std::move(faces));
  }
  reader.expect_end();
  return cuts;
}

}  // namespace carom::io
