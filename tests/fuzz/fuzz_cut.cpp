#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "carom/core/error.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/query/cut.hpp"

/// Bytes choose a solid, its scale, and a plane or the poses of a blade, on a grid so that vertices and edges are met
/// exactly. Pieces must be solids whose volumes add up; refusals must be a carom::Error.
namespace {

using namespace carom;

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  int next() { return at_ == end_ ? 0 : *at_++; }
  double coordinate() { return static_cast<double>(static_cast<std::int8_t>(next())) / 64; }
  Eigen::Vector3d point() {
    const double x = coordinate();
    const double y = coordinate();
    const double z = coordinate();
    return {x, y, z};
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

TriangleMesh solid(int choice) {
  switch (choice % 4) {
    case 0:
      return make_box({1, 1, 1}, 2);
    case 1:
      return make_torus(0.5, 0.25, 8, 6);
    case 2:
      return make_icosphere(0.75, 1);
    default:
      return make_extrusion(
          std::vector<Eigen::Vector2d>{
              {0, 0}, {0.75, 0}, {0.75, 1}, {0.5, 1}, {0.5, 0.25}, {0.25, 0.25}, {0.25, 1}, {0, 1}},
          0.5);
  }
}

void check(const TriangleMesh& mesh, const CutResult& result) {
  double volume = 0;
  for (const MeshPiece& piece : result.pieces) {
    const MeshReport report = inspect(piece.mesh);
    if (!report.watertight() || !report.manifold() || !report.oriented()) {
      std::fprintf(stderr, "piece %s is no solid\n", piece.name.c_str());
      std::abort();
    }
    volume += report.volume;
  }
  const double expected = inspect(mesh).volume;
  if (std::abs(volume - expected) > 1e-7 * expected) {
    std::fprintf(stderr, "volume %.17g, expected %.17g\n", volume, expected);
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const TriangleMesh mesh = solid(bytes.next());
  const int kind = bytes.next();
  try {
    if (kind % 2 == 0) {
      const Eigen::Vector3d normal = bytes.point();
      check(mesh, cut(mesh, CutPlane{normal, bytes.coordinate()}));
    } else {
      BladePath blade;
      const int poses = 2 + bytes.next() % 4;
      const int points = 2 + bytes.next() % 3;
      for (int i = 0; i < poses; ++i) {
        blade.poses.emplace_back();
        for (int k = 0; k < points; ++k) blade.poses.back().push_back(bytes.point());
      }
      check(mesh, cut(mesh, blade));
    }
  } catch (const Error&) {
    // a blade that crosses itself, a normal of length 0
  }
  return 0;
}
