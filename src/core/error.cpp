#include "carom/core/error.hpp"

namespace carom {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid argument";
    case ErrorCode::bad_index:
      return "bad index";
    case ErrorCode::not_finite:
      return "not finite";
    case ErrorCode::bad_mesh:
      return "bad mesh";
    case ErrorCode::unknown_name:
      return "unknown name";
    case ErrorCode::unstable:
      return "unstable";
    case ErrorCode::io:
      return "input/output";
    case ErrorCode::bad_format:
      return "bad format";
    case ErrorCode::truncated:
      return "truncated";
    case ErrorCode::unsupported:
      return "unsupported";
  }
  return "unknown";
}

}  // namespace carom
