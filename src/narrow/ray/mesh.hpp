#pragma once

#include "narrow/ray/triangle.hpp"
#include "shapes/mesh_data.hpp"

namespace carom::rays {

/// The first triangle, from the time `from` to `to`, with a margin. What is behind `from` by no more than `rounding` is
/// at it. Empty if there is none; `leave` does not count.
Span mesh(const TriangleTest& test, const shapes::MeshData& mesh, double margin, double from, double to,
          double rounding);

}  // namespace carom::rays
