#include <array>

#include "carom/mesh/generate.hpp"
#include "mesh/generate_check.hpp"
#include "mesh/lattice.hpp"

// Meshes made of flat grids: the box and the sheet.
namespace carom {
namespace {

/// Coordinate i of n + 1 from -size / 2 to size / 2, exactly symmetric around zero.
double centred(double size, int i, int n) {
  return size * ((2.0 * i - n) / (2.0 * n));
}

/// Numbers the lattice points on the surface of an n x n x n cube, layer by layer along k: a full square,
/// then rims of 4 n points, then a full square.
class BoxLattice {
 public:
  explicit BoxLattice(int n) : n_(n) {}

  Index count() const { return 6 * n_ * n_ + 2; }

  Index operator()(const std::array<int, 3>& p) const {
    const auto [i, j, k] = p;
    const Index square = (n_ + 1) * (n_ + 1);
    if (k == 0) return j * (n_ + 1) + i;
    const Index layer = square + (k - 1) * 4 * n_;
    return layer + (k == n_ ? j * (n_ + 1) + i : rim(i, j));
  }

 private:
  Index rim(int i, int j) const {
    if (j == 0) return i;
    if (i == n_) return n_ + j;
    if (j == n_) return 3 * n_ - i;
    return 4 * n_ - j;
  }

  int n_;
};

}  // namespace

TriangleMesh make_box(const Eigen::Vector3d& size, int segments) {
  mesh::require_positive("make_box", "size.x", size.x());
  mesh::require_positive("make_box", "size.y", size.y());
  mesh::require_positive("make_box", "size.z", size.z());
  mesh::require_at_least("make_box", "segments", segments, 1);
  mesh::require_indexable("make_box", "segments", 12.0 * segments * segments);

  const int n = segments;
  const BoxLattice index(n);
  TriangleMesh mesh;
  mesh.positions.resize(static_cast<std::size_t>(index.count()));
  mesh.triangles.reserve(std::size_t{12} * static_cast<std::size_t>(n) * static_cast<std::size_t>(n));

  const auto add_face = [&](std::size_t axis, int level) {
    const auto lattice = [&](int u, int v) {
      std::array<int, 3> p{};
      p[axis] = level;
      p[(axis + 1) % 3] = u;
      p[(axis + 2) % 3] = v;
      const Index vertex = index(p);
      mesh.positions[static_cast<std::size_t>(vertex)] = {centred(size.x(), p[0], n), centred(size.y(), p[1], n),
                                                          centred(size.z(), p[2], n)};
      return vertex;
    };
    for (int v = 0; v < n; ++v)
      for (int u = 0; u < n; ++u) {
        // Counter-clockwise seen from the positive end of the axis.
        const Index a = lattice(u, v);
        const Index b = lattice(u + 1, v);
        const Index c = lattice(u + 1, v + 1);
        const Index d = lattice(u, v + 1);
        if (level == n) {
          mesh.triangles.push_back({a, b, c});
          mesh.triangles.push_back({a, c, d});
        } else {
          mesh.triangles.push_back({a, c, b});
          mesh.triangles.push_back({a, d, c});
        }
      }
  };
  for (const std::size_t axis : {0, 1, 2})
    for (const int level : {0, n}) add_face(axis, level);
  return mesh;
}

TriangleMesh make_sheet(double size_x, double size_z, int segments_x, int segments_z) {
  mesh::require_positive("make_sheet", "size_x", size_x);
  mesh::require_positive("make_sheet", "size_z", size_z);
  mesh::require_at_least("make_sheet", "segments_x", segments_x, 1);
  mesh::require_at_least("make_sheet", "segments_z", segments_z, 1);
  mesh::require_indexable("make_sheet", "segments_x and segments_z", 2.0 * segments_x * segments_z);
  mesh::require_indexable("make_sheet", "segments_x and segments_z", (segments_x + 1.0) * (segments_z + 1.0),
                          "vertices");

  const std::size_t row = static_cast<std::size_t>(segments_x) + 1;
  const std::size_t rows = static_cast<std::size_t>(segments_z) + 1;
  TriangleMesh mesh;
  mesh.positions.reserve(row * rows);
  for (int j = 0; j <= segments_z; ++j)
    for (int i = 0; i <= segments_x; ++i)
      mesh.positions.emplace_back(centred(size_x, i, segments_x), 0.0, centred(size_z, j, segments_z));

  mesh.triangles = mesh::lattice_triangles(segments_x, segments_z);
  return mesh;
}

}  // namespace carom
