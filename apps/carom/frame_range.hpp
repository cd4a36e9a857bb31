#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace carom::app {

/// The frames that `--frames A:B:STEP` names: from A up to but not including B, every STEP-th;
/// each part may be left out; a single number is one frame. Throws Error that says what was expected.
std::vector<std::size_t> parse_frame_range(const std::string& text, std::size_t frame_count);

}  // namespace carom::app
