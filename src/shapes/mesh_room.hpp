#pragma once

#include "shapes/mesh_data.hpp"

namespace carom::shapes {

/// Whether a mesh is a room, as MeshSolid says: closed pieces face inward, and each that faces outward is inside of
/// those, at least in part. A piece faces inward if its signed volume is negative, beyond rounding: sheets of two sides
/// that lie on each other do not face anywhere. Needs all of the data but `room`.
bool faces_inward(const MeshData& data);

}  // namespace carom::shapes
