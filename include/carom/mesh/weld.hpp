#pragma once

#include "carom/mesh/mesh.hpp"

namespace carom {

/// Joins vertices no farther apart than `distance` (m, 0: at exactly the same place) to the first of them, and what is
/// near that one only through others to those: a chain of near vertices becomes one. Triangles keep their order; those
/// of which two corners become one are dropped, `kept` gets the numbers of the others. Throws Error(invalid_argument,
/// not_finite).
TriangleMesh weld(const TriangleMesh& mesh, double distance, std::vector<Index>* kept = nullptr);

}  // namespace carom
