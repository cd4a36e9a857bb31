#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

/// The web viewer, built into the library: one page that needs no network.
namespace carom {

/// The page; it loads the recording from the address `recording` beside its own. Throws
/// Error(unsupported) if the library was built without the viewer.
std::string_view viewer_page();

/// The Content-Security-Policy the page is made for: its own scripts and styles, its recording, and nothing else.
std::string_view viewer_policy();

/// Writes, piece by piece, the same page with a recording inside: a file that can be opened by itself.
void write_viewer_html(std::span<const std::uint8_t> recording, const std::function<void(std::string_view)>& write);

}  // namespace carom
