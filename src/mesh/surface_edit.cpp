#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "carom/mesh/surface.hpp"
#include "core/at.hpp"
#include "core/check.hpp"
#include "mesh/surface_check.hpp"
#include "mesh/surface_clusters.hpp"

namespace carom {

namespace {

constexpr Triangle dead{none, none, none};

/// In ascending order. Throws Error that names the entry.
std::vector<Index> checked_removed(std::span<const Index> removed, std::span<const Triangle> triangles) {
  std::vector<std::pair<Index, std::size_t>> entries;
  entries.reserve(removed.size());
  for (std::size_t i = 0; i < removed.size(); ++i) {
    require(removed[i] >= 0 && at(removed[i]) < triangles.size(), ErrorCode::bad_index,
            "removed[{}] is triangle {}, but there are {} triangles", i, removed[i], triangles.size());
    require(!is_dead(triangles[at(removed[i])]), ErrorCode::bad_index,
            "removed[{}] is triangle {}, which was removed before", i, removed[i]);
    entries.emplace_back(removed[i], i);
  }
  std::sort(entries.begin(), entries.end());
  std::vector<Index> sorted;
  sorted.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    require(i == 0 || entries[i].first != entries[i - 1].first, ErrorCode::bad_index,
            "removed[{}] and removed[{}] are both triangle {}", i == 0 ? 0 : entries[i - 1].second, entries[i].second,
            entries[i].first);
    sorted.push_back(entries[i].first);
  }
  return sorted;
}

}  // namespace

std::span<const Index> Surface::edit(const SurfaceEdit& edit) {
  std::vector<Index> removed = checked_removed(edit.removed, triangles_);
  const bool one_object = edit.added_object.empty() && objects_.size() <= 1;
  require(one_object || edit.added_object.size() == edit.added.size(), ErrorCode::invalid_argument,
          "{} object numbers in added_object for {} added triangles on a surface of {} objects",
          edit.added_object.size(), edit.added.size(), objects_.size());
  mesh::check_counts(edit.new_vertices, 0);  // so that the sum below does not wrap
  const std::size_t vertex_count = vertex_count_ + edit.new_vertices;
  const std::size_t free = holes_.size() + removed.size();
  const std::size_t triangle_count = triangles_.size() + (edit.added.size() > free ? edit.added.size() - free : 0);
  mesh::check_counts(vertex_count, triangle_count);
  std::vector<Placed> added(edit.added.size());
  for (std::size_t i = 0; i < added.size(); ++i) {
    for (const Index corner : edit.added[i]) {
      require(corner >= 0 && at(corner) < vertex_count, ErrorCode::bad_index,
              "added[{}] has corner {}; expected an index of one of the {} vertices", i, corner, vertex_count);
    }
    added[i].corners = edit.added[i];
    added[i].object = !one_object ? edit.added_object[i] : objects_.empty() ? 0 : objects_.front();
  }
  check_objects(removed, added, true);

  for (const Index triangle : removed) {
    holes_.push_back(triangle);
    std::push_heap(holes_.begin(), holes_.end(), std::greater<>());
  }
  auto end = static_cast<Index>(triangles_.size());
  for (Placed& placed : added) {
    if (holes_.empty()) {
      placed.number = end++;
      continue;
    }
    std::pop_heap(holes_.begin(), holes_.end(), std::greater<>());
    placed.number = holes_.back();
    holes_.pop_back();
  }
  apply(std::move(removed), added, vertex_count, triangle_count);
  return last_edit_.added;
}

void Surface::update(std::size_t vertex_count, std::span<const Triangle> triangles,
                     std::span<const Index> object_of_triangle) {
  std::vector<Index> zeros;
  if (object_of_triangle.empty()) {
    zeros.assign(triangles.size(), 0);
    object_of_triangle = zeros;
  }
  mesh::check_lists(vertex_count, triangles, object_of_triangle, true);
  std::vector<Index> removed;
  std::vector<Placed> added;
  const auto is_there = [](std::span<const Triangle> list, std::size_t i) {
    return i < list.size() && !is_dead(list[i]);
  };
  for (std::size_t i = 0; i < std::max(triangles.size(), triangles_.size()); ++i) {
    const bool before = is_there(triangles_, i);
    const bool after = is_there(triangles, i);
    if (before && after && triangles[i] == triangles_[i] && object_of_triangle[i] == object_of_triangle_[i]) continue;
    if (before) removed.push_back(static_cast<Index>(i));
    if (after) added.push_back({static_cast<Index>(i), triangles[i], object_of_triangle[i]});
  }
  if (removed.empty() && added.empty() && vertex_count == vertex_count_ && triangles.size() == triangles_.size())
    return;
  check_objects(removed, added, false);
  holes_.clear();  // ascending, so they are a heap
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    if (is_dead(triangles[i])) holes_.push_back(static_cast<Index>(i));
  }
  apply(std::move(removed), added, vertex_count, triangles.size());
}

/// Checks that all users of a vertex after the edit are of one object.
void Surface::check_objects(std::span<const Index> removed, std::span<const Placed> added, bool by_entry) const {
  const auto same = [&](const Placed& placed) { return placed.object == objects_.front(); };
  if (objects_.size() == 1 && std::all_of(added.begin(), added.end(), same)) return;

  const auto name = [&](std::size_t entry) {
    return by_entry ? fmt::format("added[{}]", entry) : fmt::format("triangle {}", added[entry].number);
  };
  std::vector<std::pair<Index, std::size_t>> users;
  users.reserve(3 * added.size());
  for (std::size_t i = 0; i < added.size(); ++i) {
    for (const Index vertex : added[i].corners) users.emplace_back(vertex, i);
  }
  std::sort(users.begin(), users.end());
  for (std::size_t i = 0; i < users.size(); ++i) {
    const auto [vertex, entry] = users[i];
    const Index object = added[entry].object;
    if (i > 0 && users[i - 1].first == vertex) {
      const std::size_t before = users[i - 1].second;
      if (added[before].object != object)
        mesh::fail_shared(vertex, added[before].object, name(before), object, name(entry));
      continue;
    }
    if (at(vertex) >= vertex_count_) continue;
    for (Index corner = first_corner(vertex); corner != none; corner = next_corner(corner)) {
      const Index stays = corner / 3;
      if (std::binary_search(removed.begin(), removed.end(), stays)) continue;
      const Index stays_object = object_of_triangle_[at(stays)];
      if (stays_object != object)
        mesh::fail_shared(vertex, stays_object, fmt::format("triangle {}", stays), object, name(entry));
      break;
    }
  }
}

void Surface::apply(std::vector<Index>&& removed, std::span<const Placed> added, std::size_t vertex_count,
                    std::size_t triangle_count) {
  last_edit_.before = revision_;
  last_edit_.removed = std::move(removed);
  last_edit_.removed_corners.clear();
  for (const Index triangle : last_edit_.removed) last_edit_.removed_corners.push_back(triangles_[at(triangle)]);
  last_edit_.added.clear();
  for (const Placed& placed : added) last_edit_.added.push_back(placed.number);
  last_edit_.reowned.clear();
  last_edit_.objects_renumbered = false;

  // Each removed corner is looked for in the list of its vertex. Building all lists again is linear however many
  // triangles meet at a vertex, and faster from about here on.
  if (4 * (last_edit_.removed.size() + added.size()) > triangle_count) {
    apply_and_rebuild(added, vertex_count, triangle_count);
  } else {
    apply_locally(added, vertex_count, triangle_count);
  }
  place_objects(added);
  // Copies of the surface keep the clusters there were.
  auto clusters = clusters_.use_count() == 1 ? std::const_pointer_cast<mesh::SurfaceClusters>(clusters_)
                                             : std::make_shared<mesh::SurfaceClusters>(*clusters_);
  mesh::edit_clusters(*this, *clusters);
  clusters_ = std::move(clusters);
  revision_ = mesh::next_revision();
}

void Surface::apply_locally(std::span<const Placed> added, std::size_t vertex_count, std::size_t triangle_count) {
  for (const Index triangle : last_edit_.removed) {
    for (Index k = 0; k < 3; ++k) unlink(3 * triangle + k);
  }
  // All are unlinked before a feature gets its new owner, for that one must stay.
  for (const Index triangle : last_edit_.removed) {
    const Triangle corners = std::exchange(triangles_[at(triangle)], dead);
    const std::uint8_t owned = std::exchange(owned_[at(triangle)], std::uint8_t{0});
    for (std::size_t k = 0; k < 3; ++k) {
      if (owns_vertex(owned, k)) give_vertex(corners[k]);
      if (owns_edge(owned, k)) give_edge(corners[k], corners[(k + 1) % 3]);
    }
  }
  std::vector<Index>& reowned = last_edit_.reowned;
  std::sort(reowned.begin(), reowned.end());
  reowned.erase(std::unique(reowned.begin(), reowned.end()), reowned.end());

  resize(vertex_count, triangle_count);
  for (const Placed& placed : added) insert(placed);
}

void Surface::apply_and_rebuild(std::span<const Placed> added, std::size_t vertex_count, std::size_t triangle_count) {
  const std::vector<std::uint8_t> owned_before = owned_;
  for (const Index triangle : last_edit_.removed) triangles_[at(triangle)] = dead;
  // Triangles that are dead or came own other features than before, but they did not stay.
  std::vector<bool> stayed(triangle_count, false);
  for (std::size_t t = 0; t < std::min(triangle_count, triangles_.size()); ++t) stayed[t] = !is_dead(triangles_[t]);
  resize(vertex_count, triangle_count);
  for (const Placed& placed : added) triangles_[at(placed.number)] = placed.corners;
  build_corners();
  own_all();
  for (std::size_t t = 0; t < triangle_count; ++t) {
    if (stayed[t] && owned_[t] != owned_before[t]) last_edit_.reowned.push_back(static_cast<Index>(t));
  }
}

/// A triangle that is dropped here is dead already, and so is a vertex that nobody uses.
void Surface::resize(std::size_t vertex_count, std::size_t triangle_count) {
  vertex_count_ = vertex_count;
  first_corner_.resize(vertex_count, none);
  triangles_.resize(triangle_count, dead);
  object_of_triangle_.resize(triangle_count, 0);
  object_index_of_triangle_.resize(triangle_count, 0);
  owned_.resize(triangle_count, 0);
  next_corner_.resize(3 * triangle_count, none);
}

void Surface::place_objects(std::span<const Placed> added) {
  const Index highest = objects_.empty() ? std::numeric_limits<Index>::min() : objects_.back();
  for (const Placed& placed : added) {
    object_of_triangle_[at(placed.number)] = placed.object;
    const auto place = std::lower_bound(objects_.begin(), objects_.end(), placed.object);
    if (place != objects_.end() && *place == placed.object) continue;
    if (placed.object < highest) last_edit_.objects_renumbered = true;
    objects_.insert(place, placed.object);
  }
  const auto number = [&](std::size_t t) {
    const auto place = std::lower_bound(objects_.begin(), objects_.end(), object_of_triangle_[t]);
    object_index_of_triangle_[t] = static_cast<Index>(place - objects_.begin());
  };
  if (last_edit_.objects_renumbered) {
    for (std::size_t t = 0; t < triangles_.size(); ++t) number(t);
  } else {
    for (const Placed& placed : added) number(at(placed.number));
  }
}

void Surface::unlink(Index corner) {
  Index* link = &first_corner_[at(triangles_[at(corner) / 3][at(corner) % 3])];
  while (*link != corner) link = &next_corner_[at(*link)];
  *link = next_corner_[at(corner)];
}

void Surface::give_vertex(Index vertex) {
  const Index corner = first_corner(vertex);
  if (corner == none) return;
  owned_[at(corner) / 3] |= static_cast<std::uint8_t>(1U << (corner % 3));
  last_edit_.reowned.push_back(corner / 3);
}

void Surface::give_edge(Index from, Index to) {
  for (Index corner = first_corner(from); corner != none; corner = next_corner(corner)) {
    const Triangle& t = triangles_[at(corner) / 3];
    const std::size_t k = at(corner) % 3;
    const std::size_t before = k == 0 ? 2 : k - 1;
    if (t[(k + 1) % 3] != to && t[before] != to) continue;
    const std::size_t side = t[(k + 1) % 3] == to ? k : before;
    owned_[at(corner) / 3] |= static_cast<std::uint8_t>(1U << (3 + side));
    last_edit_.reowned.push_back(corner / 3);
    return;
  }
}

bool Surface::has_edge(Index from, Index to) const {
  for (Index corner = first_corner(from); corner != none; corner = next_corner(corner)) {
    const Triangle& t = triangles_[at(corner) / 3];
    const std::size_t k = at(corner) % 3;
    if (t[(k + 1) % 3] == to || t[(k + 2) % 3] == to) return true;
  }
  return false;
}

/// Inserts a triangle. It owns what nobody had before it came, a repeated corner or edge of its own once.
void Surface::insert(const Placed& placed) {
  const std::size_t t = at(placed.number);
  const Triangle& c = placed.corners;
  std::uint8_t owned = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const bool repeated_vertex = (k > 0 && c[k] == c[0]) || (k > 1 && c[k] == c[1]);
    if (!repeated_vertex && first_corner(c[k]) == none) owned |= static_cast<std::uint8_t>(1U << k);
    const Edge edge{c[k], c[(k + 1) % 3]};
    const auto is_earlier = [&](std::size_t earlier) {
      return earlier < k && std::minmax(c[earlier], c[(earlier + 1) % 3]) == std::minmax(edge[0], edge[1]);
    };
    if (edge[0] != edge[1] && !is_earlier(0) && !is_earlier(1) && !has_edge(edge[0], edge[1]))
      owned |= static_cast<std::uint8_t>(1U << (3 + k));
  }
  triangles_[t] = c;
  owned_[t] = owned;
  for (std::size_t k = 0; k < 3; ++k) {
    Index& first = first_corner_[at(c[k])];
    next_corner_[3 * t + k] = first;
    first = static_cast<Index>(3 * t + k);
  }
}

}  // namespace carom
