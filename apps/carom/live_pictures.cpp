#include "live_pictures.hpp"

#include <fmt/format.h>

#include <cstring>

#include "io/recording/cut_chunk.hpp"

namespace carom::app {

namespace {

std::vector<FrameBodyView> views_of(const LiveState& state) {
  std::vector<FrameBodyView> views;
  for (const LiveState::Body& body : state.bodies) {
    FrameBodyView view{body.number, body.name, body.motion, body.triangles, body.positions};
    view.pose = body.pose;
    view.cut_triangles = body.cut_triangles;
    views.push_back(view);
  }
  return views;
}

std::vector<std::size_t> sizes_of(const LiveState& state) {
  std::vector<std::size_t> sizes;
  for (const LiveState::Body& body : state.bodies) {
    sizes.push_back(body.positions.size());
    sizes.push_back(body.triangles.size());
  }
  return sizes;
}

void put_part(std::string_view part, std::string& out) {
  const auto size = static_cast<std::uint32_t>(part.size());
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>((size >> shift) & 0xff));
  out.append(part);
}

std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void LiveState::copy(std::span<const FrameBodyView> from, std::span<const RecordedContact> of) {
  bodies.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    Body& body = bodies[i];
    body.number = from[i].body;
    body.name = from[i].name;
    body.motion = from[i].kind;
    body.triangles.assign(from[i].triangles.begin(), from[i].triangles.end());
    body.cut_triangles.assign(from[i].cut_triangles.begin(), from[i].cut_triangles.end());
    body.positions.assign(from[i].positions.begin(), from[i].positions.end());
    body.pose = from[i].pose;
  }
  contacts.assign(of.begin(), of.end());
}

void LivePictures::begin_key(const LiveState& state) {
  key_ = state.number;
  key_resets_ = state.resets;
  key_sizes_ = sizes_of(state);
  key_cuts_ = state.cut_revision;
  frames_ = 0;
  encoder_ = io::FrameEncoder(PositionEncoding::f32);
  const std::vector<FrameBodyView> views = views_of(state);
  key_payload_ = text_of(encoder_.encode(0, state.time, views, {}));
  encoder_.commit(views);
  cuts_payload_ = text_of(io::encode_cuts(views, state.cuts, "live").bytes());
}

void LivePictures::encode_frame(const LiveState& state) {
  const bool same = key_ != 0 && key_resets_ == state.resets && key_cuts_ == state.cut_revision;
  if (!same || key_sizes_ != sizes_of(state)) begin_key(state);
  // Not committed: every picture refers to the key frame alone, as a page may have missed all between.
  const std::string_view frame = text_of(encoder_.encode(++frames_, state.time, views_of(state), state.contacts));
  const std::string header =
      fmt::format("{{\"number\":{},\"key\":{},\"frame\":{},{}}}", state.number, key_, frames_, state.status);
  std::string lean;
  put_part(header, lean);
  put_part({}, lean);
  put_part({}, lean);
  put_part(frame, lean);
  std::string whole;
  put_part(header, whole);
  put_part(key_payload_, whole);
  put_part(cuts_payload_, whole);
  put_part(frame, whole);
  without_key_ = std::make_shared<const std::string>(std::move(lean));
  with_key_ = std::make_shared<const std::string>(std::move(whole));
  encoded_ = state.number;
}

std::shared_ptr<const std::string> LivePictures::encode(const std::shared_ptr<const LiveState>& state,
                                                        std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  if (encoded_ < state->number) encode_frame(*state);
  return key == key_ ? without_key_ : with_key_;
}

}  // namespace carom::app
