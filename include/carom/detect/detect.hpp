#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "carom/core/stats.hpp"
#include "carom/detect/contact.hpp"
#include "carom/detect/filters.hpp"
#include "carom/mesh/mesh.hpp"
#include "carom/mesh/surface.hpp"

namespace carom {

/// Pairs of features that count: of different objects, of one and the same, or both.
enum class PairScope { between, self, all };

struct DetectOptions {
  double distance = 0;  ///< m; pairs closer than this are reported; must be positive
  PairScope pairs = PairScope::all;
  std::string method = "auto";  ///< one of detect_methods(); auto picks for you
  /// Levels of the trees of the method `spheres`, 1 to 32; others do not use it. 15 is that of the source.
  int sphere_depth = 15;
  int threads = 0;           ///< 0 = as many as the machine has; the result does not depend on it
  ContactFilters filters{};  ///< close pairs that are not to count
  /// `auto` may use what the last call with the same scratch kept of clusters that move slowly, or together: faster.
  /// The result does not depend on it.
  bool coherent = true;
};

/// Names that DetectOptions::method takes.
std::span<const std::string_view> detect_methods();

/// Working memory that is worth keeping from call to call: with it, a call allocates nothing once warm, except where a
/// tree has to be made again. One per thread of the caller; any surface may follow any other.
class DetectScratch {
 public:
  DetectScratch();
  ~DetectScratch();
  DetectScratch(DetectScratch&&) noexcept;
  DetectScratch& operator=(DetectScratch&&) noexcept;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Finds every vertex-triangle and every edge-edge pair that shares no vertex and is closer than the
/// distance and is not filtered out, each once, in canonical order. Fills the entries bounds to narrow of `stats`.
/// Throws Error: not_finite (names the vertex), bad_index (names the entry of a filter),
/// invalid_argument, unknown_name.
void detect(const Surface& surface, std::span<const Eigen::Vector3d> positions, const DetectOptions& options,
            DetectScratch& scratch, std::vector<Contact>& contacts, PipelineStats& stats);

/// Contacts of a surface, for a single call.
std::vector<Contact> detect(const Surface& surface, std::span<const Eigen::Vector3d> positions,
                            const DetectOptions& options);

}  // namespace carom
