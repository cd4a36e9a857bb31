#pragma once

#include <array>
#include <span>
#include <vector>

#include "broad/object_filter.hpp"
#include "carom/core/stats.hpp"
#include "carom/detect/filters.hpp"
#include "core/context.hpp"
#include "narrow/hit.hpp"
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
  bool listed(Index a, Index b) const;
  bool lists_vertices() const { return !listed_.empty(); }
  /// Null if nothing is tangled.
  const broad::Tangled* tangled() const { return tangled_; }

  /// m; features of one object that are closer along the surface are no contacts; 0 = off.
  double surface_distance() const { return surface_distance_; }
  /// Empty if the current shape counts.
  std::span<const Eigen::Vector3d> rest_positions() const { return rest_positions_; }
  /// Another number for another rest shape; 0 for the current one.
  std::uint64_t rest_shape() const { return rest_positions_.empty() ? 0 : rest_shape_; }

 private:
  void set_vertices(const ContactFilters& filters, const Surface& surface);
  void set_surface(const ContactFilters& filters, const Surface& surface, double distance);

  bool active_ = false;
  broad::ObjectFilter objects_;
  std::span<const std::uint8_t> vertex_enabled_;
  const broad::Tangled* tangled_ = nullptr;
  std::vector<std::array<Index, 2>> given_;   // excluded_vertices of the call before
  std::vector<std::array<Index, 2>> listed_;  // both ways round, sorted
  Index highest_ = none;                      // vertex in given_
  double surface_distance_ = 0;
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
  OrderedAppend<Hit> append;
  std::vector<Hit> kept;
  std::vector<Counts> counts;
  SurfaceBalls balls;
};

/// Those that stay keep their order.
void exclude(Context& context, const ExcludeIn& in, const Excludes& excludes, ExcludeScratch& scratch,
             std::vector<Hit>& hits, StageStats& stats);

}  // namespace carom::narrow
