#pragma once

#include <array>
#include <vector>

/// Force of a spring and a damper that never pull, in explicit substeps, and the damping that gives a restitution
/// there.
namespace carom::rigid_penalty {

struct Spring;

/// N, of the spring in a substep of h seconds.
double spring_force(const Spring& spring, double h);

/// Ratio to critical damping with which a mass that is pushed by a spring and a damper, and never pulled, leaves with
/// this share of its speed. 0 for 1; restitution below 1% counts as 1%. In the limit of short substeps (Schwager and
/// Pöschel 2007).
double damping_of(double restitution);

/// Damping ratio for substeps of finite length, found by bouncing a mass with spring_force(). A bounce takes some six
/// substeps, in which the damper takes less than it should: without this a ball of restitution 0.9 rises 2% too high.
class ReboundTable {
 public:
  /// `x` is h sqrt(k / m): the length of a substep in radians of the spring's oscillation.
  double damping_ratio(double restitution, double x);

 private:
  static constexpr std::size_t knots = 9;
  static constexpr double max_x = 0.8;
  struct Row {
    double restitution = 0;
    std::array<double, knots> ratio{};
  };
  std::vector<Row> rows_;  ///< one for each restitution asked for so far; few
};

}  // namespace carom::rigid_penalty
