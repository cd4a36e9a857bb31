#pragma once

#include <string>
#include <string_view>

namespace carom {

/// Text from a file or a command line, safe on a terminal: control characters (C0, DEL, C1), characters that reverse
/// the direction of text and bytes that are not UTF-8 become escapes such as \x1b, \n and \u202e.
std::string printable(std::string_view text);

/// Printable form of a text of several lines: line feeds and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace carom
