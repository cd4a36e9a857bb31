#include <carom/carom.hpp>
#include <cstdio>

// Two unit boxes 1 cm apart must touch at 2 cm and not at half a centimetre.
int main() {
  const carom::TriangleMesh box = carom::make_box({1, 1, 1});
  carom::SurfaceBuilder boxes;
  boxes.add(box);
  boxes.add(box, Eigen::Isometry3d(Eigen::Translation3d(1.01, 0, 0)));
  const carom::Surface surface = boxes.surface();
  const std::vector<Eigen::Vector3d>& positions = boxes.positions();
  const auto near = detect(surface, positions, {.distance = 0.02, .pairs = carom::PairScope::between});
  const auto far = detect(surface, positions, {.distance = 0.005, .pairs = carom::PairScope::between});
  carom::World world = build_world(carom::find_scene("cloth-on-ball"));
  world.step();
  std::printf("carom %s: %zu contacts, %zu contacts\n", carom::version().data(), near.size(), far.size());
  return !near.empty() && far.empty() && world.steps() == 1 ? 0 : 1;
}
