#pragma once

#include "bounds/bounds.hpp"
#include "broad/broad.hpp"
#include "carom/detect.hpp"
#include "mid/mid.hpp"
#include "narrow/narrow.hpp"

/// The stages bounds to narrow in a row: what detect() and the step of a world share.
namespace carom::detection {

struct Options {
  double distance = 0;  ///< m
  PairScope pairs = PairScope::all;
  mid::Method method = mid::Method::bvh;
  ContactFilters filters{};
};

struct Scratch {
  narrow::Excludes excludes;
  bounds::Out bounds;
  broad::Out broad;
  mid::Out mid;
  mid::Bvh bvh;
  std::vector<std::uint8_t> object_wanted;
  narrow::Scratch narrow;
};

/// Throws Error that names the entry of a filter or the vertex whose position is not finite.
void run(Context& context, const bounds::In& in, const Options& options, Scratch& scratch,
         std::vector<Contact>& contacts, PipelineStats& stats);

}  // namespace carom::detection
