#include "frame_range.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/check.hpp"

namespace carom::app {

std::vector<std::size_t> parse_frame_range(const std::string& text, std::size_t frame_count) {
  std::array<std::size_t, 3> parts{0, frame_count, 1};
  std::size_t part = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != ':') continue;
    require(part < parts.size(), ErrorCode::invalid_argument, "--frames {}: expected A:B:STEP or one number", text);
    if (i > start) {
      const char* first = text.data() + start;
      const char* last = text.data() + i;
      const auto [end, error] = std::from_chars(first, last, parts[part]);
      require(error == std::errc{} && end == last, ErrorCode::invalid_argument,
              "--frames {}: '{}' is not a frame number; expected A:B:STEP or one number", text,
              std::string(first, last));
    }
    start = i + 1;
    ++part;
  }
  if (part == 1 && !text.empty()) {
    require(parts[0] < frame_count, ErrorCode::invalid_argument, "--frames {}: the input has frames 0 to {}", text,
            static_cast<long long>(frame_count) - 1);
    return {parts[0]};
  }
  const auto [begin, end, step] = parts;
  require(step > 0, ErrorCode::invalid_argument, "--frames {}: STEP is 0; expected at least 1", text);
  require(end <= frame_count, ErrorCode::invalid_argument, "--frames {}: B is {}, but the input has {} frames", text,
          end, frame_count);
  require(begin < end || text.empty(), ErrorCode::invalid_argument, "--frames {}: no frame is in that range", text);
  std::vector<std::size_t> frames;
  for (std::size_t frame = begin; frame < end; frame += std::min(step, end - frame)) frames.push_back(frame);
  return frames;
}

}  // namespace carom::app
