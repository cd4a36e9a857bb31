#pragma once

#include "response/soft.hpp"

/// Input of the kernels of soft contacts: a row for each body in contact, and contacts in batches.
namespace carom::soft {

/// Work of a block: large against taking it, small against waiting for the last.
inline constexpr std::uint32_t batches_of_block = 8;
inline constexpr std::uint32_t bodies_of_block = 256;

/// A spring with a damper as a constraint with the implicit step h built in (Catto 2011): the impulse is
/// -mass_scale m (v + bias_rate gap) - impulse_scale (impulse so far).
struct Softness {
  float bias_rate;
  float mass_scale;
  float impulse_scale;

  Softness(double hertz, double damping, double h);
};

/// Rows for the bodies in contact; the last row is for lanes without a contact.
void make_rows(Context& context, const In& in, double h, Scratch& s);

/// Places contacts in batches: colour by colour, those with more points first.
void place_contacts(const In& in, Scratch& s);

/// Has the pairs of a batch fetched that is soon to be read.
void prefetch_batch(const In& in, ManifoldSpan<const contact::CachedManifold> pairs, const Scratch& s,
                    std::size_t index);

math::Vec3 centre_of(const contact::CachedManifold& pair);

/// Writes a batch, but for what soft_prepare() does.
struct Fill {
  const In& in;
  ManifoldSpan<contact::CachedManifold> pairs;
  Scratch& s;
  double hertz = 0;                                  ///< Hz, of contacts between bodies that move, as far as h allows
  double damping = 0;                                ///< ratio to critical
  double h = 0;                                      ///< s, of a substep
  Softness moving = Softness(hertz, damping, h);     ///< between two bodies that move
  Softness still = Softness(2 * hertz, damping, h);  ///< against one that does not
  float bounce_speed = 0;

  void operator()(std::uint32_t index) const;

 private:
  Softness softness_of(std::size_t contact, const contact::CachedManifold& pair) const;
  /// Whether it may bounce.
  bool fill_contact(kernels::SoftBatch& batch, std::size_t lane, std::size_t contact) const;
};

}  // namespace carom::soft
