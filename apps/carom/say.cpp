#include "say.hpp"

#include <cerrno>

namespace carom::app {

namespace {
int first_stdout_error = 0;
}

void put(std::FILE* file, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file) == text.size()) return;
  if (file == stdout && first_stdout_error == 0) first_stdout_error = errno;
}

int stdout_error() {
  if (std::fflush(stdout) != 0 && first_stdout_error == 0) first_stdout_error = errno;
  if (std::ferror(stdout) != 0 && first_stdout_error == 0) first_stdout_error = EIO;
  return first_stdout_error;
}

}  // namespace carom::app
