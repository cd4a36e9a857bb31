#pragma once

#include <limits>

#include "carom/detect/detect.hpp"
#include "detect/candidates.hpp"
#include "narrow/narrow.hpp"

/// The stages bounds to narrow in a row: what detect() and the step of a world share.
namespace carom::detection {

struct Options {
  double distance = 0;  ///< m
  PairScope pairs = PairScope::all;
  mid::Method method = mid::Method::clusters;
  ContactFilters filters{};
  broad::ObjectChoice choice{};
  bool coherent = true;  ///< may use what the last call with the same scratch found
  int sphere_depth = mid::SphereTreeOptions{}.depth;
  /// Distances along the surface on a rest shape follow where it has stretched.
  bool follow_stretch = false;
  /// Pairs that need not be found, which the method clusters leaves out.
  const FlatClusters* flat = nullptr;
  /// m; features of one object that are farther apart need not be found, and are left out by the method clusters.
  double self_distance = std::numeric_limits<double>::infinity();
};

struct Scratch {
  narrow::Excludes excludes;
  Candidates candidates;
  narrow::Scratch narrow;
};

/// Every pair of features closer than the distance that counts, in canonical order, into `scratch.narrow.hits`. Throws
/// as run() does.
void find_pairs(Context& context, const bounds::In& in, const Options& options, Scratch& scratch, PipelineStats& stats);

/// Throws Error that names the entry of a filter or the vertex whose position is not finite.
void run(Context& context, const bounds::In& in, const Options& options, Scratch& scratch,
         std::vector<Contact>& contacts, PipelineStats& stats);
void run(Context& context, const bounds::In& in, const Options& options, Scratch& scratch, CompactContacts& contacts,
         PipelineStats& stats);

}  // namespace carom::detection
