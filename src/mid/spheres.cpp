#include "mid/spheres.hpp"

#include <algorithm>

#include "bounds/bounds.hpp"
#include "core/at.hpp"

namespace carom::mid {

namespace {

using Node = SphereTree::Node;

constexpr std::size_t sphere_pair_grain = 256;
/// Pairs of triangles that are worth a chunk.
constexpr std::size_t sphere_rows_work = 8192;
constexpr std::size_t sphere_rows_grain = 16;
/// Rounding of the test, relative, of the squares.
constexpr double sphere_test_slack = 1e-13;

/// Whether spheres may have points within `distance` of each other, rounding included. False only if they are apart:
/// what is not a number counts as near.
bool sphere_near(const Node& a, const Node& b, double distance) {
  const double reach = a.radius + b.radius + distance + bounds::relative_slack * (4 * (a.radius + b.radius) + distance);
  return !((a.center - b.center).squaredNorm() > reach * reach * (1 + sphere_test_slack));
}

std::uint64_t all_pairs_of(const Node& a, const Node& b, bool same) {
  return same ? static_cast<std::uint64_t>(a.size()) * (a.size() - 1) / 2
              : static_cast<std::uint64_t>(a.size()) * b.size();
}

}  // namespace

/// Leaves within reach of each other, into `leaf_pairs_`. The number of tests of spheres.
std::uint64_t Spheres::traverse(Context& context, const SpheresIn& in) {
  const std::span<const Node> nodes = tree_.nodes();
  leaf_pairs_.clear();
  pairs_.clear();
  for (const broad::ObjectPair& pair : in.object_pairs) {
    const Index a = tree_.root(pair.a);
    const Index b = tree_.root(pair.b);
    if (a != none && b != none) pairs_.push_back({a, b});
  }
  std::uint64_t tests = 0;
  while (!pairs_.empty()) {
    tests_.assign(chunk_count(pairs_.size(), sphere_pair_grain), 0);
    append_.run(context.workers, pairs_.size(), sphere_pair_grain, next_,
                [&](std::size_t begin, std::size_t end, std::vector<NodePair>& out, std::size_t chunk) {
                  for (std::size_t i = begin; i < end; ++i) {
                    const auto [a, b, leaves] = pairs_[i];
                    const Node& na = nodes[at(a)];
                    const Node& nb = nodes[at(b)];
                    if (a == b) {
                      if (na.is_leaf()) {
                        out.push_back({a, a, true});
                      } else {
                        out.push_back({na.child, na.child});
                        out.push_back({na.child, na.child + 1});
                        out.push_back({na.child + 1, na.child + 1});
                      }
                      continue;
                    }
                    ++tests_[chunk];
                    if (!sphere_near(na, nb, in.distance)) continue;
                    if (na.is_leaf() && nb.is_leaf()) {
                      out.push_back({a, b, true});
                    } else if (nb.is_leaf() || (!na.is_leaf() && na.radius > nb.radius)) {
                      // The larger one gives way to its children, so that spheres stay alike in size.
                      out.push_back({na.child, b});
                      out.push_back({na.child + 1, b});
                    } else {
                      out.push_back({a, nb.child});
                      out.push_back({a, nb.child + 1});
                    }
                  }
                });
    for (const std::uint64_t count : tests_) tests += count;
    pairs_.clear();
    for (const NodePair& pair : next_) (pair.leaves ? leaf_pairs_ : pairs_).push_back(pair);
  }
  return tests;
}

/// Pairs of leaves in pieces of like work. The number of pairs of triangles in them.
std::uint64_t Spheres::cut_into_rows() {
  const std::span<const Node> nodes = tree_.nodes();
  std::uint64_t all = 0;
  rows_.clear();
  for (const NodePair& pair : leaf_pairs_) {
    const Node& a = nodes[at(pair.a)];
    const Node& b = nodes[at(pair.b)];
    all += all_pairs_of(a, b, pair.a == pair.b);
    const auto step = static_cast<Index>(std::max<std::size_t>(1, sphere_rows_work / b.size()));
    for (Index begin = a.begin; begin < a.end; begin += step)
      rows_.push_back({pair.a, pair.b, begin, std::min(begin + step, a.end)});
  }
  return all;
}

void Spheres::run(Context& context, const SpheresIn& in, const SphereTreeOptions& options,
                  std::vector<TrianglePair>& pairs, StageStats& stats) {
  pairs.clear();
  if (in.object_pairs.empty()) return;  // trees that nobody asks for are not brought up to date
  tree_.update(context, in.surface, in.positions, options);
  const std::span<const Node> nodes = tree_.nodes();
  std::uint64_t all = 0;
  for (const broad::ObjectPair& pair : in.object_pairs) {
    const Index a = tree_.root(pair.a);
    const Index b = tree_.root(pair.b);
    if (a != none && b != none) all += all_pairs_of(nodes[at(a)], nodes[at(b)], a == b);
  }
  const std::uint64_t sphere_tests = traverse(context, in);
  const std::uint64_t box_tests = cut_into_rows();
  const std::span<const Index> order = tree_.order();
  append_triangles_.run(context.workers, rows_.size(), sphere_rows_grain, pairs,
                        [&](std::size_t begin, std::size_t end, std::vector<TrianglePair>& out, std::size_t) {
                          for (std::size_t r = begin; r < end; ++r) {
                            const Rows& rows = rows_[r];
                            const Node& b = nodes[at(rows.b)];
                            for (Index i = rows.begin; i < rows.end; ++i) {
                              const Index first = order[at(i)];
                              for (Index j = rows.a == rows.b ? i + 1 : b.begin; j < b.end; ++j) {
                                const Index second = order[at(j)];
                                if (overlap(in.triangles[at(first)], in.triangles[at(second)]))
                                  out.push_back({std::min(first, second), std::max(first, second)});
                              }
                            }
                          }
                        });
  stats.in += all;
  stats.add_culled("sphere", all - box_tests);
  stats.add_culled("box", box_tests - pairs.size());
  stats.add_counted("nodes", nodes.size());
  stats.add_counted("sphere tests", sphere_tests);
  stats.add_counted("box tests", box_tests);
}

}  // namespace carom::mid
