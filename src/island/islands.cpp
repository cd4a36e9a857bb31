#include "island/islands.hpp"

#include <algorithm>

namespace carom::island {

BodySlot Islands::find(BodySlot body) {
  while (root_[body] != body) {
    root_[body] = root_[root_[body]];
    body = root_[body];
  }
  return body;
}

void Islands::touch(const rigid::Bodies& bodies, BodySlot a, BodySlot b) {
  const bool a_moves = movable(bodies, a);
  const bool b_moves = movable(bodies, b);
  if (a_moves) touched_[a] = 1;
  if (b_moves) touched_[b] = 1;
  if (a_moves && b_moves) {
    const BodySlot ra = find(a);
    const BodySlot rb = find(b);
    root_[std::max(ra, rb)] = std::min(ra, rb);
  } else if (a_moves) {
    held_[a] = 1;
  } else if (b_moves) {
    held_[b] = 1;
  }
}

void Islands::list(const rigid::Bodies& bodies) {
  // Roots have the lowest numbers, so that those of lower bodies are final.
  for (const BodySlot i : bodies.slots()) root_[i] = root_[root_[i]];
  islands_.clear();
  island_of_.resize(bodies.size());
  for (const BodySlot i : bodies.slots()) {
    if (touched_[i] == 0) continue;
    const BodySlot r = root_[i];
    if (r == i) {
      island_of_[i] = static_cast<std::uint32_t>(islands_.size());
      islands_.emplace_back();
    }
    Island& island = islands_[island_of_[r]];
    ++island.end;
    const rigid::Info& info = bodies.info[i];
    island.held |= held_[i] != 0 || (info.deforms ? info.pinned : bodies.mass[i].locked);
    island.deforms |= info.deforms;
  }
  std::size_t next = 0;
  for (Island& island : islands_) {
    const std::size_t size = island.end;
    island.begin = island.end = next;
    next += size;
  }
  members_.resize(next);
  for (const BodySlot i : bodies.slots()) {
    if (touched_[i] != 0) members_[islands_[island_of_[root_[i]]].end++] = i;
  }
}

void Islands::build(const rigid::Bodies& bodies, std::span<const contact::ActivePair> pairs,
                    std::span<const Touch> anchors) {
  const std::size_t count = bodies.size();
  root_.resize(count);
  for (const BodySlot i : bodies.slots()) root_[i] = i;
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
