#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Linear complementarity: z >= 0, w = M z + q >= 0, z.w = 0, by Lemke's pivoting with one artificial variable (Lemke
/// 1965; Cottle, Pang and Stone, "The Linear Complementarity Problem", 4.4).
///
/// It ends for every M in finitely many pivots: ties are broken lexicographically, so no basis comes twice. It ends
/// with a solution, not on a ray, for all problems of contacts without adhesion: their M is copositive and what moves
/// nothing does no work (Anitescu and Potra 1997), also where points are redundant and M is singular.
///
/// The tableau only finds which variables are positive. Their values are then computed from M itself, so rounding does
/// not add up over the pivots.
namespace carom::lemke {

enum class Outcome : std::uint8_t {
  solved,
  ray,    ///< M and q are none of the kind above
  limit,  ///< as many pivots as allowed
};

struct Scratch {
  std::vector<double> tableau;
  std::vector<std::int32_t> basis;  ///< i: w_i, n + i: z_i, 2 n: the artificial one
  std::vector<double> matrix;       ///< matrix of the positive unknowns
  std::vector<std::int32_t> positive;
  std::vector<double> right;
  std::vector<double> best;
};

struct Result {
  Outcome outcome = Outcome::solved;
  std::uint64_t pivots = 0;
  /// Largest |min(z_i, w_i)|, relative to the largest |q_i|; so rows and columns should be of comparable size.
  double residual = 0;
};

/// M row by row. `z` has the size of q.
Result solve(std::span<const double> m, std::span<const double> q, std::uint64_t max_pivots, Scratch& scratch,
             std::span<double> z);

}  // namespace carom::lemke
