#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace carom {

/// Error of a text that is not JSON, and at which byte it is.
struct JsonSyntaxError {
  std::size_t offset = 0;
  std::string what;
};

/// `offset` is that of the last byte the parser read, `message` what it said about it.
JsonSyntaxError explain_syntax(std::string_view text, std::size_t offset, std::string_view message);

/// "line:column" of a byte, both from 1; the column counts bytes.
std::string line_and_column(std::string_view text, std::size_t offset);

}  // namespace carom
