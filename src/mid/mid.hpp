#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "bounds/box.hpp"
#include "broad/broad.hpp"
#include "carom/detect/detect.hpp"
#include "core/context.hpp"
#include "mid/bvh.hpp"
#include "mid/cell_scratch.hpp"
#include "mid/spheres.hpp"
#include "mid/triangle_pair.hpp"

/// Stage `mid`: which triangles may touch. Every method gives the same pairs: those whose boxes
/// overlap, in the objects that the broad phase paired, each once. Trees and `spheres` may leave out some that are
/// apart all the same.
namespace carom::mid {

struct In {
  const Surface& surface;
  std::span<const Box> triangles;  ///< empty ones take no part, whatever `overlap` says of them
  std::span<const Box> objects;
  std::span<const broad::ObjectPair> object_pairs;
  std::span<const Eigen::Vector3d> positions{};  ///< for `spheres`
  double distance = 0;                           ///< m, likewise
};

/// `clusters`, by name `auto` and `bvh`, goes by the clusters that come with a surface (detect/cluster_search.hpp), for
/// contacts, for pairs of triangles and over steps. `bvh14` and `bvh18` are trees of k-DOPs over clusters of their own.
enum class Method { clusters, bvh14, bvh18, grid, hgrid, spheres, sweep };
std::string_view to_string(Method method);

/// Whether the method is a tree of k-DOPs (mid/bvh.hpp).
bool is_tree(Method method);
/// Whether the method knows of steps, not only of frames.
bool takes_steps(Method method);
/// Of a tree.
Volume volume_of(Method method);

/// Throws Error(unknown_name) that lists the names there are.
Method method_by_name(std::string_view name);
/// Throws Error(invalid_argument) that names the depth.
void check_sphere_depth(int depth);

struct Options {
  Method method = Method::sweep;
  PairScope pairs = PairScope::all;
  /// The one that the broad phase had. A method may give pairs of triangles of objects that may not
  /// touch, for the narrow phase asks again; it is faster if it does not.
  const broad::ObjectFilter* filter = nullptr;
  int sphere_depth = SphereTreeOptions{}.depth;  ///< levels of the trees of `spheres`
};

/// A triangle that takes part, with its box, in the order of the sweep.
struct Swept {
  Box box;
  Index triangle = none;
  Index object = none;
};

struct Out {
  std::vector<TrianglePair> pairs;  ///< in an order that depends on the input alone

  // Working memory.
  std::vector<Swept> swept;
  OrderedAppend<TrianglePair> append;
  std::vector<std::array<std::uint64_t, 3>> counts;
  CellScratch cells;
  Spheres spheres;
};

void run(Context& context, const In& in, const Options& options, Out& out, StageStats& stats);

}  // namespace carom::mid
