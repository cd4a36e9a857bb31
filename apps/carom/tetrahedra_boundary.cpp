#include "tetrahedra_boundary.hpp"

#include <algorithm>
#include <filesystem>

#include "carom/io/tetrahedra_file.hpp"
#include "core/check.hpp"

namespace carom::app {

MeshFile read_boundary(const std::string& name, TetrahedraReport& report) {
  const TetrahedralMesh tetrahedra = read_tetrahedra(name);
  report.nodes = tetrahedra.positions.size();
  report.tetrahedra = tetrahedra.tetrahedra.size();
  for (std::size_t i = 0; i < report.tetrahedra; ++i) {
    const double volume = volume_of(tetrahedra, i);
    report.smallest_volume = i == 0 ? volume : std::min(report.smallest_volume, volume);
    report.largest_volume = std::max(report.largest_volume, volume);
  }
  MeshFile file;
  file.object_names = {std::filesystem::path(name).stem().string()};
  std::vector<Index> number(report.nodes, none);
  for (Triangle triangle : boundary_triangles(tetrahedra)) {
    for (Index& corner : triangle) {
      Index& own = number[static_cast<std::size_t>(corner)];
      if (own == none) {
        own = static_cast<Index>(file.mesh.positions.size());
        file.mesh.positions.push_back(tetrahedra.positions[static_cast<std::size_t>(corner)]);
      }
      corner = own;
    }
    file.mesh.triangles.push_back(triangle);
  }
  file.object_of_triangle.assign(file.mesh.triangles.size(), 0);
  return file;
}

void refuse_surface_options(const MeshReadOptions& options, const std::string& file) {
  const MeshReadOptions defaults;
  const char* name = options.up != defaults.up       ? "--up"
                     : options.unit != defaults.unit ? "--unit"
                     : options.weld != defaults.weld ? "--weld"
                                                     : nullptr;
  require(name == nullptr, ErrorCode::invalid_argument, "{}: {} is for meshes of triangles; these are tetrahedra", file,
          name == nullptr ? "" : name);
}

}  // namespace carom::app
