#pragma once

#include <span>
#include <vector>

#include "carom/detect/compact_contacts.hpp"
#include "core/context.hpp"
#include "core/radix_sort.hpp"
#include "mid/bvh.hpp"
#include "mid/mid.hpp"
#include "narrow/exclude.hpp"
#include "narrow/hit.hpp"

/// Stage `narrow`: which features of the triangle pairs are closer than the contact distance, and
/// where. Each vertex and each edge is tested by the one triangle that owns it, so a pair of
/// features is tested once however many triangles share them; whether two features are neighbours
/// is decided for each pair of features, by whether they share a vertex.
namespace carom::narrow {

struct In {
  const Surface& surface;
  std::span<const Eigen::Vector3d> positions;
  std::span<const mid::TrianglePair> pairs{};  ///< not looked at if there is a tree
  const mid::Bvh* bvh = nullptr;
};

struct Scratch {
  struct Counts {
    std::uint64_t tests = 0, adjacent = 0, box = 0, distance = 0;
  };
  OrderedAppend<Hit> append;
  std::vector<Hit> hits;
  RadixSort<Hit> sort;
  std::vector<std::size_t> run_begin;
  std::vector<Counts> counts;
  NumberedPairs numbers;  ///< hits by number
  ExcludeScratch exclude;
};

/// All pairs of features closer than the distance, in canonical order, into `scratch.hits`. Filters do not matter here.
void find(Context& context, const In& in, double distance, Scratch& scratch, StageStats& stats);

/// Into canonical order.
void sort_hits(Context& context, std::vector<Hit>& hits, Scratch& scratch);

/// Those of `pairs`, which are in canonical order, that are closer than the distance, into `scratch.hits`.
void select(Context& context, const In& in, std::span<const Hit> pairs, double distance, Scratch& scratch,
            StageStats& stats);

/// Leaves in `scratch.hits` those that count, in the same order.
void sift(Context& context, const In& in, const Excludes& excludes, Scratch& scratch, StageStats& stats);

/// The contacts of `scratch.hits`, in the same order, without those that do not count.
void report(Context& context, const In& in, const Excludes* excludes, Scratch& scratch, std::vector<Contact>& contacts,
            StageStats& stats);
void report(Context& context, const In& in, const Excludes* excludes, Scratch& scratch, CompactContacts& contacts,
            StageStats& stats);

}  // namespace carom::narrow
