#pragma once

#include "carom/detect/detect.hpp"
#include "detect/candidates.hpp"
#include "detect/pair_cache.hpp"
#include "narrow/narrow.hpp"

/// The stages bounds to narrow in a row: what detect() and the step of a world share.
namespace carom::detection {

struct Options {
  double distance = 0;  ///< m
  PairScope pairs = PairScope::all;
  mid::Method method = mid::Method::bvh;
  ContactFilters filters{};
  broad::ObjectChoice choice{};
  bool coherent = true;  ///< may use what the last call with the same scratch found
  int sphere_depth = mid::SphereTreeOptions{}.depth;
};

struct Scratch {
  narrow::Excludes excludes;
  Candidates candidates;
  narrow::Scratch narrow;
  PairCache self{PairScope::self};
  PairCache between{PairScope::between};
  std::vector<narrow::Hit> hits, merged;
};

/// With a tree, after `candidates.bounds` and `candidates.broad`: every pair of features closer than the distance, in
/// canonical order, into `scratch.narrow.hits`, whatever the filters.
void find_near(Context& context, const bounds::In& in, const CandidateOptions& options, bool coherent, Scratch& scratch,
               PipelineStats& stats);

/// Every pair of features closer than the distance that counts, in canonical order, into `scratch.narrow.hits`. Throws
/// as run() does.
void find_pairs(Context& context, const bounds::In& in, const Options& options, Scratch& scratch, PipelineStats& stats);

/// Throws Error that names the entry of a filter or the vertex whose position is not finite.
void run(Context& context, const bounds::In& in, const Options& options, Scratch& scratch,
         std::vector<Contact>& contacts, PipelineStats& stats);
void run(Context& context, const bounds::In& in, const Options& options, Scratch& scratch, CompactContacts& contacts,
         PipelineStats& stats);

}  // namespace carom::detection
