#pragma once

#include <span>
#include <vector>

#include "bounds/box.hpp"
#include "broad/broad.hpp"
#include "carom/detect/detect.hpp"
#include "core/context.hpp"

namespace carom::mid {

/// A triangle that takes part, and the lattice for which it does.
struct Member {
  Index triangle = none;
  Index lattice = none;
};

/// The region of interest of an object pair: the overlap of the two boxes, which holds the overlap of
/// any box in the one with any box in the other.
Box region_of(std::span<const Box> objects, const broad::ObjectPair& pair);

/// Around the regions of all pairs.
Box region_of(std::span<const Box> objects, std::span<const broad::ObjectPair> pairs);

/// Every triangle once, all in lattice 0, but none with an empty box and none of an object without a
/// pair: for contacts within objects all of them, for contacts between objects only what lies in the box of another one
/// (the region of interest of F. Léonard, 3.2 and 3.3). Ascending by triangle.
void collect_members(Context& context, const Surface& surface, std::span<const Box> triangles,
                     std::span<const Box> objects, std::span<const broad::ObjectPair> object_pairs, PairScope scope,
                     OrderedAppend<Member>& append, std::vector<Member>& members);

}  // namespace carom::mid
