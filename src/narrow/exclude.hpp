#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "broad/object_filter.hpp"
#include "carom/core/stats.hpp"
#include "carom/detect/filters.hpp"
#include "core/context.hpp"
#include "narrow/hit.hpp"
#include "narrow/pair_sort.hpp"
#include "narrow/surface_balls.hpp"

/// Takes away hits that are not to count as contacts (carom/detect/filters.hpp). It looks at pairs of
/// features that were found close, so it does not depend on how they were found.
namespace carom::narrow {

/// The filters of a call: checked, sorted, and with a memory of what was checked before.
class Excludes {
 public:
  /// Throws Error that names the entry.
  void set(const ContactFilters& filters, const Surface& surface, double distance,
           const broad::ObjectChoice& choice = {});

  bool active() const { return active_; }
  /// Null if all objects may touch.
  const broad::ObjectFilter* objects() const { return objects_.active() ? &objects_ : nullptr; }
  bool enabled(Index vertex) const {
    return vertex_enabled_.empty() || vertex_enabled_[static_cast<std::size_t>(vertex)] != 0;
  }
  bool listed(Index a, Index b) const { return in_list(a) && in_list(b) && in_rows(a, b); }
  /// Whether single features are left out, not only whole objects or by distance along the surface.
  bool looks_at_features() const { return !vertex_enabled_.empty() || tangled_ != nullptr || !listed_.empty(); }
  /// Null if nothing is tangled.
  const broad::Tangled* tangled() const { return tangled_; }

  /// m; features of one object that are closer along the surface are no contacts; 0 = off.
  double surface_distance() const { return surface_distance_; }
  /// Empty if the current shape counts.
  std::span<const Eigen::Vector3d> rest_positions() const { return rest_positions_; }
  /// Another number for another rest shape; 0 for the current one.
  std::uint64_t rest_shape() const { return rest_positions_.empty() ? 0 : rest_shape_; }
  /// Whether lengths on a rest shape follow where the surface has stretched, see SurfaceBalls::begin().
  bool follows_stretch() const { return follows_stretch_; }
  void follow_stretch(bool follow) { follows_stretch_ = follow; }

 private:
  void set_vertices(const ContactFilters& filters, const Surface& surface);
  void set_surface(const ContactFilters& filters, const Surface& surface, double distance);
  /// Most vertices are in no pair: a bit each is soon looked up.
  bool in_list(Index vertex) const {
    return vertex <= highest_ &&
           (in_list_[static_cast<std::size_t>(vertex) / 64] >> (static_cast<std::size_t>(vertex) % 64) & 1U) != 0;
  }
  bool in_rows(Index a, Index b) const;

  bool active_ = false;
  broad::ObjectFilter objects_;
  std::span<const std::uint8_t> vertex_enabled_;
  const broad::Tangled* tangled_ = nullptr;
  std::vector<std::array<Index, 2>> given_;   // excluded_vertices of the call before
  std::vector<std::array<Index, 2>> listed_;  // both ways round, sorted
  Index highest_ = none;                      // vertex in given_
  std::vector<std::uint32_t> rows_;           // where those of a vertex begin in listed_
  std::vector<std::uint64_t> in_list_;        // a bit for each vertex
  double surface_distance_ = 0;
  bool follows_stretch_ = false;
  std::vector<Eigen::Vector3d> rest_positions_;
  std::uint64_t rest_shape_ = 0;
};

struct ExcludeIn {
  const Surface& surface;
  std::span<const Eigen::Vector3d> positions;
};

struct ExcludeScratch {
  struct Counts {
    std::uint64_t filtered = 0, excluded = 0, near = 0;
  };
  OrderedAppend<Index> append;
  std::vector<Index> wanted;  ///< vertices that need a ball
  std::vector<std::size_t> kept;
  std::vector<Counts> counts;
  SurfaceBalls balls;
};

/// Those that stay keep their order.
void exclude(Context& context, const ExcludeIn& in, const Excludes& excludes, ExcludeScratch& scratch,
             std::vector<Hit>& hits, StageStats& stats);

/// The same of lists of pairs by number, whose objects may touch. `edges` are those that the numbers are of.
void exclude(Context& context, const ExcludeIn& in, const Excludes& excludes, ExcludeScratch& scratch,
             std::span<const Edge> edges, std::span<NumberedPairs* const> lists, StageStats& stats);

}  // namespace carom::narrow
