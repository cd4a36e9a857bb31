#include "mid/mid.hpp"

#include <array>

#include "core/check.hpp"
#include "core/stage_timer.hpp"
#include "mid/sweep.hpp"

namespace carom {

namespace {
constexpr std::array<std::string_view, 2> method_names{"auto", "sweep"};
}

std::span<const std::string_view> detect_methods() {
  return method_names;
}

namespace mid {

std::string_view to_string(Method method) {
  switch (method) {
    case Method::sweep:
      return "sweep";
  }
  return "unknown";
}

Method method_by_name(std::string_view name) {
  if (name == "auto" || name == "sweep") return Method::sweep;
  fail(ErrorCode::unknown_name, "no detection method is called '{}'; expected one of: {}", name,
       fmt::join(method_names, ", "));
}

void run(Context& context, const In& in, const Options& options, Out& out, StageStats& stats) {
  const StageTimer timer(stats);
  switch (options.method) {
    case Method::sweep:
      sweep(context, in, options, out, stats);
      break;
  }
  stats.out += out.pairs.size();
}

}  // namespace mid
}  // namespace carom
