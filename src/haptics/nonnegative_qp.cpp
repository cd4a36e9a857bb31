#include "haptics/nonnegative_qp.hpp"

#include <cmath>

namespace carom::haptics {
namespace {

constexpr std::size_t capacity = NonnegativeQp::capacity;

/// Unknowns that are not held at zero, in the order in which they were freed, and the minimum over them.
struct FreeSet {
  std::array<std::size_t, capacity> members{};
  std::size_t count = 0;
  std::array<bool, capacity> contains{};
  std::array<double, capacity> solution{};

  void add(std::size_t i) noexcept {
    members[count++] = i;
    contains[i] = true;
  }
  void remove(std::size_t place) noexcept {
    contains[members[place]] = false;
    for (std::size_t k = place + 1; k < count; ++k) members[k - 1] = members[k];
    --count;
  }
};

/// Minimum over the free unknowns by Cholesky. False if the matrix is not positive definite on them.
bool minimize(const NonnegativeQp& qp, FreeSet& set) noexcept {
  std::array<std::array<double, capacity>, capacity> lower;
  std::array<double, capacity> y;
  for (std::size_t i = 0; i < set.count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = qp.matrix[set.members[i]][set.members[j]];
      for (std::size_t k = 0; k < j; ++k) sum -= lower[i][k] * lower[j][k];
      if (i == j) {
        if (!(sum > 0)) return false;
        lower[i][i] = std::sqrt(sum);
      } else {
        lower[i][j] = sum / lower[j][j];
      }
    }
    double sum = qp.right[set.members[i]];
    for (std::size_t k = 0; k < i; ++k) sum -= lower[i][k] * y[k];
    y[i] = sum / lower[i][i];
  }
  for (std::size_t i = set.count; i-- > 0;) {
    double sum = y[i];
    for (std::size_t k = i + 1; k < set.count; ++k) sum -= lower[k][i] * set.solution[k];
    set.solution[i] = sum / lower[i][i];
  }
  return true;
}

/// r - G x: how much more an unknown at zero wants to grow.
double gradient(const NonnegativeQp& qp, std::size_t i) noexcept {
  double sum = qp.right[i];
  for (std::size_t k = 0; k < qp.size; ++k) sum -= qp.matrix[i][k] * qp.x[k];
  return sum;
}

/// Steps from x toward the minimum of the set as far as all stay positive, and takes those that reached zero out.
/// True if the minimum was reached.
bool step_toward_minimum(NonnegativeQp& qp, FreeSet& set) noexcept {
  double step = 1;
  for (std::size_t k = 0; k < set.count; ++k) {
    const double x = qp.x[set.members[k]];
    if (set.solution[k] <= 0) step = std::fmin(step, x / (x - set.solution[k]));
  }
  bool removed = false;
  for (std::size_t k = set.count; k-- > 0;) {
    double& x = qp.x[set.members[k]];
    x += step * (set.solution[k] - x);
    if (set.solution[k] <= 0 && !(x > 1e-14 * std::fabs(set.solution[k]))) {
      x = 0;
      set.remove(k);
      removed = true;
    }
  }
  return !removed;
}

}  // namespace

bool solve(NonnegativeQp& qp) noexcept {
  qp.x.fill(0);
  double largest = 0;
  for (std::size_t i = 0; i < qp.size; ++i) largest = std::fmax(largest, std::fabs(qp.right[i]));
  const double tolerance = 1e-12 * largest;
  FreeSet set;
  for (std::size_t iteration = 0; iteration <= 3 * qp.size; ++iteration) {
    std::size_t next = qp.size;
    double steepest = tolerance;
    for (std::size_t i = 0; i < qp.size; ++i) {
      if (set.contains[i]) continue;
      const double wants = gradient(qp, i);
      if (wants > steepest) {
        steepest = wants;
        next = i;
      }
    }
    if (next == qp.size) return true;
    set.add(next);
    do {
      if (!minimize(qp, set)) return false;
    } while (!step_toward_minimum(qp, set));
  }
  return false;
}

}  // namespace carom::haptics
