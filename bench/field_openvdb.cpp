#include "bench/field_openvdb.hpp"

#ifdef CAROM_HAS_OPENVDB
#include <openvdb/openvdb.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/MeshToVolume.h>
#endif

namespace carom::bench {

#ifdef CAROM_HAS_OPENVDB

std::optional<VdbField> make_vdb_field(const TriangleMesh& mesh, double voxel, double half_width) {
  openvdb::initialize();
  std::vector<openvdb::Vec3s> points;
  points.reserve(mesh.positions.size());
  for (const Eigen::Vector3d& p : mesh.positions)
    points.emplace_back(static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z()));
  std::vector<openvdb::Vec3I> triangles;
  triangles.reserve(mesh.triangles.size());
  for (const Triangle& t : mesh.triangles)
    triangles.emplace_back(static_cast<unsigned>(t[0]), static_cast<unsigned>(t[1]), static_cast<unsigned>(t[2]));
  const auto transform = openvdb::math::Transform::createLinearTransform(voxel);
  const openvdb::FloatGrid::Ptr grid =
      openvdb::tools::meshToLevelSet<openvdb::FloatGrid>(*transform, points, triangles, static_cast<float>(half_width));
  VdbField field;
  field.bytes = grid->memUsage();
  field.voxels = grid->activeVoxelCount();
  field.sample = [grid, voxel](const std::vector<Eigen::Vector3d>& at, std::vector<double>& distances) {
    const auto accessor = grid->getConstAccessor();
    const openvdb::math::Transform& t = grid->transform();
    double sum = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const openvdb::Vec3d p = t.worldToIndex(openvdb::Vec3d(at[i].x(), at[i].y(), at[i].z()));
      // The eight corners once, value and gradient from them.
      const openvdb::Coord low = openvdb::Coord::floor(p);
      float v[2][2][2];
      for (int x = 0; x < 2; ++x) {
        for (int y = 0; y < 2; ++y) {
          for (int z = 0; z < 2; ++z) v[x][y][z] = accessor.getValue(low.offsetBy(x, y, z));
        }
      }
      const openvdb::Vec3d u = p - low.asVec3d();
      const auto mix = [](double s, double a, double b) { return (1 - s) * a + s * b; };
      const double x00 = mix(u.x(), v[0][0][0], v[1][0][0]);
      const double x10 = mix(u.x(), v[0][1][0], v[1][1][0]);
      const double x01 = mix(u.x(), v[0][0][1], v[1][0][1]);
      const double x11 = mix(u.x(), v[0][1][1], v[1][1][1]);
      const double y0 = mix(u.y(), x00, x10);
      const double y1 = mix(u.y(), x01, x11);
      distances[i] = mix(u.z(), y0, y1);
      const auto step = [&](int y, int z) { return static_cast<double>(v[1][y][z]) - static_cast<double>(v[0][y][z]); };
      const double dx = mix(u.z(), mix(u.y(), step(0, 0), step(1, 0)), mix(u.y(), step(0, 1), step(1, 1)));
      const double dy = mix(u.z(), x10 - x00, x11 - x01);
      sum += (dx + dy + y1 - y0) / voxel;
    }
    return sum;
  };
  return field;
}

#else

std::optional<VdbField> make_vdb_field(const TriangleMesh&, double, double) {
  return {};
}

#endif

}  // namespace carom::bench
