#include "carom/io/viewer.hpp"

#include <algorithm>
#include <string>

#include "core/check.hpp"
#include "io/base64.hpp"

#ifdef CAROM_HAS_VIEWER
extern "C" const char carom_viewer_begin[];
extern "C" const char carom_viewer_end[];
#endif

namespace carom {

namespace {

constexpr std::string_view placeholder = "<!--CAROM_RECORDING-->";
constexpr std::string_view head_tag = "<head>";

}  // namespace

std::string_view viewer_page() {
#ifdef CAROM_HAS_VIEWER
  return {carom_viewer_begin, static_cast<std::size_t>(carom_viewer_end - carom_viewer_begin)};
#else
  fail(ErrorCode::unsupported, "the viewer is not in this build; configure with CAROM_BUILD_VIEWER=ON");
#endif
}

std::string_view viewer_policy() {
  return "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
         "connect-src 'self'; base-uri 'none'; form-action 'none'";
}

void write_viewer_html(std::span<const std::uint8_t> recording, const std::function<void(std::string_view)>& write) {
  const std::string_view page = viewer_page();
  const std::size_t place = page.find(placeholder);
  require(place != std::string_view::npos, ErrorCode::unsupported, "the viewer in this build has no place for data");
  // The policy is the first thing in the head, as it holds for what comes after it.
  const std::size_t head = page.find(head_tag);
  require(head < place, ErrorCode::unsupported, "the viewer in this build has no head");
  write(page.substr(0, head + head_tag.size()));
  write(fmt::format(R"(<meta http-equiv="Content-Security-Policy" content="{}">)", viewer_policy()));
  write(page.substr(head + head_tag.size(), place - head - head_tag.size()));
  write(R"(<script id="carom-recording" type="text/plain">)");
  constexpr std::size_t piece = 3 * 65536;
  std::string text;
  for (std::size_t i = 0; i < recording.size(); i += piece) {
    text.clear();
    io::append_base64(recording.subspan(i, std::min(piece, recording.size() - i)), text);
    write(text);
  }
  write("</script>");
  write(page.substr(place + placeholder.size()));
}

}  // namespace carom
