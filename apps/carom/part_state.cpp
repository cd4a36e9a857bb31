#include "part_state.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "carom/detect/intersect.hpp"
#include "carom/mesh/surface.hpp"
#include "carom/mesh/weld.hpp"
#include "core/at.hpp"
#include "report.hpp"

namespace carom::app {

std::vector<PartDefect> examine(const TriangleMesh& part, const ExamineOptions& options) {
  const TriangleMesh mesh = weld(part, 0);
  const MeshReport report = inspect(mesh);
  std::vector<PartDefect> defects;
  const auto middle = [&](const Edge& e) -> Eigen::Vector3d {
    return 0.5 * (mesh.positions[at(e[0])] + mesh.positions[at(e[1])]);
  };
  if (options.lost_faces > 0)
    defects.push_back(
        {"lost_faces", options.lost_faces,
         fmt::format("without {} that could not be cut into triangles", counted(options.lost_faces, "face")),
         "overlaps there are not found",
         report.boundary_edges.empty() ? mesh.positions[at(mesh.triangles.front()[0])]
                                       : middle(report.boundary_edges.front())});
  if (!report.boundary_edges.empty()) {
    const std::size_t holes = std::max<std::size_t>(report.boundary_loops, 1);
    defects.push_back({"open", holes, fmt::format("open ({})", counted(holes, "hole")),
                       "parts inside of it are not found, and its overlaps have no volume",
                       middle(report.boundary_edges.front())});
  }
  if (!report.nonmanifold_edges.empty())
    defects.push_back({"non_manifold", report.nonmanifold_edges.size(),
                       fmt::format("non-manifold ({} with more than two triangles)",
                                   counted(report.nonmanifold_edges.size(), "edge")),
                       "inside is what the surface winds around, which may not be what is meant",
                       middle(report.nonmanifold_edges.front())});
  if (!report.inconsistent_edges.empty())
    defects.push_back({"inconsistent", report.inconsistent_edges.size(),
                       fmt::format("not oriented ({} between triangles that face different ways)",
                                   counted(report.inconsistent_edges.size(), "edge")),
                       "it counts as open: parts inside of it are not found",
                       middle(report.inconsistent_edges.front())});
  if (report.watertight() && report.oriented() && report.volume < 0)
    defects.push_back({"inside_out", 1, "inside out", "it is taken as the solid that it encloses",
                       mesh.positions[at(mesh.triangles.front()[0])]});
  if (!options.self_intersections) return defects;
  const Surface surface(mesh.positions.size(), mesh.triangles);
  const std::vector<Intersection> found = intersections(surface, mesh.positions, {.threads = options.threads});
  if (!found.empty())
    defects.push_back(
        {"self_intersecting", found.size(),
         fmt::format("cut by itself ({})", counted(found.size(), "pair of triangles", "pairs of triangles")),
         "volumes count twice what it encloses twice", 0.5 * (found.front().start + found.front().end)});
  return defects;
}

nlohmann::ordered_json to_json(const PartDefect& defect) {
  return {{"name", defect.name},
          {"count", defect.count},
          {"text", defect.text},
          {"consequence", defect.consequence},
          {"place", {defect.place.x(), defect.place.y(), defect.place.z()}}};
}

}  // namespace carom::app
