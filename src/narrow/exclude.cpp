#include "narrow/exclude.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/check.hpp"

namespace carom::narrow {

namespace {

constexpr std::size_t exclusion_grain = 1024;

/// The vertices of both features of a hit.
struct Sides {
  std::array<Index, 4> vertices;
  std::size_t a_size;

  std::span<const Index> all() const { return vertices; }
  std::span<const Index> a() const { return all().first(a_size); }
  std::span<const Index> b() const { return all().subspan(a_size); }
};

Sides sides_of(const Hit& hit, std::span<const Triangle> triangles) {
  if (kind_of(hit) == ContactKind::edge_edge) {
    const Edge a = edge_a_of(hit);
    const Edge b = edge_b_of(hit);
    return {{a[0], a[1], b[0], b[1]}, 2};
  }
  const auto& [i, j, k] = triangles[static_cast<std::size_t>(triangle_of(hit))];
  return {{vertex_of(hit), i, j, k}, 1};
}

/// Of pairs of features by number: those of vertices and triangles.
struct FaceSides {
  std::span<const Triangle> triangles;

  Sides operator()(std::uint64_t pair) const {
    const auto& [i, j, k] = triangles[pair & 0xffffffffU];
    return {{static_cast<Index>(pair >> 32U), i, j, k}, 1};
  }
};

/// Those of edges.
struct EdgeSides {
  std::span<const Edge> edges;

  Sides operator()(std::uint64_t pair) const {
    const Edge& a = edges[pair >> 32U];
    const Edge& b = edges[pair & 0xffffffffU];
    return {{a[0], a[1], b[0], b[1]}, 2};
  }
};

struct HitSides {
  std::span<const Triangle> triangles;

  Sides operator()(const Hit& hit) const { return sides_of(hit, triangles); }
};

Index object_of(Index vertex, const Surface& surface) {
  return surface.object_index_of_triangle()[static_cast<std::size_t>(surface.first_corner(vertex)) / 3];
}

/// Whether some vertex of a and some vertex of b satisfy a condition.
template <class Condition>
bool any_pair(const Sides& sides, const Condition& condition) {
  for (const Index a : sides.a()) {
    for (const Index b : sides.b()) {
      if (condition(a, b)) return true;
    }
  }
  return false;
}

/// What the filter says of two objects. Hits that follow each other are mostly of the same ones.
class ObjectVerdict {
 public:
  explicit ObjectVerdict(const broad::ObjectFilter& filter) : filter_(filter) {}

  broad::Verdict operator()(Index a, Index b) {
    if (a != a_ || b != b_) {
      last_ = filter_.verdict(a, b);
      a_ = a;
      b_ = b;
    }
    return last_;
  }

 private:
  const broad::ObjectFilter& filter_;
  Index a_ = none;
  Index b_ = none;
  broad::Verdict last_ = broad::Verdict::allowed;
};

/// All filters but the one that measures along the surface. `objects` is null where these are known to be allowed.
broad::Verdict verdict(const Sides& sides, const Surface& surface, const Excludes& excludes, ObjectVerdict* objects) {
  for (const Index vertex : sides.all()) {
    if (!excludes.enabled(vertex)) return broad::Verdict::filtered;
  }
  const auto object_a = [&] { return object_of(sides.a().front(), surface); };
  const auto object_b = [&] { return object_of(sides.b().front(), surface); };
  if (objects != nullptr) {
    const auto of_objects = (*objects)(object_a(), object_b());
    if (of_objects != broad::Verdict::allowed) return of_objects;
  }
  if (const broad::Tangled* tangled = excludes.tangled()) {
    if (tangled->lets_through(sides.a(), object_a(), sides.b(), object_b())) return broad::Verdict::excluded;
  }
  return any_pair(sides, [&](Index a, Index b) { return excludes.listed(a, b); }) ? broad::Verdict::excluded
                                                                                  : broad::Verdict::allowed;
}

/// Moves those of a list that are to stay to its front, in order, and returns how many. `make_judge(chunk)` is a
/// function that says of one whether it stays; it is called in order within a chunk.
template <class Pair, class MakeJudge>
std::size_t compact(Context& context, Pair* list, std::size_t count, ExcludeScratch& scratch,
                    const MakeJudge& make_judge) {
  scratch.kept.resize(chunk_count(count, exclusion_grain));
  parallel_chunks(context.workers, count, exclusion_grain, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
    auto judge = make_judge(scratch.counts[chunk]);
    std::size_t kept = begin;
    for (std::size_t i = begin; i < end; ++i) {
      const Pair pair = list[i];
      list[kept] = pair;
      kept += judge(pair) ? 1 : 0;
    }
    scratch.kept[chunk] = kept - begin;
  });
  // Closing the gaps takes a hundredth of the time that judging does.
  std::size_t size = 0;
  for (std::size_t chunk = 0; chunk < scratch.kept.size(); ++chunk) {
    const Pair* from = list + chunk * exclusion_grain;
    if (list + size != from) std::copy_n(from, scratch.kept[chunk], list + size);
    size += scratch.kept[chunk];
  }
  return size;
}

template <class Pair, class SidesOf>
std::size_t exclude_listed(Context& context, const ExcludeIn& in, const Excludes& excludes, bool check_objects,
                           ExcludeScratch& scratch, const SidesOf& sides_of_pair, Pair* list, std::size_t count) {
  return compact(context, list, count, scratch, [&](ExcludeScratch::Counts& counts) {
    std::optional<ObjectVerdict> objects;
    if (check_objects && excludes.objects() != nullptr) objects.emplace(*excludes.objects());
    return [&in, &excludes, &sides_of_pair, &counts, objects](const Pair& pair) mutable {
      const broad::Verdict v = verdict(sides_of_pair(pair), in.surface, excludes, objects ? &*objects : nullptr);
      counts.excluded += v == broad::Verdict::excluded ? 1 : 0;
      counts.filtered += v == broad::Verdict::filtered ? 1 : 0;
      return v == broad::Verdict::allowed;
    };
  });
}

bool same_object(const Sides& sides, const Surface& surface) {
  return surface.objects().size() == 1 ||
         object_of(sides.a().front(), surface) == object_of(sides.b().front(), surface);
}

/// Asks for a ball around each vertex of side a. No path leads from object to object, so pairs of different objects
/// need none.
template <class Pair, class SidesOf>
void want_balls(Context& context, const ExcludeIn& in, ExcludeScratch& scratch, const SidesOf& sides_of_pair,
                const Pair* list, std::size_t count) {
  SurfaceBalls& balls = scratch.balls;
  scratch.append.run(context.workers, count, exclusion_grain, scratch.wanted,
                     [&](std::size_t begin, std::size_t end, std::vector<Index>& wanted, std::size_t) {
                       std::array<Index, 2> last{none, none};  // pairs that follow each other mostly have one side a
                       for (std::size_t i = begin; i < end; ++i) {
                         const Sides sides = sides_of_pair(list[i]);
                         const std::array<Index, 2> now{sides.a().front(), sides.a().back()};
                         if (now == last || !same_object(sides, in.surface)) continue;
                         last = now;
                         for (const Index vertex : sides.a())
                           if (!balls.has(vertex)) wanted.push_back(vertex);
                       }
                     });
  for (const Index vertex : scratch.wanted) balls.want(vertex);
}

/// Looks whether the ball around a vertex of side a holds one of side b.
template <class Pair, class SidesOf>
std::size_t exclude_near(Context& context, const ExcludeIn& in, ExcludeScratch& scratch, const SidesOf& sides_of_pair,
                         Pair* list, std::size_t count) {
  return compact(context, list, count, scratch, [&](ExcludeScratch::Counts& counts) {
    return [&](const Pair& pair) {
      const Sides sides = sides_of_pair(pair);
      const bool near = same_object(sides, in.surface) &&
                        any_pair(sides, [&](Index a, Index b) { return scratch.balls.contains(a, b); });
      counts.near += near ? 1 : 0;
      return !near;
    };
  });
}

void begin_balls(const ExcludeIn& in, const Excludes& excludes, SurfaceBalls& balls) {
  const std::uint64_t shape = excludes.rest_shape();
  balls.begin(in.surface, shape == 0 ? in.positions : excludes.rest_positions(), shape, excludes.surface_distance(),
              shape != 0 && excludes.follows_stretch() ? in.positions : std::span<const Eigen::Vector3d>());
}

void add_counts(const ExcludeScratch& scratch, StageStats& stats) {
  for (const ExcludeScratch::Counts& counts : scratch.counts) {
    stats.add_culled("filtered", counts.filtered);
    stats.add_culled("excluded", counts.excluded);
    stats.add_culled("near on surface", counts.near);
  }
}

}  // namespace

void Excludes::set(const ContactFilters& filters, const Surface& surface, double distance,
                   const broad::ObjectChoice& choice) {
  objects_.set(filters, surface, choice);
  require(filters.vertex_enabled.empty() || filters.vertex_enabled.size() == surface.vertex_count(),
          ErrorCode::invalid_argument, "vertex_enabled has {} flags for a surface of {} vertices",
          filters.vertex_enabled.size(), surface.vertex_count());
  vertex_enabled_ = filters.vertex_enabled;
  tangled_ = choice.tangled != nullptr && !choice.tangled->empty() ? choice.tangled : nullptr;
  set_vertices(filters, surface);
  set_surface(filters, surface, distance);
  active_ =
      objects_.active() || !vertex_enabled_.empty() || tangled_ != nullptr || !listed_.empty() || surface_distance_ > 0;
}

void Excludes::set_vertices(const ContactFilters& filters, const Surface& surface) {
  const auto count = static_cast<Index>(surface.vertex_count());
  const auto given = filters.excluded_vertices;
  if (highest_ < count && std::equal(given.begin(), given.end(), given_.begin(), given_.end())) return;
  given_.clear();
  listed_.clear();
  highest_ = none;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto [a, b] = given[i];
    for (const Index vertex : {a, b}) {
      require(vertex >= 0 && vertex < count, ErrorCode::bad_index,
              "excluded_vertices[{}] names vertex {}, but there are {} vertices", i, vertex, count);
    }
  }
  for (const auto& [a, b] : given) {
    listed_.push_back({a, b});
    listed_.push_back({b, a});
    highest_ = std::max({highest_, a, b});
  }
  std::sort(listed_.begin(), listed_.end());
  rows_.assign(static_cast<std::size_t>(highest_) + 2, 0);
  in_list_.assign((static_cast<std::size_t>(highest_) + 1) / 64 + 1, 0);
  for (const auto& [a, b] : listed_) {
    ++rows_[static_cast<std::size_t>(a) + 1];
    in_list_[static_cast<std::size_t>(a) / 64] |= std::uint64_t{1} << (static_cast<std::size_t>(a) % 64);
  }
  for (std::size_t v = 1; v < rows_.size(); ++v) rows_[v] += rows_[v - 1];
  given_.assign(given.begin(), given.end());
}

bool Excludes::in_rows(Index a, Index b) const {
  const auto row = listed_.begin() + static_cast<std::ptrdiff_t>(rows_[static_cast<std::size_t>(a)]);
  const auto end = listed_.begin() + static_cast<std::ptrdiff_t>(rows_[static_cast<std::size_t>(a) + 1]);
  return std::binary_search(row, end, std::array<Index, 2>{a, b});
}

void Excludes::set_surface(const ContactFilters& filters, const Surface& surface, double distance) {
  require(std::isfinite(filters.surface_factor) && filters.surface_factor >= 0, ErrorCode::invalid_argument,
          "surface_factor is {}; expected a number that is not negative", filters.surface_factor);
  surface_distance_ = filters.surface_factor * distance;
  const auto given = filters.rest_positions;
  require(given.empty() || given.size() == surface.vertex_count(), ErrorCode::invalid_argument,
          "{} rest positions for a surface of {} vertices", given.size(), surface.vertex_count());
  if (surface_distance_ == 0 || given.empty()) {
    rest_positions_.clear();
    return;
  }
  if (std::equal(given.begin(), given.end(), rest_positions_.begin(), rest_positions_.end())) return;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Eigen::Vector3d& p = given[i];
    require(is_finite(p), ErrorCode::not_finite, "rest position of vertex {} is ({}, {}, {}); expected finite", i,
            p.x(), p.y(), p.z());
  }
  rest_positions_.assign(given.begin(), given.end());
  ++rest_shape_;
}

void exclude(Context& context, const ExcludeIn& in, const Excludes& excludes, ExcludeScratch& scratch,
             std::vector<Hit>& hits, StageStats& stats) {
  if (!excludes.active()) return;
  const HitSides sides{in.surface.triangles()};
  scratch.counts.assign(chunk_count(hits.size(), exclusion_grain), {});
  hits.resize(exclude_listed(context, in, excludes, true, scratch, sides, hits.data(), hits.size()));
  if (excludes.surface_distance() > 0) {
    begin_balls(in, excludes, scratch.balls);
    want_balls(context, in, scratch, sides, hits.data(), hits.size());
    scratch.balls.find(context);
    hits.resize(exclude_near(context, in, scratch, sides, hits.data(), hits.size()));
  }
  add_counts(scratch, stats);
}

void exclude(Context& context, const ExcludeIn& in, const Excludes& excludes, ExcludeScratch& scratch,
             std::span<const Edge> edges, std::span<NumberedPairs* const> lists, StageStats& stats) {
  if (!excludes.active()) return;
  const FaceSides face_sides{in.surface.triangles()};
  const EdgeSides edge_sides{edges};
  std::size_t longest = 0;
  for (const NumberedPairs* pairs : lists)
    longest = std::max({longest, pairs->vertex_triangle.size(), pairs->edge_edge.size()});
  scratch.counts.assign(chunk_count(longest, exclusion_grain), {});
  const auto for_all = [&](const auto& body) {
    for (NumberedPairs* pairs : lists) {
      body(pairs->vertex_triangle, face_sides);
      body(pairs->edge_edge, edge_sides);
    }
  };
  if (excludes.looks_at_features()) {
    for_all([&](RawNumbers& list, const auto& sides) {
      list.resize(exclude_listed(context, in, excludes, false, scratch, sides, list.data(), list.size()));
    });
  }
  if (excludes.surface_distance() > 0) {
    begin_balls(in, excludes, scratch.balls);
    for_all([&](RawNumbers& list, const auto& sides) {
      want_balls(context, in, scratch, sides, list.data(), list.size());
    });
    scratch.balls.find(context);
    for_all([&](RawNumbers& list, const auto& sides) {
      list.resize(exclude_near(context, in, scratch, sides, list.data(), list.size()));
    });
  }
  add_counts(scratch, stats);
}

}  // namespace carom::narrow
