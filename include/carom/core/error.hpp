#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace carom {

/// Kind of an error. The message says what went wrong.
enum class ErrorCode {
  invalid_argument,  ///< an option or a parameter is outside its range
  bad_index,         ///< an index or an id points at nothing
  not_finite,        ///< a NaN or an infinity where a number is needed
  bad_mesh,          ///< a mesh that cannot be used for what was asked
  unknown_name,      ///< no method, scene, field or file type of that name
  unstable,          ///< the simulation would blow up with these numbers
  io,                ///< the operating system refused to read or write
  bad_format,        ///< a file that is not what it says it is
  truncated,         ///< a file that ends too early
  unsupported,       ///< right, but not something this build can do
};

std::string_view to_string(ErrorCode code);

/// Thrown at the boundary of the library; never from inside a stage.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace carom
