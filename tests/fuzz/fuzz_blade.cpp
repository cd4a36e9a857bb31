#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "oracle/blade_story.hpp"

/// Bytes tell a story of blades in a world (tests/oracle/blade_story.hpp). A Carom error in it is a bug as well:
/// nothing in a story is to be refused.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::uint8_t* const end = data + size;
  carom::oracle::BladeStory story([&]() -> std::uint8_t { return data == end ? 0 : *data++; });
  const std::string wrong = story.run();
  if (!wrong.empty()) {
    std::fprintf(stderr, "fuzz_blade: %s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
