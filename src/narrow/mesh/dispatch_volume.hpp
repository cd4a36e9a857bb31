#pragma once

#include "narrow/mesh/traverse.hpp"
#include "shapes/mesh_data.hpp"

namespace carom::mesh {

/// body(view) with the view of the kind of volume that both meshes have: boxes if they differ.
template <class Body>
auto dispatch_volume(const shapes::MeshData& a, const shapes::MeshData& b, const RelativePose& pose, Body&& body) {
  if (a.options.volume == b.options.volume) {
    if (a.options.volume == MeshVolume::sphere) return body(SphereView(pose));
    if (a.options.volume == MeshVolume::oriented_box) return body(OrientedView(pose));
    if (a.options.volume == MeshVolume::dop18) return body(DopView(pose));
  }
  return body(BoxView(pose));
}

}  // namespace carom::mesh
