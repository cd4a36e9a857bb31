#include "carom/mesh/weld.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/at.hpp"
#include "core/check.hpp"
#include "core/disjoint_sets.hpp"

namespace carom {
namespace {

/// Cells a little larger than the distance, so that near vertices are in neighboring cells.
using WeldCell = std::array<std::int64_t, 3>;

struct WeldCellHash {
  std::size_t operator()(const WeldCell& cell) const {
    std::uint64_t hash = 0;
    for (const std::int64_t c : cell)
      hash = (hash ^ static_cast<std::uint64_t>(c)) * 0x9e3779b97f4a7c15ULL ^ (hash >> 31);
    return hash ^ (hash >> 29);
  }
};

/// Vertices along x, each compared with those up to `distance` farther: few where vertices are spread out.
void merge_near(const TriangleMesh& mesh, double distance, DisjointSets& sets) {
  Eigen::Vector3d low = Eigen::Vector3d::Constant(INFINITY);
  for (const Eigen::Vector3d& p : mesh.positions) low = low.cwiseMin(p);
  Eigen::Vector3d high = -Eigen::Vector3d::Constant(INFINITY);
  for (const Eigen::Vector3d& p : mesh.positions) high = high.cwiseMax(p);
  // A cell no smaller than what its number can count.
  const double size = std::max(1.0001 * distance, 1e-12 * (high - low).maxCoeff());
  std::unordered_map<WeldCell, std::vector<Index>, WeldCellHash> cells;
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const Eigen::Vector3d& p = mesh.positions[v];
    const auto own = [&](int axis) {
      return size > 0 ? static_cast<std::int64_t>(std::floor((p[axis] - low[axis]) / size)) : 0;
    };
    const WeldCell cell{own(0), own(1), own(2)};
    for (std::int64_t x = cell[0] - 1; x <= cell[0] + 1; ++x) {
      for (std::int64_t y = cell[1] - 1; y <= cell[1] + 1; ++y) {
        for (std::int64_t z = cell[2] - 1; z <= cell[2] + 1; ++z) {
          const auto found = cells.find({x, y, z});
          if (found == cells.end()) continue;
          for (const Index u : found->second) {
            if ((mesh.positions[at(u)] - p).squaredNorm() <= distance * distance) sets.merge(u, static_cast<Index>(v));
          }
        }
      }
    }
    // One of each place is enough: what is near another of that place is joined to it already.
    std::vector<Index>& here = cells[cell];
    if (std::none_of(here.begin(), here.end(), [&](Index u) { return mesh.positions[at(u)] == p; }))
      here.push_back(static_cast<Index>(v));
  }
}

void merge_equal(const TriangleMesh& mesh, DisjointSets& sets) {
  std::vector<Index> order(mesh.positions.size());
  for (std::size_t v = 0; v < order.size(); ++v) order[v] = static_cast<Index>(v);
  const auto key = [&](Index v) {
    const Eigen::Vector3d& p = mesh.positions[at(v)];
    return std::array<double, 3>{p.x(), p.y(), p.z()};
  };
  std::sort(order.begin(), order.end(), [&](Index p, Index q) { return key(p) < key(q); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (key(order[i]) == key(order[i - 1])) sets.merge(order[i], order[i - 1]);
  }
}

}  // namespace

TriangleMesh weld(const TriangleMesh& mesh, double distance, std::vector<Index>* kept) {
  require(std::isfinite(distance) && distance >= 0, ErrorCode::invalid_argument,
          "weld: distance is {}; expected a number of metres that is not negative", distance);
  for (std::size_t v = 0; v < mesh.positions.size(); ++v)
    require(mesh.positions[v].allFinite(), ErrorCode::not_finite, "weld: vertex {} is not finite", v);
  DisjointSets sets(mesh.positions.size());
  if (distance > 0) {
    merge_near(mesh, distance, sets);
  } else {
    merge_equal(mesh, sets);
  }
  TriangleMesh welded;
  std::vector<Index> number(mesh.positions.size(), none);
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const auto first = sets.find(static_cast<Index>(v));
    if (at(first) == v) {
      number[v] = static_cast<Index>(welded.positions.size());
      welded.positions.push_back(mesh.positions[v]);
    } else {
      number[v] = number[at(first)];
    }
  }
  if (kept != nullptr) kept->clear();
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const Triangle& t = mesh.triangles[i];
    const Triangle joined{number[at(t[0])], number[at(t[1])], number[at(t[2])]};
    const bool was = t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
    if (!was && (joined[0] == joined[1] || joined[1] == joined[2] || joined[2] == joined[0])) continue;
    welded.triangles.push_back(joined);
    if (kept != nullptr) kept->push_back(static_cast<Index>(i));
  }
  return welded;
}

}  // namespace carom
