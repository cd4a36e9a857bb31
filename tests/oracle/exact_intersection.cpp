#include "oracle/exact_intersection.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace carom::oracle {

namespace {

using Row = std::vector<mpq_class>;

/// The solution of a system whose rows end with the right-hand side; nothing if there is none or many.
std::optional<Row> solve(std::vector<Row> rows, std::size_t unknowns) {
  for (std::size_t column = 0; column < unknowns; ++column) {
    std::size_t pivot = column;
    while (pivot < rows.size() && rows[pivot][column] == 0) ++pivot;
    if (pivot == rows.size()) return std::nullopt;
    std::swap(rows[pivot], rows[column]);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r == column || rows[r][column] == 0) continue;
      const mpq_class factor = rows[r][column] / rows[column][column];
      for (std::size_t c = column; c <= unknowns; ++c) rows[r][c] -= factor * rows[column][c];
    }
  }
  for (std::size_t r = unknowns; r < rows.size(); ++r)
    if (rows[r][unknowns] != 0) return std::nullopt;
  Row solution(unknowns);
  for (std::size_t i = 0; i < unknowns; ++i) solution[i] = rows[i][unknowns] / rows[i][i];
  return solution;
}

}  // namespace

std::vector<ExactVector> exact_intersection(const TrianglePoints& a, const TrianglePoints& b) {
  std::array<std::array<mpq_class, 5>, 6> columns;  // x, y, z, sum of l, sum of m
  for (std::size_t i = 0; i < 3; ++i) {
    columns[i] = {mpq_class(a[i].x()), mpq_class(a[i].y()), mpq_class(a[i].z()), 1, 0};
    columns[i + 3] = {mpq_class(-b[i].x()), mpq_class(-b[i].y()), mpq_class(-b[i].z()), 0, 1};
  }
  std::vector<ExactVector> points;
  for (unsigned support = 1; support < 64; ++support) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < 6; ++i)
      if ((support >> i & 1U) != 0) chosen.push_back(i);
    if (chosen.size() > 5 || (support & 7U) == 0 || (support >> 3U) == 0) continue;
    std::vector<Row> rows(5);
    for (std::size_t r = 0; r < 5; ++r) {
      for (const std::size_t i : chosen) rows[r].push_back(columns[i][r]);
      rows[r].push_back(r < 3 ? 0 : 1);
    }
    const std::optional<Row> weights = solve(std::move(rows), chosen.size());
    if (!weights || std::any_of(weights->begin(), weights->end(), [](const mpq_class& w) { return w < 0; })) continue;
    ExactVector x;
    for (std::size_t i = 0; i < chosen.size() && chosen[i] < 3; ++i) x = x + (*weights)[i] * exact(a[chosen[i]]);
    if (std::none_of(points.begin(), points.end(), [&](const ExactVector& p) { return squared_distance(p, x) == 0; }))
      points.push_back(x);
  }
  return points;
}

bool exactly_meet_beyond(const TrianglePoints& a, const TrianglePoints& b, std::span<const Eigen::Vector3d> shared) {
  const std::vector<ExactVector> points = exact_intersection(a, b);
  return std::any_of(points.begin(), points.end(), [&](const ExactVector& p) {
    return shared.empty() || point_segment_squared(p, exact(shared.front()), exact(shared.back())) != 0;
  });
}

std::vector<SurfacePair> brute_force_intersections(std::span<const Triangle> triangles,
                                                   std::span<const Index> object_of_triangle,
                                                   std::span<const Eigen::Vector3d> positions, PairScope scope) {
  const auto points = [&](const Triangle& t) {
    const auto at = [&](Index v) { return positions[static_cast<std::size_t>(v)]; };
    return TrianglePoints{at(t[0]), at(t[1]), at(t[2])};
  };
  const auto apart = [](const TrianglePoints& a, const TrianglePoints& b) {
    for (int k = 0; k < 3; ++k) {
      const auto less = [k](const Eigen::Vector3d& p, const Eigen::Vector3d& q) { return p[k] < q[k]; };
      if ((*std::max_element(a.begin(), a.end(), less))[k] < (*std::min_element(b.begin(), b.end(), less))[k] ||
          (*std::max_element(b.begin(), b.end(), less))[k] < (*std::min_element(a.begin(), a.end(), less))[k])
        return true;
    }
    return false;
  };
  std::vector<SurfacePair> pairs;
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const TrianglePoints a = points(triangles[i]);
    for (std::size_t j = i + 1; j < triangles.size(); ++j) {
      const bool same = object_of_triangle[i] == object_of_triangle[j];
      if (scope != PairScope::all && same != (scope == PairScope::self)) continue;
      const TrianglePoints b = points(triangles[j]);
      if (apart(a, b)) continue;
      const std::set<Index> first(triangles[i].begin(), triangles[i].end());
      std::vector<Eigen::Vector3d> shared;
      for (const Index v : std::set<Index>(triangles[j].begin(), triangles[j].end()))
        if (first.count(v) != 0) shared.push_back(positions[static_cast<std::size_t>(v)]);
      if (shared.size() == 3 || exactly_meet_beyond(a, b, shared))
        pairs.push_back({static_cast<Index>(i), static_cast<Index>(j)});
    }
  }
  return pairs;
}

}  // namespace carom::oracle
