#pragma once

#include <optional>
#include <string_view>

#include "response/impulse.hpp"
#include "response/lcp.hpp"
#include "response/rigid_penalty.hpp"
#include "response/soft.hpp"

/// The responses of rigid bodies by name: the one place that knows which there are.
namespace carom::response {

enum class Kind : std::uint8_t { soft, impulse, lcp, penalty };

/// Throws Error that lists the names.
Kind by_name(std::string_view name);
std::string_view name_of(Kind kind);

/// Throws Error that names the body if it asks for something that this response does not do.
void check(Kind kind, const RigidBody& body);

/// Working memory of each.
struct Scratch {
  soft::Scratch soft;
  impulse::Scratch impulse;
  lcp::Scratch lcp;
  rigid_penalty::Scratch penalty;
};

void run(Kind kind, Context& context, const In& in, const SolverOptions& options,
         ManifoldSpan<contact::CachedManifold> pairs, Scratch& scratch, const Out& out, StageStats& stats);

/// Whether what it takes of the energy of bodies in one step it may give back in another.
constexpr bool stores_energy(Kind kind) {
  return kind == Kind::penalty;
}

/// See World::response_residual.
std::optional<double> residual(Kind kind, const Scratch& scratch);

}  // namespace carom::response
