#include "mid/mid.hpp"

#include <array>
#include <cassert>

#include "core/check.hpp"
#include "core/stage_timer.hpp"
#include "mid/grid.hpp"
#include "mid/hgrid.hpp"
#include "mid/sweep.hpp"

namespace carom {

namespace {
constexpr std::array<std::string_view, 8> method_names{"auto", "bvh",   "bvh14",   "bvh18",
                                                       "grid", "hgrid", "spheres", "sweep"};
}

std::span<const std::string_view> detect_methods() {
  return method_names;
}

namespace mid {

std::string_view to_string(Method method) {
  switch (method) {
    case Method::clusters:
      return "bvh";
    case Method::bvh14:
      return "bvh14";
    case Method::bvh18:
      return "bvh18";
    case Method::spheres:
      return "spheres";
    case Method::sweep:
      return "sweep";
    case Method::grid:
      return "grid";
    case Method::hgrid:
      return "hgrid";
  }
  return "unknown";
}

bool is_tree(Method method) {
  return method == Method::bvh14 || method == Method::bvh18;
}

bool takes_steps(Method method) {
  return method == Method::clusters || is_tree(method);
}

Volume volume_of(Method method) {
  return method == Method::bvh18 ? Volume::dop18 : Volume::dop14;
}

Method method_by_name(std::string_view name) {
  if (name == "auto" || name == "bvh") return Method::clusters;
  if (name == "bvh14") return Method::bvh14;
  if (name == "bvh18") return Method::bvh18;
  if (name == "spheres") return Method::spheres;
  if (name == "sweep") return Method::sweep;
  if (name == "grid") return Method::grid;
  if (name == "hgrid") return Method::hgrid;
  fail(ErrorCode::unknown_name, "no detection method is called '{}'; expected one of: {}", name,
       fmt::join(method_names, ", "));
}

void check_sphere_depth(int depth) {
  require(depth >= min_sphere_depth && depth <= max_sphere_depth, ErrorCode::invalid_argument,
          "sphere_depth is {}; expected {} to {}", depth, min_sphere_depth, max_sphere_depth);
}

void run(Context& context, const In& in, const Options& options, Out& out, StageStats& stats) {
  const StageTimer timer(stats);
  switch (options.method) {
    case Method::clusters:
    case Method::bvh14:
    case Method::bvh18:
      assert(false && "trees and clusters start from positions");
      break;
    case Method::spheres:
      out.spheres.run(context, {in.surface, in.positions, in.triangles, in.object_pairs, in.distance},
                      {.depth = options.sphere_depth}, out.pairs, stats);
      break;
    case Method::sweep:
      sweep(context, in, options, out, stats);
      break;
    case Method::grid:
      grid(context, in, options, out, stats);
      break;
    case Method::hgrid:
      hgrid(context, in, options, out, stats);
      break;
  }
  stats.set_unit("pairs of triangles");
  stats.out += out.pairs.size();
}

}  // namespace mid
}  // namespace carom
