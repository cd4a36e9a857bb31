#include "oracle/exact_axes.hpp"

namespace carom::oracle {
namespace {

ExactVector cross(const ExactVector& a, const ExactVector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

std::vector<ExactVector> exact_all(std::span<const Eigen::Vector3d> points) {
  std::vector<ExactVector> result;
  for (const auto& p : points) result.push_back(exact(p));
  return result;
}

void add_differences(const std::vector<ExactVector>& points, std::vector<ExactVector>& out) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) out.push_back(points[i] - points[j]);
  }
}

/// visit(direction, gap along it)
template <class Visit>
void for_each_axis(const std::vector<ExactVector>& a, const std::vector<ExactVector>& b, int dimensions,
                   Visit&& visit) {
  std::vector<ExactVector> edges;
  add_differences(a, edges);
  add_differences(b, edges);
  const auto one = [&](const ExactVector& n) {
    if (n.x == 0 && n.y == 0 && n.z == 0) return;
    mpq_class high_a = dot(n, a[0]);
    mpq_class low_b = dot(n, b[0]);
    for (const auto& p : a) high_a = std::max<mpq_class>(high_a, dot(n, p));
    for (const auto& p : b) low_b = std::min<mpq_class>(low_b, dot(n, p));
    visit(n, mpq_class(low_b - high_a));
  };
  const auto both = [&](const ExactVector& n) {
    one(n);
    one(mpq_class(-1) * n);
  };
  if (dimensions == 2) {
    for (const auto& e : edges) {
      both(e);
      both({-e.y, e.x, mpq_class(0)});
    }
    return;
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) both(cross(edges[i], edges[j]));
  }
}

}  // namespace

std::optional<ExactInterval> contact_interval(std::span<const Eigen::Vector3d> a, std::span<const Eigen::Vector3d> b,
                                              const Eigen::Vector3d& velocity, int dimensions) {
  ExactInterval times;
  times.overlap = true;
  bool never = false;
  const ExactVector v = exact(velocity);
  for_each_axis(exact_all(a), exact_all(b), dimensions, [&](const ExactVector& n, const mpq_class& gap) {
    const mpq_class speed = dot(n, v);
    if (gap >= 0) times.overlap = false;
    if (gap > 0 && speed >= 0) never = true;
    if (gap > 0 && speed < 0) times.first = std::max<mpq_class>(times.first, -gap / speed);
    if (gap <= 0 && speed > 0) {
      const mpq_class leave = -gap / speed;
      if (!times.last || leave < *times.last) times.last = leave;
    }
  });
  if (never || (times.last && *times.last < times.first)) return std::nullopt;
  return times;
}

mpq_class signed_squared_gap(std::span<const Eigen::Vector3d> a, std::span<const Eigen::Vector3d> b, int dimensions) {
  std::optional<mpq_class> best;
  for_each_axis(exact_all(a), exact_all(b), dimensions, [&](const ExactVector& n, const mpq_class& gap) {
    const mpq_class squared = mpq_class(gap * gap) / dot(n, n);
    const mpq_class value = gap < 0 ? mpq_class(-squared) : squared;
    if (!best || value > *best) best = value;
  });
  return *best;
}

}  // namespace carom::oracle
