#include "bench/reference_pipeline.hpp"

#include <chrono>
#include <numbers>

#include "bench/reference_cones.hpp"
#include "bench/reference_tests.hpp"

namespace carom::reference {

namespace {

class Timer {
 public:
  explicit Timer(double& seconds) : seconds_(seconds), start_(Clock::now()) {}
  ~Timer() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_;
};

std::size_t at_index(Index i) {
  return static_cast<std::size_t>(i);
}

Box intersection(const Box& a, const Box& b) {
  return {a.min.cwiseMax(b.min), a.max.cwiseMin(b.max)};
}

Vector3d unit_or(const Vector3d& direction, const Vector3d& otherwise) {
  const double length = direction.norm();
  if (length > 0) return direction / length;
  const double other_length = otherwise.norm();
  return other_length > 0 ? Vector3d(otherwise / other_length) : Vector3d::UnitX();
}

}  // namespace

template <class V>
Pipeline<V>::Pipeline(const Surface& surface) : surface_(surface), objects_(surface.objects().size()) {
  std::vector<bool> seen(surface.vertex_count(), false);
  for (std::size_t t = 0; t < surface.triangles().size(); ++t) {
    Object& object = objects_[at_index(surface.object_index_of_triangle()[t])];
    object.triangles.push_back(static_cast<Index>(t));
    for (const Index vertex : surface.triangles()[t]) {
      if (seen[at_index(vertex)]) continue;
      seen[at_index(vertex)] = true;
      object.vertices.push_back(vertex);
    }
  }
}

template <class V>
void Pipeline<V>::run(std::span<const Vector3d> positions, const Options& options, std::vector<Contact>& contacts,
                      Stats& stats) {
  stats = {};
  const Timer timer(stats.times.total);
  contacts.clear();
  positions_ = positions;
  options_ = options;
  contacts_ = &contacts;
  stats_ = &stats;
  workers_.set_threads(options.threads);
  const std::size_t count = surface_.triangles().size();
  volumes_.resize(count);
  lowest_cell_.resize(count);
  if (options.primitive_volumes) edge_volumes_.resize(3 * count);
  if (options.normal_cones) normals_.resize(count);
  {
    const Timer objects_timer(stats.times.objects);
    update_object_boxes();
  }

  if (options.pairs != PairScope::between) {
    for (Object& object : objects_) {
      const std::array<Object*, 1> one{&object};
      handle(one, object.box);
    }
  }
  if (options.pairs != PairScope::self) {
    for (std::size_t i = 0; i < objects_.size(); ++i) {
      for (std::size_t j = i + 1; j < objects_.size(); ++j) {
        if (!objects_[i].box.overlaps(objects_[j].box)) continue;
        const std::array<Object*, 2> two{&objects_[i], &objects_[j]};
        handle(two, intersection(objects_[i].box, objects_[j].box));
      }
    }
  }
  stats.counts.contacts = contacts.size();
}

template <class V>
void Pipeline<V>::update_object_boxes() {
  for (Object& object : objects_) {
    object.box = Box{};
    for (const Index vertex : object.vertices) object.box.include(at(vertex));
    object.box.grow(options_.distance / 2);
    object.has_volumes = false;
  }
}

/// Stages 2 to 7 for one object by itself or for two objects.
template <class V>
void Pipeline<V>::handle(std::span<Object* const> objects, const Box& region) {
  Times& times = stats_->times;
  {
    const Timer timer(times.triangles);
    find_triangles(objects, region);
  }
  if (triangles_.size() < 2) return;
  {
    const Timer timer(times.grid);
    define_grid(region);
  }
  {
    const Timer timer(times.list);
    build_list();
  }
  {
    const Timer timer(times.sort);
    sort_list();
  }
  {
    const Timer timer(times.pairs);
    find_cells();
  }
  const bool self = objects.size() == 1;
  if (self && options_.normal_cones) {
    const Timer timer(times.cones);
    cull_by_cones();
  }
  {
    const Timer timer(times.pairs);
    find_pairs(self);
  }
  const Timer timer(times.tests);
  test_pairs();
}

template <class V>
void Pipeline<V>::update_volumes(Object& object) {
  if (object.has_volumes) return;
  object.has_volumes = true;
  const double half = options_.distance / 2;
  const auto update = [&](std::size_t i) {
    const Index t = object.triangles[i];
    const auto& [a, b, c] = surface_.triangles()[at_index(t)];
    volumes_[at_index(t)] = V::of(at(a), at(b), at(c), half);
  };
  if (workers_.threads() == 1) {
    for (std::size_t i = 0; i < object.triangles.size(); ++i) update(i);
  } else {
    parallel_for(workers_, object.triangles.size(), 1024, update);
  }
}

/// Stage 2. One object by itself lies in its region as a whole.
template <class V>
void Pipeline<V>::find_triangles(std::span<Object* const> objects, const Box& region) {
  triangles_.clear();
  for (Object* object : objects) update_volumes(*object);
  if (objects.size() == 1) {
    triangles_ = objects[0]->triangles;
  } else {
    const std::vector<Index>& first = objects[0]->triangles;
    const std::vector<Index>& second = objects[1]->triangles;
    append_triangles_.run(workers_, first.size() + second.size(), triangles_, stats_->counts,
                          [&](std::size_t begin, std::size_t end, std::vector<Index>& out, Counts&) {
                            for (std::size_t i = begin; i < end; ++i) {
                              const Index t = i < first.size() ? first[i] : second[i - first.size()];
                              if (volumes_[at_index(t)].overlaps(region)) out.push_back(t);
                            }
                          });
  }
  largest_ = 0;
  for (const Index t : triangles_) largest_ = std::max(largest_, volumes_[at_index(t)].size());
  stats_->counts.triangles += triangles_.size();
}

/// Stage 3. The published margin of 0.001 is relative here, as scenes differ in size.
template <class V>
void Pipeline<V>::define_grid(const Box& region) {
  constexpr double max_cells = 1 << 20;  // along an axis: the product of three fits in a number
  const Vector3d size = region.max - region.min;
  cell_size_ = std::max(largest_ * 1.001, size.maxCoeff() / max_cells);
  origin_ = region.min.array() - cell_size_ / 2;
  for (int axis = 0; axis < 3; ++axis) {
    cell_counts_[static_cast<std::size_t>(axis)] = static_cast<int>(std::ceil(size[axis] / cell_size_)) + 1;
  }
}

/// Equation 3.1. What sticks out of the grid counts to its outermost cells; this keeps the order
/// of coordinates, which is all that the rule in find_pairs needs.
template <class V>
int Pipeline<V>::cell_along(int axis, double coordinate) const {
  const int cell = static_cast<int>(std::floor((coordinate - origin_[axis]) / cell_size_));
  return std::clamp(cell, 0, cell_counts_[static_cast<std::size_t>(axis)] - 1);
}

/// Equation 3.2.
template <class V>
std::uint64_t Pipeline<V>::hash(const std::array<int, 3>& cell) const {
  const auto nx = static_cast<std::uint64_t>(cell_counts_[0]);
  const auto ny = static_cast<std::uint64_t>(cell_counts_[1]);
  return (static_cast<std::uint64_t>(cell[2]) * ny + static_cast<std::uint64_t>(cell[1])) * nx +
         static_cast<std::uint64_t>(cell[0]);
}

/// Stage 4.
template <class V>
void Pipeline<V>::build_list() {
  append_entries_.run(
      workers_, triangles_.size(), entries_, stats_->counts,
      [&](std::size_t begin, std::size_t end, std::vector<Entry>& out, Counts&) {
        for (std::size_t i = begin; i < end; ++i) {
          const Index t = triangles_[i];
          const Index object = surface_.object_index_of_triangle()[at_index(t)];
          const V& volume = volumes_[at_index(t)];
          const Vector3d low = volume.low();
          const Vector3d high = volume.high();
          const std::array<int, 3> first{cell_along(0, low[0]), cell_along(1, low[1]), cell_along(2, low[2])};
          const std::array<int, 3> last{cell_along(0, high[0]), cell_along(1, high[1]), cell_along(2, high[2])};
          lowest_cell_[at_index(t)] = first;
          for (int z = first[2]; z <= last[2]; ++z)
            for (int y = first[1]; y <= last[1]; ++y)
              for (int x = first[0]; x <= last[0]; ++x) out.push_back({hash({x, y, z}), t, object});
        }
      });
  stats_->counts.entries += entries_.size();
}

/// Stage 5.
template <class V>
void Pipeline<V>::sort_list() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.cell < b.cell; });
}

template <class V>
void Pipeline<V>::find_cells() {
  cells_.clear();
  for (std::size_t begin = 0; begin < entries_.size();) {
    std::size_t end = begin + 1;
    while (end < entries_.size() && entries_[end].cell == entries_[begin].cell) ++end;
    cells_.push_back({begin, end});
    begin = end;
  }
  stats_->counts.cells += cells_.size();
}

/// Stage 6a, as published.
template <class V>
void Pipeline<V>::cull_by_cones() {
  for (const Index t : triangles_) {
    const auto& [a, b, c] = surface_.triangles()[at_index(t)];
    normals_[at_index(t)] = unit_or((at(b) - at(a)).cross(at(c) - at(a)), Vector3d::UnitX());
  }
  kept_.assign(cells_.size(), 1);
  const auto cull = [&](std::size_t i) {
    kept_[i] =
        !has_narrow_cone(std::span(entries_).subspan(cells_[i].begin, cells_[i].end - cells_[i].begin), normals_);
  };
  if (workers_.threads() == 1) {
    for (std::size_t i = 0; i < cells_.size(); ++i) cull(i);
  } else {
    parallel_for(workers_, cells_.size(), 256, cull);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (kept_[i] != 0) {
      cells_[kept++] = cells_[i];
    } else {
      ++stats_->counts.cone_cells;
      stats_->counts.cone_entries += cells_[i].end - cells_[i].begin;
    }
  }
  cells_.resize(kept);
}

/// Stage 6b. Two triangles may meet in several cells; the one with the lowest corner of the overlap of
/// their volumes handles them. Both have an entry there, since that corner is in both.
template <class V>
void Pipeline<V>::find_pairs(bool self) {
  append_pairs_.run(workers_, cells_.size(), pairs_, stats_->counts,
                    [&](std::size_t begin, std::size_t end, std::vector<TrianglePair>& out, Counts&) {
                      for (std::size_t c = begin; c < end; ++c) {
                        for (std::size_t i = cells_[c].begin; i < cells_[c].end; ++i) {
                          const Entry& first = entries_[i];
                          const V& volume = volumes_[at_index(first.triangle)];
                          const std::array<int, 3>& lowest = lowest_cell_[at_index(first.triangle)];
                          for (std::size_t j = i + 1; j < cells_[c].end; ++j) {
                            const Entry& second = entries_[j];
                            if (!self && first.object == second.object) continue;
                            if (!volume.overlaps(volumes_[at_index(second.triangle)])) continue;
                            const std::array<int, 3>& other = lowest_cell_[at_index(second.triangle)];
                            const std::array<int, 3> corner{std::max(lowest[0], other[0]),
                                                            std::max(lowest[1], other[1]),
                                                            std::max(lowest[2], other[2])};
                            if (hash(corner) == first.cell) out.push_back({first.triangle, second.triangle});
                          }
                        }
                      }
                    });
  stats_->counts.triangle_pairs += pairs_.size();
}

/// Stage 7.
template <class V>
void Pipeline<V>::test_pairs() {
  if (options_.primitive_volumes) {
    const double half = options_.distance / 2;
    for (const Index t : triangles_) {
      const Triangle& corners = surface_.triangles()[at_index(t)];
      for (std::size_t k = 0; k < 3; ++k) {
        if (!owns_edge(surface_.owned()[at_index(t)], k)) continue;
        edge_volumes_[3 * at_index(t) + k] = V::of(at(corners[k]), at(corners[(k + 1) % 3]), half);
      }
    }
  }
  if (workers_.threads() == 1) {
    for (const TrianglePair& pair : pairs_) test(pair, *contacts_, stats_->counts);
    return;
  }
  append_contacts_.run(workers_, pairs_.size(), found_, stats_->counts,
                       [&](std::size_t begin, std::size_t end, std::vector<Contact>& out, Counts& counts) {
                         for (std::size_t i = begin; i < end; ++i) test(pairs_[i], out, counts);
                       });
  contacts_->insert(contacts_->end(), found_.begin(), found_.end());
}

template <class V>
void Pipeline<V>::test(const TrianglePair& pair, std::vector<Contact>& out, Counts& counts) const {
  test_vertices(pair.a, pair.b, out, counts);
  test_vertices(pair.b, pair.a, out, counts);
  test_edges(pair.a, pair.b, out, counts);
}

template <class V>
void Pipeline<V>::test_vertices(Index from, Index face, std::vector<Contact>& out, Counts& counts) const {
  const Triangle& corners = surface_.triangles()[at_index(from)];
  const std::uint8_t owned = surface_.owned()[at_index(from)];
  const auto& [a, b, c] = surface_.triangles()[at_index(face)];
  for (std::size_t k = 0; k < 3; ++k) {
    if (!owns_vertex(owned, k)) continue;
    const Index vertex = corners[k];
    if (vertex == a || vertex == b || vertex == c) continue;
    ++counts.primitive_pairs;
    const Vector3d& p = at(vertex);
    if (options_.primitive_volumes && !V::of(p, options_.distance / 2).overlaps(volumes_[at_index(face)])) {
      ++counts.primitive_culled;
      continue;
    }
    const VertexTriangle nearest = vertex_triangle(p, at(a), at(b), at(c));
    if (nearest.squared_distance >= options_.distance * options_.distance) continue;
    Contact contact;
    contact.kind = ContactKind::vertex_face;
    contact.a = {vertex, none};
    contact.b = {face, none};
    contact.vertices = {vertex, a, b, c};
    contact.weights = {1, 1 - nearest.u - nearest.v, nearest.u, nearest.v};
    contact.distance = std::sqrt(nearest.squared_distance);
    contact.point_a = p;
    contact.point_b = nearest.point;
    contact.normal = unit_or(nearest.point - p, -(at(b) - at(a)).cross(at(c) - at(a)));
    out.push_back(contact);
  }
}

template <class V>
void Pipeline<V>::test_edges(Index a, Index b, std::vector<Contact>& out, Counts& counts) const {
  const Triangle& corners_a = surface_.triangles()[at_index(a)];
  const Triangle& corners_b = surface_.triangles()[at_index(b)];
  for (std::size_t i = 0; i < 3; ++i) {
    if (!owns_edge(surface_.owned()[at_index(a)], i)) continue;
    for (std::size_t j = 0; j < 3; ++j) {
      if (!owns_edge(surface_.owned()[at_index(b)], j)) continue;
      const auto [low_a, high_a] = std::minmax(corners_a[i], corners_a[(i + 1) % 3]);
      const auto [low_b, high_b] = std::minmax(corners_b[j], corners_b[(j + 1) % 3]);
      Edge first{low_a, high_a};
      Edge second{low_b, high_b};
      if (first[0] == second[0] || first[0] == second[1] || first[1] == second[0] || first[1] == second[1]) continue;
      ++counts.primitive_pairs;
      if (options_.primitive_volumes &&
          !edge_volumes_[3 * at_index(a) + i].overlaps(edge_volumes_[3 * at_index(b) + j])) {
        ++counts.primitive_culled;
        continue;
      }
      if (second < first) std::swap(first, second);
      const EdgeEdge nearest = edge_edge(at(first[0]), at(first[1]), at(second[0]), at(second[1]));
      if (nearest.squared_distance >= options_.distance * options_.distance) continue;
      Contact contact;
      contact.kind = ContactKind::edge_edge;
      contact.a = first;
      contact.b = second;
      contact.vertices = {first[0], first[1], second[0], second[1]};
      contact.weights = {1 - nearest.u, nearest.u, 1 - nearest.v, nearest.v};
      contact.distance = std::sqrt(nearest.squared_distance);
      contact.point_a = nearest.point_1;
      contact.point_b = nearest.point_2;
      contact.normal = unit_or(nearest.point_2 - nearest.point_1,
                               (at(first[1]) - at(first[0])).cross(at(second[1]) - at(second[0])));
      out.push_back(contact);
    }
  }
}

template class Pipeline<Box>;
template class Pipeline<Sphere>;

}  // namespace carom::reference
