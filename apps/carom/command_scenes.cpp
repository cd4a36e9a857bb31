#include <algorithm>
#include <nlohmann/json.hpp>

#include "carom/scene.hpp"
#include "commands.hpp"
#include "report.hpp"
#include "say.hpp"

namespace carom::app {

int scenes(const ScenesOptions& options) {
  if (options.schema) {
    say(stdout, "{}", scene_schema());
  } else if (!options.show.empty()) {
    say(stdout, "{}\n", to_json(find_scene(options.show)));
  } else if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const BuiltinScene& scene : builtin_scenes()) {
      list.push_back({{"name", scene.name}, {"description", scene.description}});
    }
    say(stdout, "{}", dump(list));
  } else {
    std::size_t width = 0;
    for (const BuiltinScene& scene : builtin_scenes()) width = std::max(width, scene.name.size());
    for (const BuiltinScene& scene : builtin_scenes()) {
      say(stdout, "{:<{}}  {}\n", scene.name, width, scene.description);
    }
    say(stdout, "\nRun one with: carom run {}\n", builtin_scenes().front().name);
  }
  return done;
}

}  // namespace carom::app
