#include "info_many.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "bench/table.hpp"
#include "carom/core/error.hpp"
#include "carom/io/mesh_file.hpp"
#include "carom/io/tetrahedra_file.hpp"
#include "carom/mesh/weld.hpp"
#include "interrupt.hpp"
#include "lengths.hpp"
#include "part_state.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "say.hpp"
#include "tetrahedra_boundary.hpp"

namespace carom::app {
namespace {

using Json = nlohmann::ordered_json;

Json vector_json(const Eigen::Vector3d& v) {
  return {v.x(), v.y(), v.z()};
}

}  // namespace

int many_info(const std::vector<std::string>& files, const InfoOptions& options, Output& output) {
  const Lengths unit(options.reading);
  bench::Table table{
      .title = "",
      .head = {"file", "triangles", "parts", "size in " + unit.name, "volume in " + unit.name + "3", "state"},
      .rows = {}};
  Json list = Json::array();
  std::size_t faulty = 0;
  {
    Progress progress("info", files.size());
    for (std::size_t i = 0; i < files.size() && !interrupted_by_user(); ++i) {
      const std::string name = std::filesystem::path(files[i]).filename().string();
      try {
        if (is_tetrahedra_file(files[i])) refuse_surface_options(options.reading, files[i]);
        TetrahedraReport tetrahedra;
        const MeshFile file = is_tetrahedra_file(files[i]) ? read_boundary(files[i], tetrahedra)
                                                           : read_mesh_file(files[i], options.reading);
        const TriangleMesh mesh = weld(file.mesh, 0);
        const MeshReport report = inspect(mesh);
        const std::size_t lost = std::accumulate(file.lost_faces.begin(), file.lost_faces.end(), std::size_t{0});
        const std::vector<PartDefect> state = examine(mesh, {.lost_faces = lost, .threads = 0});
        if (!state.empty()) ++faulty;
        std::string words;
        for (const PartDefect& defect : state) words += (words.empty() ? "" : ", ") + defect.text;
        const Eigen::Vector3d size = report.box_max - report.box_min;
        const double cubic = unit.length * unit.length * unit.length;
        const bool solid = report.watertight() && report.oriented();
        table.add(
            {name, std::to_string(report.triangles), std::to_string(report.components),
             fmt::format("{:.4g} x {:.4g} x {:.4g}", unit.value(size.x()), unit.value(size.y()), unit.value(size.z())),
             solid ? fmt::format("{:.4g}", std::abs(report.volume) / cubic) : "-", words.empty() ? "good" : words});
        const std::size_t duplicates = file.mesh.positions.size() - mesh.positions.size();
        if (duplicates > 0)
          table.rows.back().back() +=
              fmt::format("; {} at the place of others (--weld)", counted(duplicates, "vertex", "vertices"));
        Json defects = Json::array();
        for (const PartDefect& defect : state) defects.push_back(to_json(defect));
        list.push_back({{"file", files[i]},
                        {"objects", file.object_names},
                        {"vertices", report.vertices},
                        {"duplicate_vertices", duplicates},
                        {"triangles", report.triangles},
                        {"components", report.components},
                        {"box_min", vector_json(report.box_min)},
                        {"box_max", vector_json(report.box_max)},
                        {"area", report.area},
                        {"volume", solid ? Json(report.volume) : Json(nullptr)},
                        {"state", std::move(defects)}});
        if (tetrahedra.tetrahedra > 0) list.back()["tetrahedra"] = tetrahedra.tetrahedra;
      } catch (const Error& error) {
        ++faulty;
        table.add({name, "", "", "", "", error.what()});
        list.push_back({{"file", files[i]}, {"error", error.what()}});
      }
      progress.update(i + 1, "");
    }
  }
  if (interrupted_by_user()) return interrupted_exit_code();
  if (output.wanted()) output.write(dump({{"files", std::move(list)}, {"faulty", faulty}}));
  if (!output.to_stdout())
    say(stdout, "{}\n{}, {} with defects\n", Lines{table.text()}, counted(files.size(), "file"), faulty);
  return faulty == 0 ? done : found_problems;
}

}  // namespace carom::app
