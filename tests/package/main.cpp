#include <carom/detect.hpp>
#include <carom/generate.hpp>
#include <carom/scene.hpp>
#include <carom/version.hpp>
#include <cstdio>

// Two unit boxes 1 cm apart must touch at 2 cm and not at half a centimetre.
int main() {
  const carom::TriangleMesh box = carom::make_box({1, 1, 1});
  std::vector<Eigen::Vector3d> positions = box.positions;
  std::vector<carom::Triangle> triangles = box.triangles;
  std::vector<carom::Index> objects(triangles.size(), 0);
  for (const Eigen::Vector3d& p : box.positions) positions.push_back(p + Eigen::Vector3d(1.01, 0, 0));
  const auto first = static_cast<carom::Index>(box.positions.size());
  for (const carom::Triangle& t : box.triangles) triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  objects.resize(triangles.size(), 1);
  const carom::Surface surface(positions.size(), triangles, objects);
  const auto near = detect(surface, positions, {.distance = 0.02, .pairs = carom::PairScope::between});
  const auto far = detect(surface, positions, {.distance = 0.005, .pairs = carom::PairScope::between});
  carom::World world = build_world(carom::find_scene("cloth-on-ball"));
  world.step();
  std::printf("carom %s: %zu contacts, %zu contacts\n", carom::version().data(), near.size(), far.size());
  return !near.empty() && far.empty() && world.steps() == 1 ? 0 : 1;
}
