#include "response/lemke.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace carom::lemke {
namespace {

/// Rounding threshold of a tableau whose entries are of the order of one.
constexpr double no_pivot = 1e-10;
/// Rounding threshold of the artificial variable, as a fraction of the largest |q|.
constexpr double nothing_left = 1e-9;
constexpr double good_enough = 1e-10;  ///< residual
constexpr int attempts = 5;

double largest(std::span<const double> q) {
  double result = 0;
  for (const double x : q) result = std::max(result, std::abs(x));
  return result;
}

class Tableau {
 public:
  Tableau(std::span<const double> m, std::span<const double> q, int attempt, Scratch& s)
      : n_(q.size()), width_(2 * n_ + 2), s_(s) {
    s.tableau.assign(n_ * width_, 0);
    s.basis.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      double* row = row_of(i);
      row[i] = 1;
      for (std::size_t j = 0; j < n_; ++j) row[n_ + j] = -m[i * n_ + j];
      row[artificial()] = -cover(i, attempt);
      row[value()] = q[i];
      s.basis[i] = static_cast<std::int32_t>(i);
    }
  }

  /// How the artificial variable helps row i: by amounts between one and two that have no pattern, so that few ratios
  /// tie. Equal ones would tie wherever nothing slips.
  static double cover(std::size_t i, int attempt) {
    const double x = (static_cast<double>(i) + 1) * (0.6180339887498949 + 0.0917 * attempt);
    return 1 + (x - std::floor(x));
  }

  std::size_t artificial() const { return 2 * n_; }
  std::size_t complement(std::size_t variable) const { return variable < n_ ? variable + n_ : variable - n_; }

  /// The artificial variable comes in at the row that needs most of it.
  std::size_t first_row() const {
    std::size_t best = 0;
    const auto need = [&](std::size_t i) { return row_of(i)[value()] / -row_of(i)[artificial()]; };
    for (std::size_t i = 1; i < n_; ++i) {
      // The last of equal ones: with unit vectors beside the values that is the lexicographic least.
      if (need(i) <= need(best)) best = i;
    }
    return best;
  }

  /// Which row gives way first if `column` grows; n if none does.
  std::size_t leaving(std::size_t column) const {
    std::size_t best = n_;
    for (std::size_t i = 0; i < n_; ++i) {
      if (!(row_of(i)[column] > no_pivot)) continue;
      if (best == n_ || before(i, best, column)) best = i;
    }
    return best;
  }

  /// Returns the variable that left.
  std::size_t pivot(std::size_t row, std::size_t column) {
    double* p = row_of(row);
    const double inverse = 1 / p[column];
    for (std::size_t j = 0; j < width_; ++j) p[j] *= inverse;
    p[column] = 1;
    for (std::size_t i = 0; i < n_; ++i) {
      if (i == row) continue;
      double* r = row_of(i);
      const double f = r[column];
      if (f == 0) continue;
      for (std::size_t j = 0; j < width_; ++j) r[j] -= f * p[j];
      r[column] = 0;
    }
    const auto left = static_cast<std::size_t>(s_.basis[row]);
    s_.basis[row] = static_cast<std::int32_t>(column);
    return left;
  }

  double value_of(std::size_t row) const { return row_of(row)[value()]; }
  double value_of_artificial() const {
    for (std::size_t i = 0; i < n_; ++i) {
      if (static_cast<std::size_t>(s_.basis[i]) == artificial()) return value_of(i);
    }
    return 0;
  }

 private:
  std::size_t value() const { return 2 * n_ + 1; }
  double* row_of(std::size_t i) { return s_.tableau.data() + i * width_; }
  const double* row_of(std::size_t i) const { return s_.tableau.data() + i * width_; }

  bool before(std::size_t i, std::size_t k, std::size_t column) const {
    const double* a = row_of(i);
    const double* b = row_of(k);
    const double fa = 1 / a[column];
    const double fb = 1 / b[column];
    const auto order = [](double x, double y) {
      const double slack = 1e-13 * (std::abs(x) + std::abs(y)) + 1e-15;
      return x < y - slack ? -1 : x > y + slack ? 1 : 0;
    };
    if (const int o = order(a[value()] * fa, b[value()] * fb); o != 0) return o < 0;
    // The artificial one of those that give way at once: then all is done.
    if (static_cast<std::size_t>(s_.basis[i]) == artificial()) return true;
    if (static_cast<std::size_t>(s_.basis[k]) == artificial()) return false;
    for (std::size_t j = 0; j < n_; ++j) {
      if (const int o = order(a[j] * fa, b[j] * fb); o != 0) return o < 0;
    }
    return false;
  }

  std::size_t n_;
  std::size_t width_;
  Scratch& s_;
};

/// z of what is positive, from M itself; false if the matrix is singular to rounding.
bool values_from_matrix(std::span<const double> m, std::span<const double> q, Scratch& s, std::span<double> z) {
  const std::size_t n = q.size();
  const std::size_t k = s.positive.size();
  s.matrix.resize(k * k);
  s.right.resize(k);
  const auto index = [&](std::size_t i) { return static_cast<std::size_t>(s.positive[i]); };
  double* a = s.matrix.data();
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) a[i * k + j] = m[index(i) * n + index(j)];
    s.right[i] = -q[index(i)];
  }
  for (std::size_t p = 0; p < k; ++p) {
    std::size_t best = p;
    for (std::size_t i = p + 1; i < k; ++i) {
      if (std::abs(a[i * k + p]) > std::abs(a[best * k + p])) best = i;
    }
    if (!(std::abs(a[best * k + p]) > 1e-14)) return false;
    if (best != p) {
      std::swap_ranges(a + p * k, a + (p + 1) * k, a + best * k);
      std::swap(s.right[p], s.right[best]);
    }
    for (std::size_t i = p + 1; i < k; ++i) {
      const double f = a[i * k + p] / a[p * k + p];
      if (f == 0) continue;
      for (std::size_t j = p; j < k; ++j) a[i * k + j] -= f * a[p * k + j];
      s.right[i] -= f * s.right[p];
    }
  }
  std::fill(z.begin(), z.end(), 0.0);
  for (std::size_t p = k; p-- > 0;) {
    double sum = s.right[p];
    for (std::size_t j = p + 1; j < k; ++j) sum -= a[p * k + j] * z[index(j)];
    z[index(p)] = sum / a[p * k + p];
  }
  return true;
}

double residual_of(std::span<const double> m, std::span<const double> q, std::span<const double> z) {
  const std::size_t n = q.size();
  const double scale = largest(q);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double w = q[i];
    for (std::size_t j = 0; j < n; ++j) w += m[i * n + j] * z[j];
    worst = std::max(worst, std::abs(std::min(z[i], w)));
  }
  return scale > 0 ? worst / scale : 0;
}

/// From the artificial start to the end, once.
Result walk(std::span<const double> m, std::span<const double> q, std::uint64_t max_pivots, int attempt, Scratch& s,
            std::span<double> z) {
  const std::size_t n = q.size();
  Result result;
  Tableau tableau(m, q, attempt, s);
  std::size_t left = tableau.pivot(tableau.first_row(), tableau.artificial());
  result.pivots = 1;
  while (left != tableau.artificial()) {
    const std::size_t entering = tableau.complement(left);
    const std::size_t row = result.pivots < max_pivots ? tableau.leaving(entering) : n;
    if (row == n) {
      // Where the matrix is singular, rounding can hide that the artificial variable is zero already.
      if (tableau.value_of_artificial() <= nothing_left * largest(q)) break;
      result.outcome = result.pivots < max_pivots ? Outcome::ray : Outcome::limit;
      return result;
    }
    left = tableau.pivot(row, entering);
    ++result.pivots;
  }

  s.positive.clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (const auto v = static_cast<std::size_t>(s.basis[i]); v >= n && v < tableau.artificial())
      s.positive.push_back(s.basis[i] - static_cast<std::int32_t>(n));
  }
  std::sort(s.positive.begin(), s.positive.end());
  const bool computed = values_from_matrix(m, q, s, z);
  // Zero but for rounding is zero.
  for (double& x : z) x = std::max(x, 0.0);
  result.residual = residual_of(m, q, z);
  if (!computed || result.residual > good_enough) {
    // A matrix near singular: the values of the tableau may be the better ones.
    s.right.assign(z.begin(), z.end());
    std::fill(z.begin(), z.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const auto variable = static_cast<std::size_t>(s.basis[i]);
      if (variable >= n && variable < tableau.artificial()) z[variable - n] = std::max(0.0, tableau.value_of(i));
    }
    const double other = residual_of(m, q, z);
    if (computed && result.residual <= other) {
      std::copy(s.right.begin(), s.right.begin() + static_cast<std::ptrdiff_t>(n), z.begin());
    } else {
      result.residual = other;
    }
  }
  return result;
}

}  // namespace

Result solve(std::span<const double> m, std::span<const double> q, std::uint64_t max_pivots, Scratch& s,
             std::span<double> z) {
  assert(m.size() == q.size() * q.size() && z.size() == q.size());
  Result best;
  std::fill(z.begin(), z.end(), 0.0);
  if (std::all_of(q.begin(), q.end(), [](double x) { return x >= 0; })) return best;
  // Rounding can spoil a path, but barely several.
  std::uint64_t pivots = 0;
  s.best.assign(q.size(), 0);
  // How many unknowns are positive changes from call to call; memory shall not.
  s.positive.reserve(q.size());
  s.matrix.reserve(m.size());
  s.right.reserve(q.size());
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Result result = walk(m, q, max_pivots, attempt, s, z);
    pivots += result.pivots;
    const bool better = attempt == 0 || (result.outcome == Outcome::solved &&
                                         (best.outcome != Outcome::solved || result.residual < best.residual));
    if (better) {
      best = result;
      std::copy(z.begin(), z.end(), s.best.begin());
    }
    if (best.outcome == Outcome::solved && best.residual <= good_enough) break;
  }
  std::copy(s.best.begin(), s.best.end(), z.begin());
  best.pivots = pivots;
  return best;
}

}  // namespace carom::lemke
