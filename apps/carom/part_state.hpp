#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "carom/mesh/mesh.hpp"

namespace carom::app {

/// Something about a part that limits what is known of its clashes.
struct PartDefect {
  std::string name;         ///< lost_faces, open, inside_out, non_manifold, inconsistent, self_intersecting, degenerate
  std::size_t count = 0;    ///< holes, edges, pairs of triangles
  std::string text;         ///< such as "open (5 holes)"
  std::string consequence;  ///< for the answer
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< m, one of the places
};

struct ExamineOptions {
  bool self_intersections = true;
  std::size_t lost_faces = 0;  ///< as in MeshFile
  int threads = 1;
};

/// Defects of a part, vertices at the same place counted as one. Throws Error as inspect() does.
std::vector<PartDefect> examine(const TriangleMesh& part, const ExamineOptions& options);

nlohmann::ordered_json to_json(const PartDefect& defect);

}  // namespace carom::app
