#include <algorithm>
#include <nlohmann/json.hpp>

#include "carom/io/scene.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "report.hpp"
#include "say.hpp"

namespace carom::app {

int scenes(const ScenesOptions& options) {
  Output json("--json", options.json, OutputKind::json);
  if (json.wanted()) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const BuiltinScene& scene : builtin_scenes()) {
      list.push_back({{"name", scene.name}, {"description", scene.description}});
    }
    json.write(dump(list));
  }
  json.finish();
  if (options.schema) {
    say(stdout, "{}", Lines{std::string(scene_schema())});
  } else if (!options.show.empty()) {
    say(stdout, "{}\n", Lines{to_json(find_scene(options.show))});
  } else if (!json.to_stdout()) {
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
