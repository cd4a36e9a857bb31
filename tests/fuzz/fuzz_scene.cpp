#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "carom/core/error.hpp"
#include "carom/io/scene.hpp"

/// Any bytes give a scene or an Error; a scene that was read can be written, and reads the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  carom::Scene scene;
  try {
    scene = carom::parse_scene(text, "fuzz.json", "");
  } catch (const carom::Error&) {
    return 0;
  }
  // Outside of the try block: from here on an error is a bug.
  const std::string written = carom::to_json(scene);
  if (carom::to_json(carom::parse_scene(written, "again.json", "")) != written) std::abort();
  return 0;
}
