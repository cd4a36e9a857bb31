#include <cstddef>
#include <cstdint>
#include <vector>

#include "carom/core/error.hpp"
#include "carom/io/replay.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const carom::ReplayReader reader({data, data + size});
    std::vector<Eigen::Vector3d> positions;
    for (std::size_t i = 0; i < reader.frame_count(); ++i) reader.read_frame(i, positions);
  } catch (const carom::Error&) {
    // Refusing is right; crashing, hanging and running out of memory are not.
  }
  return 0;
}
