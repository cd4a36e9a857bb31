#include "response/rigid_response.hpp"

#include <fmt/ranges.h>

#include <array>

#include "core/check.hpp"

namespace carom {
namespace {

constexpr std::array<std::string_view, 4> names{"soft", "impulse", "lcp", "penalty"};  // in the order of Kind

}  // namespace

std::span<const std::string_view> response_names() {
  return names;
}

namespace response {

Kind by_name(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Kind>(i);
  }
  fail(ErrorCode::unknown_name, "response is '{}'; expected one of {}", name, fmt::join(names, ", "));
}

std::string_view name_of(Kind kind) {
  return names[static_cast<std::size_t>(kind)];
}

void check(Kind kind, const RigidBody& body) {
  if (kind == Kind::impulse) return;
  const auto refuse = [&](const char* field, double value) {
    require(value == 0, ErrorCode::unsupported, "body '{}': {} is {} m; response '{}' does not support it, '{}' does",
            body.name, field, value, name_of(kind), name_of(Kind::impulse));
  };
  refuse("torsional_friction", body.torsional_friction);
  refuse("rolling_friction", body.rolling_friction);
}

void run(Kind kind, Context& context, const In& in, const SolverOptions& options,
         ManifoldSpan<contact::CachedManifold> pairs, Scratch& scratch, const Out& out, StageStats& stats) {
  switch (kind) {
    case Kind::soft:
      return soft::run(context, in, options, pairs, scratch.soft, out, stats);
    case Kind::impulse:
      return impulse::run(context, in, options, pairs, scratch.impulse, out, stats);
    case Kind::lcp:
      return lcp::run(context, in, options, pairs, scratch.lcp, out, stats);
    case Kind::penalty:
      return rigid_penalty::run(context, in, options, pairs, scratch.penalty, out, stats);
  }
}

std::optional<double> residual(Kind kind, const Scratch& scratch) {
  if (kind == Kind::impulse) return scratch.impulse.residual;
  if (kind == Kind::lcp) return scratch.lcp.residual;
  return std::nullopt;
}

}  // namespace response
}  // namespace carom
