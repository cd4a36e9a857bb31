#include "island/islands.hpp"

#include <algorithm>

#include "core/at.hpp"

namespace carom::island {

std::int32_t Islands::find(std::int32_t body) {
  while (root_[at(body)] != body) {
    root_[at(body)] = root_[at(root_[at(body)])];
    body = root_[at(body)];
  }
  return body;
}

void Islands::touch(const rigid::Bodies& bodies, std::int32_t a, std::int32_t b) {
  const bool a_moves = movable(bodies, a);
  const bool b_moves = movable(bodies, b);
  if (a_moves) touched_[at(a)] = 1;
  if (b_moves) touched_[at(b)] = 1;
  if (a_moves && b_moves) {
    const std::int32_t ra = find(a);
    const std::int32_t rb = find(b);
    root_[at(std::max(ra, rb))] = std::min(ra, rb);
  } else if (a_moves) {
    held_[at(a)] = 1;
  } else if (b_moves) {
    held_[at(b)] = 1;
  }
}

void Islands::list(const rigid::Bodies& bodies) {
  const auto count = static_cast<std::int32_t>(bodies.size());
  // Roots have the lowest numbers, so that those of lower bodies are final.
  for (std::int32_t i = 0; i < count; ++i) root_[at(i)] = root_[at(root_[at(i)])];
  islands_.clear();
  island_of_.resize(bodies.size());
  for (std::int32_t i = 0; i < count; ++i) {
    if (touched_[at(i)] == 0) continue;
    const std::int32_t r = root_[at(i)];
    if (r == i) {
      island_of_[at(i)] = static_cast<std::int32_t>(islands_.size());
      islands_.emplace_back();
    }
    Island& island = islands_[at(island_of_[at(r)])];
    ++island.end;
    const rigid::Info& info = bodies.info[at(i)];
    island.held |= held_[at(i)] != 0 || (info.deforms ? info.pinned : bodies.mass[at(i)].locked);
    island.deforms |= info.deforms;
  }
  std::size_t next = 0;
  for (Island& island : islands_) {
    const std::size_t size = island.end;
    island.begin = island.end = next;
    next += size;
  }
  members_.resize(next);
  for (std::int32_t i = 0; i < count; ++i) {
    if (touched_[at(i)] != 0) members_[islands_[at(island_of_[at(root_[at(i)])])].end++] = i;
  }
}

void Islands::build(const rigid::Bodies& bodies, std::span<const contact::ActivePair> pairs,
                    std::span<const Touch> anchors) {
  const std::size_t count = bodies.size();
  root_.resize(count);
  for (std::size_t i = 0; i < count; ++i) root_[i] = static_cast<std::int32_t>(i);
  touched_.assign(count, 0);
  held_.assign(count, 0);
  for (const contact::ActivePair& pair : pairs) touch(bodies, pair.body_a, pair.body_b);
  for (const Touch& anchor : anchors) touch(bodies, anchor.a, anchor.b);
  list(bodies);
}

void Islands::join(const rigid::Bodies& bodies, std::span<const Touch> stops) {
  if (stops.empty()) return;
  for (const Touch& stop : stops) touch(bodies, stop.a, stop.b);
  list(bodies);
}

}  // namespace carom::island
