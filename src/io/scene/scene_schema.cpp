#include "carom/io/scene.hpp"
#include "io/scene/scene_schema_text.hpp"

namespace carom {

std::string_view scene_schema() {
  return scene_schema_text;
}

}  // namespace carom
