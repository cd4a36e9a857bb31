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

/// All filters but the one that measures along the surface.
broad::Verdict verdict(const Sides& sides, const Surface& surface, const Excludes& excludes,
                       std::optional<ObjectVerdict>& objects) {
  for (const Index vertex : sides.all()) {
    if (!excludes.enabled(vertex)) return broad::Verdict::filtered;
  }
  const auto object_a = [&] { return object_of(sides.a().front(), surface); };
  const auto object_b = [&] { return object_of(sides.b().front(), surface); };
  if (objects) {
    const auto of_objects = (*objects)(object_a(), object_b());
    if (of_objects != broad::Verdict::allowed) return of_objects;
  }
  if (const broad::Tangled* tangled = excludes.tangled()) {
    if (tangled->lets_through(sides.a(), object_a(), sides.b(), object_b())) return broad::Verdict::excluded;
  }
  if (!excludes.lists_vertices()) return broad::Verdict::allowed;
  return any_pair(sides, [&](Index a, Index b) { return excludes.listed(a, b); }) ? broad::Verdict::excluded
                                                                                  : broad::Verdict::allowed;
}

void exclude_listed(Context& context, const ExcludeIn& in, const Excludes& excludes, ExcludeScratch& scratch,
                    std::vector<Hit>& hits) {
  scratch.append.run(context.workers, hits.size(), exclusion_grain, scratch.kept,
                     [&](std::size_t begin, std::size_t end, std::vector<Hit>& kept, std::size_t chunk) {
                       ExcludeScratch::Counts& counts = scratch.counts[chunk];
                       std::optional<ObjectVerdict> objects;
                       if (excludes.objects() != nullptr) objects.emplace(*excludes.objects());
                       for (std::size_t i = begin; i < end; ++i) {
                         switch (verdict(sides_of(hits[i], in.surface.triangles()), in.surface, excludes, objects)) {
                           case broad::Verdict::allowed:
                             kept.push_back(hits[i]);
                             break;
                           case broad::Verdict::excluded:
                             ++counts.excluded;
                             break;
                           case broad::Verdict::filtered:
                             ++counts.filtered;
                             break;
                         }
                       }
                     });
  hits.swap(scratch.kept);
}

/// A ball around each vertex of side a, and a look whether it holds one of side b. No path leads from
/// object to object, so pairs of different objects need no ball.
void exclude_near(Context& context, const ExcludeIn& in, const Excludes& excludes, ExcludeScratch& scratch,
                  std::vector<Hit>& hits) {
  const auto triangles = in.surface.triangles();
  const auto same_object = [&](const Sides& sides) {
    return object_of(sides.a().front(), in.surface) == object_of(sides.b().front(), in.surface);
  };
  const std::uint64_t shape = excludes.rest_shape();
  SurfaceBalls& balls = scratch.balls;
  balls.begin(in.surface, shape == 0 ? in.positions : excludes.rest_positions(), shape, excludes.surface_distance());
  for (const Hit& hit : hits) {
    const Sides sides = sides_of(hit, triangles);
    if (!same_object(sides)) continue;
    for (const Index vertex : sides.a()) balls.want(vertex);
  }
  balls.find(context);
  scratch.append.run(context.workers, hits.size(), exclusion_grain, scratch.kept,
                     [&](std::size_t begin, std::size_t end, std::vector<Hit>& kept, std::size_t chunk) {
                       for (std::size_t i = begin; i < end; ++i) {
                         const Sides sides = sides_of(hits[i], triangles);
                         const auto near = [&](Index a, Index b) { return balls.contains(a, b); };
                         if (same_object(sides) && any_pair(sides, near)) {
                           ++scratch.counts[chunk].near;
                         } else {
                           kept.push_back(hits[i]);
                         }
                       }
                     });
  hits.swap(scratch.kept);
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
  given_.assign(given.begin(), given.end());
}

bool Excludes::listed(Index a, Index b) const {
  return std::binary_search(listed_.begin(), listed_.end(), std::array<Index, 2>{a, b});
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
  scratch.counts.assign(chunk_count(hits.size(), exclusion_grain), {});
  exclude_listed(context, in, excludes, scratch, hits);
  if (excludes.surface_distance() > 0) exclude_near(context, in, excludes, scratch, hits);

  for (const ExcludeScratch::Counts& counts : scratch.counts) {
    stats.add_culled("filtered", counts.filtered);
    stats.add_culled("excluded", counts.excluded);
    stats.add_culled("near on surface", counts.near);
  }
}

}  // namespace carom::narrow
