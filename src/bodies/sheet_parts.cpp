#include "bodies/sheet_parts.hpp"

#include <algorithm>
#include <deque>

#include "core/at.hpp"

namespace carom::sheet {
namespace {

/// Searches from vertices, see are_apart().
class PartSearch {
 public:
  PartSearch(const Neighbors& neighbors, std::span<const Triangle> triangles, const std::set<Index>& from)
      : neighbors_(neighbors), triangles_(triangles) {
    for (const Index v : from) {
      const auto number = static_cast<Index>(fronts_.size());
      owner_[v] = number;
      fronts_.push_back({v});
      parent_.push_back(number);
    }
    left_ = fronts_.size();
  }

  bool finds_several() {
    while (left_ > 1) {
      for (Index search = 0; search < static_cast<Index>(fronts_.size()) && left_ > 1; ++search) {
        if (find(search) != search) continue;
        if (fronts_[at(search)].empty()) return true;
        advance(search);
      }
    }
    return false;
  }

 private:
  Index find(Index search) {
    while (parent_[at(search)] != search) search = parent_[at(search)] = parent_[at(parent_[at(search)])];
    return search;
  }

  void advance(Index search) {
    const Index vertex = fronts_[at(search)].front();
    fronts_[at(search)].pop_front();
    for (const Index t : neighbors_[vertex]) {
      for (const Index v : triangles_[at(t)]) {
        const auto [entry, is_new] = owner_.try_emplace(v, search);
        if (is_new)
          fronts_[at(search)].push_back(v);
        else if (const Index other = find(entry->second); other != search)
          join(other, search);
      }
    }
  }

  void join(Index from, Index to) {
    parent_[at(from)] = to;
    fronts_[at(to)].insert(fronts_[at(to)].end(), fronts_[at(from)].begin(), fronts_[at(from)].end());
    fronts_[at(from)].clear();
    --left_;
  }

  const Neighbors& neighbors_;
  std::span<const Triangle> triangles_;
  std::map<Index, Index> owner_;  // search that reached each vertex first
  std::vector<std::deque<Index>> fronts_;
  std::vector<Index> parent_;
  std::size_t left_ = 0;
};

}  // namespace

Neighbors::Neighbors(const Body& body, const JoinedTriangles* joined) : joined_(joined), count_(body.positions.size()) {
  if (joined != nullptr) return;
  begin_.assign(count_ + 1, 0);
  list_.resize(3 * body.triangles.size());
  for (const Triangle& t : body.triangles) {
    for (const Index v : t) ++begin_[at(v) + 1];
  }
  for (std::size_t v = 1; v < begin_.size(); ++v) begin_[v] += begin_[v - 1];
  std::vector<std::uint32_t> end(begin_.begin(), begin_.end() - 1);
  for (std::size_t t = 0; t < body.triangles.size(); ++t) {
    for (const Index v : body.triangles[t]) list_[end[at(v)]++] = static_cast<Index>(t);
  }
}

void Neighbors::add(Index vertex, Index triangle) {
  std::vector<Index>& list = own(vertex);
  const auto place = std::lower_bound(list.begin(), list.end(), triangle);
  if (place == list.end() || *place != triangle) list.insert(place, triangle);
}

std::vector<Index>& Neighbors::own(Index vertex) const {
  const auto [entry, is_new] = lists_.try_emplace(vertex);
  std::vector<Index>& list = entry->second;
  if (!is_new || at(vertex) >= count_) return list;
  if (joined_ == nullptr) {
    list.assign(list_.begin() + begin_[at(vertex)], list_.begin() + begin_[at(vertex) + 1]);
    return list;
  }
  const Surface& surface = joined_->surface;
  for (Index c = surface.first_corner(joined_->first_vertex + vertex); c != none; c = surface.next_corner(c))
    list.push_back(c / 3 - joined_->first_triangle);
  std::sort(list.begin(), list.end());
  return list;
}

bool are_apart(const Neighbors& neighbors, std::span<const Triangle> triangles, const std::set<Index>& vertices) {
  return PartSearch(neighbors, triangles, vertices).finds_several();
}

}  // namespace carom::sheet
