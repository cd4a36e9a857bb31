#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "carom/io/scene.hpp"

namespace carom {
namespace {

std::string example_of_the_documentation() {
  const auto folder = std::filesystem::path(CAROM_SOURCE_DIR) / "tests" / "scenes";
  std::ifstream file(folder / ".." / ".." / "docs" / "formats.md");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string fence = "```json\n";
  const std::size_t section = text.find("\n## Scene\n");
  const std::size_t start = text.find(fence, section);
  if (section == std::string::npos || start == std::string::npos) return {};
  return text.substr(start + fence.size(), text.find("\n```", start) - start - fence.size());
}

TEST(FormatsDocument, ItsSceneRuns) {
  const Scene scene = parse_scene(example_of_the_documentation(), "docs/formats.md", "");
  EXPECT_EQ(scene.bodies.size(), 3U);
  World world = build_world(scene);
  bool touched = false;
  for (int step = 0; step < scene.steps; ++step) {
    world.step();
    touched |= !world.contacts().empty();
  }
  EXPECT_TRUE(touched);
}

}  // namespace
}  // namespace carom
