#include "mesh/voxels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/check.hpp"
#include "mesh/cell_moments.hpp"

namespace carom::mesh {
namespace {

/// Cells along an axis at most, so that coordinates and their products are numbers.
constexpr double max_cells = 1 << 20;
/// Cells that triangles meet at most, as far as their areas tell: memory is bounded before it is asked for.
constexpr double max_crossed = 4e7;
/// Voxels at most, as far as the volume tells: a world takes about a kilobyte for each.
constexpr double max_voxels = 2e7;
/// Degrees of freedom at most: a lattice has a node for each voxel, and more at the border.
constexpr double max_degrees_of_freedom = 3 * max_voxels;
/// Lattices that are tried for a number of degrees of freedom.
constexpr int tries = 24;

bool cell_before(const Cell& a, const Cell& b) {
  return std::array{a[2], a[1], a[0]} < std::array{b[2], b[1], b[0]};
}

/// Volume, m^3.
double check_closed(const std::string& body, const TriangleMesh& mesh) {
  const MeshReport report = inspect(mesh);
  const auto named = [&](const std::vector<Edge>& edges, const char* what) {
    require(edges.empty(), ErrorCode::bad_mesh,
            "body '{}': voxels need a closed mesh whose triangles face outward, but the edge of vertices {} and {} has "
            "{} ({} such edges)",
            body, edges.empty() ? 0 : edges[0][0], edges.empty() ? 0 : edges[0][1], what, edges.size());
  };
  named(report.boundary_edges, "one triangle only");
  named(report.nonmanifold_edges, "more than two triangles");
  named(report.inconsistent_edges, "two triangles that face opposite ways");
  require(report.unused_vertices.empty(), ErrorCode::bad_mesh,
          "body '{}': vertex {} is in no triangle ({} such vertices)", body,
          report.unused_vertices.empty() ? 0 : report.unused_vertices[0], report.unused_vertices.size());
  require(report.volume > 0, ErrorCode::bad_mesh,
          "body '{}': voxels need a mesh whose triangles face outward, but its volume is {} m^3", body, report.volume);
  return report.volume;
}

struct Box {
  Eigen::Vector3d low;
  Eigen::Vector3d high;
};

Box box_of(const TriangleMesh& mesh) {
  Box box{mesh.positions[0], mesh.positions[0]};
  for (const Eigen::Vector3d& p : mesh.positions) {
    box.low = box.low.cwiseMin(p);
    box.high = box.high.cwiseMax(p);
  }
  return box;
}

double surface_area(const TriangleMesh& mesh) {
  double doubled = 0;
  const auto at = [&](Index v) -> const Eigen::Vector3d& { return mesh.positions[static_cast<std::size_t>(v)]; };
  for (const Triangle& t : mesh.triangles) {
    const Eigen::Vector3d a = at(t[1]) - at(t[0]);
    const Eigen::Vector3d b = at(t[2]) - at(t[0]);
    doubled +=
        Eigen::Vector3d(a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(), a.x() * b.y() - a.y() * b.x())
            .norm();
  }
  return 0.5 * doubled;
}

/// Voxel of a cell, by its place in the sorted list.
std::optional<std::size_t> find_cell(const std::vector<Cell>& cells, const Cell& cell) {
  const auto found = std::lower_bound(cells.begin(), cells.end(), cell, cell_before);
  if (found == cells.end() || *found != cell) return {};
  return static_cast<std::size_t>(found - cells.begin());
}

/// The voxel nearest to a point in units of cells: its own, or one of the cells around it.
std::optional<std::size_t> nearest_voxel(const std::vector<Cell>& cells, const Eigen::Vector3d& point) {
  const Cell own{static_cast<std::int32_t>(std::floor(point.x())), static_cast<std::int32_t>(std::floor(point.y())),
                 static_cast<std::int32_t>(std::floor(point.z()))};
  std::optional<std::size_t> best;
  double best_distance = 0;
  for (int reach = 0; reach <= 2 && !best; ++reach) {
    for (int dz = -reach; dz <= reach; ++dz) {
      for (int dy = -reach; dy <= reach; ++dy) {
        for (int dx = -reach; dx <= reach; ++dx) {
          const Cell cell{own[0] + dx, own[1] + dy, own[2] + dz};
          const auto found = find_cell(cells, cell);
          if (!found) continue;
          const Eigen::Vector3d low(cell[0], cell[1], cell[2]);
          const double distance = (point - point.cwiseMax(low).cwiseMin(low + Eigen::Vector3d::Ones())).squaredNorm();
          if (best && !(distance < best_distance)) continue;
          best = found;
          best_distance = distance;
        }
      }
    }
  }
  return best;
}

Eigen::Vector3d local_in(const Cell& cell, const Eigen::Vector3d& point) {
  return point - Eigen::Vector3d(cell[0], cell[1], cell[2]);
}

/// Numbers the corners of all voxels, ascending by z, then y, then x.
void number_nodes(VoxelLattice& lattice) {
  std::vector<Cell> keys;
  keys.reserve(8 * lattice.cells.size());
  const auto corner = [](const Cell& cell, std::size_t c) {
    return Cell{cell[0] + static_cast<std::int32_t>(c & 1), cell[1] + static_cast<std::int32_t>(c >> 1 & 1),
                cell[2] + static_cast<std::int32_t>(c >> 2 & 1)};
  };
  for (const Cell& cell : lattice.cells) {
    for (std::size_t c = 0; c < 8; ++c) keys.push_back(corner(cell, c));
  }
  std::sort(keys.begin(), keys.end(), cell_before);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (const Cell& key : keys)
    lattice.nodes.push_back(lattice.origin + lattice.size * Eigen::Vector3d(key[0], key[1], key[2]));
  lattice.corners.resize(lattice.cells.size());
  for (std::size_t v = 0; v < lattice.cells.size(); ++v) {
    for (std::size_t c = 0; c < 8; ++c)
      lattice.corners[v][c] = static_cast<Index>(*find_cell(keys, corner(lattice.cells[v], c)));
  }
}

/// Nothing if voxels of this size are too large for the mesh and `size_is_given` is not set; throws if it is.
std::optional<VoxelLattice> build(const std::string& body, const TriangleMesh& mesh, const Box& box, double size,
                                  double smallest_fill, bool size_is_given) {
  VoxelLattice lattice;
  lattice.size = size;
  Cell count{};
  Eigen::Vector3d middle = 0.5 * (box.low + box.high);
  for (Eigen::Index k = 0; k < 3; ++k) {
    // A mesh that fits whole voxels but for rounding gets no layer more.
    const double cells = std::ceil((box.high[k] - box.low[k]) / size * (1 - 1e-12));
    require(cells <= max_cells, ErrorCode::invalid_argument,
            "body '{}': voxel size {} m asks for {} voxels along one axis; at most {} are possible", body, size, cells,
            max_cells);
    count[static_cast<std::size_t>(k)] = std::max(1, static_cast<std::int32_t>(cells));
    lattice.origin[k] = middle[k] - 0.5 * size * count[static_cast<std::size_t>(k)];
  }
  TriangleMesh scaled = mesh;
  for (Eigen::Vector3d& p : scaled.positions) {
    p = (p - lattice.origin) / size;
    for (Eigen::Index k = 0; k < 3; ++k)
      p[k] = std::clamp(p[k], 0.0, static_cast<double>(count[static_cast<std::size_t>(k)]));
  }
  const std::vector<CellMaterial> materials = cell_materials(scaled, count);
  std::vector<const CellMaterial*> kept;
  std::vector<const CellMaterial*> merged;
  for (const CellMaterial& material : materials) {
    (material.volume() >= smallest_fill ? kept : merged).push_back(&material);
  }
  if (kept.empty() && !size_is_given) return {};
  require(!kept.empty(), ErrorCode::bad_mesh,
          "body '{}': no voxel of {} m holds a part in {} of material; smaller voxels are needed", body, size,
          1 / smallest_fill);
  lattice.cells.reserve(kept.size());
  for (const CellMaterial* material : kept) lattice.cells.push_back(material->cell);
  number_nodes(lattice);

  // Where pieces of the mesh overlap, a voxel is still no more than full.
  const double volume = size * size * size;
  lattice.node_volume.assign(lattice.nodes.size(), 0.0);
  lattice.corner_volume.assign(kept.size(), {});
  const auto add = [&](std::size_t v, std::size_t c, double part) {
    lattice.node_volume[static_cast<std::size_t>(lattice.corners[v][c])] += part;
    lattice.corner_volume[v][c] += part;
  };
  for (std::size_t v = 0; v < kept.size(); ++v) {
    const double fill = kept[v]->volume();
    const double scale = fill > 1 ? 1 / fill : 1;
    lattice.fill.push_back(scale * fill);
    for (std::size_t c = 0; c < 8; ++c) add(v, c, volume * scale * kept[v]->weight[c]);
  }
  for (const CellMaterial* material : merged) {
    const double fill = material->volume();
    if (!(std::abs(fill) > 1e-14)) continue;
    Eigen::Vector3d center(material->cell[0], material->cell[1], material->cell[2]);
    for (std::size_t c = 0; c < 8; ++c)
      center += material->weight[c] / fill * Eigen::Vector3d(c & 1, c >> 1 & 1, c >> 2 & 1);
    const auto voxel = nearest_voxel(lattice.cells, center);
    if (!voxel) continue;
    Eigen::Vector3d local = local_in(lattice.cells[*voxel], center);
    // Much material beside a voxel would make masses of its far corners negative.
    if (smallest_fill > min_fill) local = local.cwiseMax(0.0).cwiseMin(1.0);
    const std::array<double, 8> weights = trilinear_weights(local);
    for (std::size_t c = 0; c < 8; ++c) add(*voxel, c, volume * fill * weights[c]);
  }
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const Eigen::Vector3d point = (mesh.positions[v] - lattice.origin) / size;
    const auto voxel = nearest_voxel(lattice.cells, point);
    if (!voxel && !size_is_given) return {};
    require(voxel.has_value(), ErrorCode::bad_mesh,
            "body '{}': vertex {} is more than two voxels of {} m away from any that holds material; smaller voxels "
            "are needed",
            body, v, size);
    lattice.vertices.push_back({static_cast<Index>(*voxel), trilinear_weights(local_in(lattice.cells[*voxel], point))});
  }
  return lattice;
}

void check_cost(const std::string& body, double volume, double area, double size) {
  require(area / (size * size) <= max_crossed, ErrorCode::invalid_argument,
          "body '{}': voxel size {} m is too small for a surface of {} m^2; it would cross more than {} voxels", body,
          size, area, max_crossed);
  const double voxels = volume / (size * size * size);
  require(voxels <= max_voxels, ErrorCode::invalid_argument,
          "body '{}': voxel size {} m asks for {:.2g} voxels in {} m^3; at most {} are possible, so at least {:.3g} m",
          body, size, voxels, volume, max_voxels, 1.005 * std::cbrt(volume / max_voxels));
}

}  // namespace

std::array<double, 8> trilinear_weights(const Eigen::Vector3d& local) {
  std::array<double, 8> weights{};
  for (std::size_t c = 0; c < 8; ++c) {
    weights[c] = 1;
    for (std::size_t k = 0; k < 3; ++k) {
      const double t = local[static_cast<Eigen::Index>(k)];
      weights[c] *= (c >> k & 1) != 0 ? t : 1 - t;
    }
  }
  return weights;
}

VoxelLattice make_voxels(const std::string& body, const TriangleMesh& mesh, const VoxelOptions& options) {
  require((options.size > 0 && std::isfinite(options.size)) != (options.degrees_of_freedom > 0),
          ErrorCode::invalid_argument,
          "body '{}': voxel size is {} and degrees_of_freedom is {}; expected one of them to be positive, the other 0",
          body, options.size, options.degrees_of_freedom);
  require(!mesh.triangles.empty(), ErrorCode::bad_mesh, "body '{}' has no triangles", body);
  const double volume = check_closed(body, mesh);
  const Box box = box_of(mesh);
  const double area = surface_area(mesh);
  if (options.size > 0) {
    check_cost(body, volume, area, options.size);
    return *build(body, mesh, box, options.size, options.smallest_fill, true);
  }

  const auto wanted = static_cast<double>(options.degrees_of_freedom);
  require(wanted >= 24, ErrorCode::invalid_argument, "body '{}': degrees_of_freedom is {}; one voxel has 24 already",
          body, options.degrees_of_freedom);
  require(wanted <= max_degrees_of_freedom, ErrorCode::invalid_argument,
          "body '{}': degrees_of_freedom is {}; at most {} are possible", body, options.degrees_of_freedom,
          max_degrees_of_freedom);
  // Between a size that is too small and one that is not; nodes grow with one over the cube of the size.
  double size = (box.high - box.low).maxCoeff();
  double too_small = 0;
  double too_large = std::numeric_limits<double>::infinity();  // no voxel of this size is full enough
  std::optional<VoxelLattice> best;
  for (int i = 0; i < tries; ++i) {
    check_cost(body, volume, area, size);
    std::optional<VoxelLattice> lattice = build(body, mesh, box, size, options.smallest_fill, false);
    if (!lattice) {
      too_large = size;
      size = too_small > 0 ? 0.5 * (too_small + size) : 0.5 * size;
      continue;
    }
    const double found = 3.0 * static_cast<double>(lattice->nodes.size());
    const bool fits = found <= wanted;
    if (fits && (!best || found > 3.0 * static_cast<double>(best->nodes.size()))) best = std::move(lattice);
    if (fits && found > 0.95 * wanted) break;
    if (!fits) too_small = std::max(too_small, size);
    const double guess = size * std::cbrt(found / wanted);
    const double low = too_small;
    const double high = std::min(best ? best->size : 2 * size, too_large);
    size = guess > 1.02 * low && guess < 0.98 * high ? guess : low > 0 ? 0.5 * (low + high) : 0.7 * high;
    if (best && low > 0 && high < 1.001 * low) break;
  }
  require(best.has_value(), ErrorCode::invalid_argument,
          "body '{}': no lattice of at most {} degrees of freedom was found{}; more are needed", body,
          options.degrees_of_freedom,
          too_large < std::numeric_limits<double>::infinity()
              ? fmt::format(" whose voxels hold a part in {} of material", 1 / options.smallest_fill)
              : "");
  return std::move(*best);
}

}  // namespace carom::mesh
