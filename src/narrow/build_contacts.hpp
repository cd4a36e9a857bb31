#pragma once

#include <span>
#include <vector>

#include "carom/detect/detect.hpp"
#include "core/context.hpp"
#include "narrow/hit.hpp"

namespace carom::narrow {

/// The contacts of sorted hits, in the same order: what vertex_face() and edge_edge() of
/// narrow/proximity.hpp make of each, bit by bit, many at once.
void build_contacts(Context& context, std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> positions,
                    std::span<const Hit> hits, std::vector<Contact>& contacts);

}  // namespace carom::narrow
