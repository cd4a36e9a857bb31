#include <algorithm>
#include <bit>
#include <cassert>

#include "bodies/cloth.hpp"
#include "bodies/cloth_elements.hpp"
#include "core/at.hpp"

// Constraints of cloth that was cut: those near the cut are made again, all others stay where they are.
namespace carom::cloth {
namespace {

using kernels::cloth_lanes;

constexpr std::uint32_t no_lane = 0xffffffff;

/// Colors of some constraints, one bit each. As many as cloth needs; beyond that all is made again.
using ColorSet = std::uint64_t;
constexpr std::uint32_t max_colors = 64;

/// Puts constraints into free lanes of their colors; a color without one gets a batch at its end.
template <class Batch, class Detail, class Range>
class LaneRoom {
 public:
  LaneRoom(std::vector<Batch>& batches, std::vector<Detail>& details, std::vector<Range>& colors,
           std::vector<std::uint32_t>& lanes)
      : batches_(batches), details_(details), colors_(colors), lanes_(lanes) {}

  std::uint32_t color_of(std::uint32_t lane) const {
    const std::uint32_t batch = lane / static_cast<std::uint32_t>(cloth_lanes);
    std::uint32_t color = 0;
    while (batch >= colors_[color].end) ++color;
    return color;
  }

  /// Notes a lane that has just become free.
  void leave(std::uint32_t lane) { left_.emplace_back(color_of(lane), lane); }

  /// Lanes for constraints that have a color and no lane. `empty`: batch without constraints.
  void place(std::span<const std::pair<Index, std::uint32_t>> wanted, const Batch& empty) {
    if (wanted.empty()) return;
    std::vector<std::vector<Index>> of_color(colors_.size());
    for (const auto& [number, color] : wanted) {
      if (of_color.size() <= color) of_color.resize(color + 1);
      of_color[color].push_back(number);
    }
    while (colors_.size() < of_color.size()) {
      const auto end = static_cast<std::uint32_t>(batches_.size());
      colors_.push_back({end, end});
    }
    std::vector<std::vector<std::uint32_t>> free(of_color.size());
    std::vector<std::uint32_t> added(of_color.size(), 0);
    for (std::size_t c = 0; c < of_color.size(); ++c) {
      free[c] = free_lanes(static_cast<std::uint32_t>(c), of_color[c].size(), empty);
      const std::size_t missing = of_color[c].size() - free[c].size();
      added[c] = static_cast<std::uint32_t>(chunk_count(missing, cloth_lanes));
    }
    const std::vector<Range> before = colors_;
    const std::vector<std::uint32_t> shift = insert_batches(added, empty);
    for (std::size_t c = 0; c < of_color.size(); ++c) {
      for (std::uint32_t& lane : free[c]) lane += shift[c] * static_cast<std::uint32_t>(cloth_lanes);
      std::uint32_t next = (before[c].end + shift[c]) * static_cast<std::uint32_t>(cloth_lanes);
      for (std::size_t i = 0; i < of_color[c].size(); ++i)
        lanes_[at(of_color[c][i])] = i < free[c].size() ? free[c][i] : next++;
    }
  }

 private:
  static bool is_free(const Batch& batch, std::size_t lane, const Batch& empty) {
    if constexpr (requires { batch.corners; }) {
      return batch.corners[0][lane] == empty.corners[0][0];
    } else {
      return batch.vertices[0][lane] == empty.vertices[0][0];
    }
  }

  /// Those that became free now, then those in the last batches, where cuts before have left some.
  std::vector<std::uint32_t> free_lanes(std::uint32_t number, std::size_t wanted, const Batch& empty) const {
    std::vector<std::uint32_t> found;
    if (wanted == 0) return found;
    for (const auto& [color, lane] : left_) {
      if (color == number && found.size() < wanted) found.push_back(lane);
    }
    constexpr std::uint32_t most = 64;
    const Range& color = colors_[number];
    const std::uint32_t first = color.end - std::min(most, color.end - color.begin);
    const std::size_t left = found.size();
    for (std::uint32_t b = color.end; b > first && found.size() < wanted; --b) {
      for (std::size_t k = 0; k < cloth_lanes && found.size() < wanted; ++k) {
        const auto lane = (b - 1) * static_cast<std::uint32_t>(cloth_lanes) + static_cast<std::uint32_t>(k);
        const auto end = found.begin() + static_cast<std::ptrdiff_t>(left);
        if (is_free(batches_[b - 1], k, empty) && std::find(found.begin(), end, lane) == end) found.push_back(lane);
      }
    }
    return found;
  }

  /// Batches between a color and the next, of no color.
  std::uint32_t room_of(std::size_t color) const {
    const std::size_t next = color + 1 < colors_.size() ? colors_[color + 1].begin : batches_.size();
    return static_cast<std::uint32_t>(next) - colors_[color].end;
  }

  /// Adds batches at the end of each color; returns by how many those of each color moved. Where there is no room, all
  /// after it move, and there is some for cuts that follow.
  std::vector<std::uint32_t> insert_batches(std::span<const std::uint32_t> added, const Batch& empty) {
    std::vector<std::uint32_t> inserted(added.size(), 0);
    std::vector<std::uint32_t> shift(added.size(), 0);
    for (std::size_t c = 0; c < added.size(); ++c) {
      const std::uint32_t count = colors_[c].end - colors_[c].begin;
      if (added[c] > room_of(c)) inserted[c] = added[c] + batch_room(count, batches_.size());
      if (c > 0) shift[c] = shift[c - 1] + inserted[c - 1];
    }
    if (shift.back() > 0) {
      for (std::uint32_t& lane : lanes_) {
        if (lane != no_lane) lane += shift[color_of(lane)] * static_cast<std::uint32_t>(cloth_lanes);
      }
    }
    for (std::size_t c = added.size(); c-- > 0;) {
      const auto end = static_cast<std::ptrdiff_t>(colors_[c].end);
      batches_.insert(batches_.begin() + end, inserted[c], empty);
      details_.insert(details_.begin() + end, inserted[c], Detail{});
      colors_[c].begin += shift[c];
      colors_[c].end += shift[c];
    }
    for (std::size_t c = 0; c < added.size(); ++c) {
      std::fill_n(batches_.begin() + colors_[c].end, added[c], empty);
      std::fill_n(details_.begin() + colors_[c].end, added[c], Detail{});
      colors_[c].end += added[c];
    }
    return shift;
  }

  std::vector<Batch>& batches_;
  std::vector<Detail>& details_;
  std::vector<Range>& colors_;
  std::vector<std::uint32_t>& lanes_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> left_;  // color and lane
};

template <class List>
void sort_unique(List& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

Edge side_of(const Triangle& t, std::size_t k) {
  const auto [low, high] = std::minmax(t[k], t[(k + 1) % 3]);
  return {low, high};
}

}  // namespace

/// Number of the hinge of an edge; nothing if there never was one.
Index* Model::hinge_at(const Edge& edge) {
  const auto found = std::lower_bound(hinge_edges_.begin(), hinge_edges_.end(), edge);
  if (found != hinge_edges_.end() && *found == edge)
    return &hinge_of_edge_[static_cast<std::size_t>(found - hinge_edges_.begin())];
  const auto later = later_hinges_.find(edge);
  return later == later_hinges_.end() ? nullptr : &later->second;
}

class ModelEdit {
 public:
  ModelEdit(const RestShape& rest, std::span<const Fabric> fabrics, std::span<const Index> changed,
            std::span<const Index> around, Model& model)
      : rest_(rest), fabrics_(fabrics), changed_(changed), model_(model) {
    for (const Index t : around) {
      for (const Index v : rest.triangles[at(t)]) triangles_at_.emplace_back(v, t);
    }
    sort_unique(triangles_at_);
  }

  bool run() {
    if (!find_elements() || !find_hinges()) return false;
    model_.vertex_count_ = rest_.positions.size();
    if (model_.vertex_count_ > model_.spare_point_) move_spare_point();
    const kernels::StretchBatch no_stretch = empty_stretch_batch(model_.spare_point_);
    const kernels::BendBatch no_bend = empty_bend_batch(model_.spare_point_);
    change_triangles(no_stretch);
    change_hinges(no_bend);
    return true;
  }

 private:
  using StretchRoom = LaneRoom<kernels::StretchBatch, kernels::StretchGradient, Model::Range>;
  using BendRoom = LaneRoom<kernels::BendBatch, kernels::BendWeight, Model::Range>;

  /// Lanes without a constraint get another point: there is no room for more vertices.
  void move_spare_point() {
    const auto before = static_cast<std::int32_t>(model_.spare_point_);
    model_.spare_point_ = spare_point_of(model_.vertex_count_);
    const auto now = static_cast<std::int32_t>(model_.spare_point_);
    const auto move = [&](auto& corners) {
      for (auto& corner : corners) std::replace(std::begin(corner), std::end(corner), before, now);
    };
    for (kernels::StretchBatch& batch : model_.stretch_) move(batch.corners);
    for (kernels::BendBatch& batch : model_.bend_) move(batch.vertices);
  }

  /// Triangles at a vertex, of those around the cut.
  template <class Visit>
  void each_triangle_at(Index vertex, const Visit& visit) const {
    auto entry = std::lower_bound(triangles_at_.begin(), triangles_at_.end(), std::pair(vertex, Index{0}));
    for (; entry != triangles_at_.end() && entry->first == vertex; ++entry) visit(entry->second);
  }

  bool find_elements() {
    const std::size_t before = model_.triangles_.size();
    std::size_t is_new = 0;
    for (const Index t : changed_) {
      const std::optional<StretchElement> element = stretch_element(rest_, fabrics_, at(t));
      if (!element) return false;
      elements_.push_back(*element);
      if (at(t) >= before) ++is_new;
    }
    // As many constraints as triangles: their numbers are the same.
    return before + is_new == rest_.triangles.size() && model_.stretch_colors_.size() < max_colors &&
           model_.bend_colors_.size() < max_colors;
  }

  /// Edges of changed triangles, as they were and as they are, and the hinges they get.
  bool find_hinges() {
    for (const Index t : changed_) {
      if (at(t) >= model_.triangles_.size()) continue;
      for (std::size_t k = 0; k < 3; ++k) gone_.push_back(side_of(model_.triangles_[at(t)].corners, k));
    }
    std::vector<Edge> edges;
    for (const Index t : changed_) {
      for (std::size_t k = 0; k < 3; ++k) edges.push_back(side_of(rest_.triangles[at(t)], k));
    }
    sort_unique(edges);
    for (const Edge& edge : edges) {
      std::vector<Index> wings;
      each_triangle_at(edge[0], [&](Index t) {
        const Triangle& c = rest_.triangles[at(t)];
        if (c[0] == edge[1] || c[1] == edge[1] || c[2] == edge[1]) wings.push_back(t);
      });
      if (wings.size() > 2) return false;
      if (wings.size() < 2 || !bends()) continue;
      if (const auto hinge = bend_element(rest_, fabrics_, edge, at(wings[0]), at(wings[1])))
        hinges_.emplace_back(edge, *hinge);
    }
    gone_.insert(gone_.end(), edges.begin(), edges.end());
    sort_unique(gone_);
    return true;
  }
  bool bends() const {
    return std::any_of(fabrics_.begin(), fabrics_.end(), [](const Fabric& f) { return f.bend_stiffness > 0; });
  }

  void change_triangles(const kernels::StretchBatch& empty) {
    StretchRoom room(model_.stretch_, model_.gradients_, model_.stretch_colors_, model_.stretch_lane_);
    model_.triangles_.resize(rest_.triangles.size());
    model_.stretch_lane_.resize(rest_.triangles.size(), no_lane);
    std::vector<std::pair<Index, std::uint32_t>> wanted;
    std::map<Index, std::uint32_t> given;
    const auto taken_by = [&](Index t) -> ColorSet {
      ColorSet set = 0;
      for (const Index v : rest_.triangles[at(t)]) {
        each_triangle_at(v, [&](Index other) {
          if (other == t) return;
          const std::uint32_t lane = model_.stretch_lane_[at(other)];
          if (lane != no_lane) set |= ColorSet{1} << room.color_of(lane);
          if (const auto found = given.find(other); found != given.end()) set |= ColorSet{1} << found->second;
        });
      }
      return set;
    };
    for (std::size_t i = 0; i < changed_.size(); ++i) {
      const Index t = changed_[i];
      model_.triangles_[at(t)] = elements_[i];
      std::uint32_t& lane = model_.stretch_lane_[at(t)];
      const ColorSet taken = taken_by(t);
      if (lane != no_lane && (taken >> room.color_of(lane) & 1) == 0) continue;
      if (lane != no_lane) {
        for (std::size_t k = 0; k < 3; ++k)
          model_.stretch_[lane / cloth_lanes].corners[k][lane % cloth_lanes] = empty.corners[k][0];
        room.leave(lane);
        lane = no_lane;
      }
      const auto color = static_cast<std::uint32_t>(std::countr_one(taken));
      given[t] = color;
      wanted.emplace_back(t, color);
    }
    model_.rates_.triangles.insert(model_.rates_.triangles.end(), changed_.begin(), changed_.end());
    room.place(wanted, empty);
    for (const Index t : changed_) model_.set_lane(model_.triangles_[at(t)], model_.stretch_lane_[at(t)]);
  }

  static Edge edge_of(const BendElement& hinge) {
    const auto [low, high] = std::minmax(hinge.vertices[0], hinge.vertices[1]);
    return {low, high};
  }

  void remove_hinge(const Edge& edge, const kernels::BendBatch& empty, BendRoom& room) {
    Index* number = model_.hinge_at(edge);
    if (number == nullptr || *number == none) return;
    const std::size_t hole = at(*number);
    const std::uint32_t lane = model_.bend_lane_[hole];
    kernels::BendBatch& batch = model_.bend_[lane / cloth_lanes];
    for (std::size_t k = 0; k < 4; ++k) batch.vertices[k][lane % cloth_lanes] = empty.vertices[k][0];
    room.leave(lane);
    *number = none;
    model_.rates_.hinges.insert(model_.rates_.hinges.end(),
                                {static_cast<Index>(hole), static_cast<Index>(model_.hinges_.size() - 1)});
    if (hole + 1 < model_.hinges_.size()) {
      *model_.hinge_at(edge_of(model_.hinges_.back())) = static_cast<Index>(hole);
      model_.hinges_[hole] = model_.hinges_.back();
      model_.bend_lane_[hole] = model_.bend_lane_.back();
    }
    model_.hinges_.pop_back();
    model_.bend_lane_.pop_back();
  }

  void change_hinges(const kernels::BendBatch& empty) {
    BendRoom room(model_.bend_, model_.weights_, model_.bend_colors_, model_.bend_lane_);
    for (const Edge& edge : gone_) remove_hinge(edge, empty, room);
    std::vector<std::pair<Index, std::uint32_t>> wanted;
    std::map<Index, std::uint32_t> given;
    for (const auto& [edge, hinge] : hinges_) {
      ColorSet taken = 0;
      for (const Index v : hinge.vertices) {
        each_triangle_at(v, [&](Index t) {
          for (std::size_t k = 0; k < 3; ++k) {
            const Index* other = model_.hinge_at(side_of(rest_.triangles[at(t)], k));
            if (other == nullptr || *other == none) continue;
            const std::uint32_t lane = model_.bend_lane_[at(*other)];
            taken |= ColorSet{1} << (lane != no_lane ? room.color_of(lane) : given.at(*other));
          }
        });
      }
      const auto number = static_cast<Index>(model_.hinges_.size());
      if (Index* entry = model_.hinge_at(edge))
        *entry = number;
      else
        model_.later_hinges_[edge] = number;
      model_.hinges_.push_back(hinge);
      model_.bend_lane_.push_back(no_lane);
      model_.rates_.hinges.push_back(number);
      if (hinge.rest != 0) model_.flat_ = false;
      const auto color = static_cast<std::uint32_t>(std::countr_one(taken));
      given[number] = color;
      wanted.emplace_back(number, color);
    }
    room.place(wanted, empty);
    for (const auto& [number, color] : wanted)
      model_.set_lane(model_.hinges_[at(number)], model_.bend_lane_[at(number)]);
  }

  const RestShape& rest_;
  std::span<const Fabric> fabrics_;
  std::span<const Index> changed_;
  Model& model_;
  std::vector<std::pair<Index, Index>> triangles_at_;  // vertex and triangle, of those around the cut
  std::vector<StretchElement> elements_;               // of `changed_`
  std::vector<Edge> gone_;
  std::vector<std::pair<Edge, BendElement>> hinges_;
};

bool Model::is_sound() const {
  const auto check = [&](const auto& elements, const auto& lanes, const auto& batches, const auto& colors,
                         const auto& corners_of, const auto& vertices_of) {
    std::vector<std::size_t> element(batches.size() * cloth_lanes, elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (element[lanes[i]] != elements.size()) return false;
      element[lanes[i]] = i;
    }
    std::uint32_t next = 0;
    for (const Range& color : colors) {
      if (color.begin < next) return false;
      next = color.end;
      std::vector<std::uint8_t> used(vertex_count_, 0);
      for (std::size_t lane = color.begin * cloth_lanes; lane < color.end * cloth_lanes; ++lane) {
        const auto& corners = corners_of(batches[lane / cloth_lanes]);
        std::size_t k = 0;
        for (const auto& corner : corners) {
          const Index vertex = corner[lane % cloth_lanes];
          if (element[lane] == elements.size() && at(vertex) != spare_point_) return false;
          if (element[lane] == elements.size()) continue;
          if (vertex != vertices_of(elements[element[lane]])[k++] || used[at(vertex)]++ != 0) return false;
        }
      }
    }
    return next <= batches.size();
  };
  return spare_point_ >= vertex_count_ &&
         check(
             triangles_, stretch_lane_, stretch_, stretch_colors_,
             [](const auto& batch) -> const auto& { return batch.corners; },
             [](const auto& e) -> const auto& { return e.corners; }) &&
         check(
             hinges_, bend_lane_, bend_, bend_colors_, [](const auto& batch) -> const auto& { return batch.vertices; },
             [](const auto& e) -> const auto& { return e.vertices; }) &&
         gradients_.size() == stretch_.size() && weights_.size() == bend_.size();
}

bool Model::change(const RestShape& rest, std::span<const Fabric> fabrics, std::span<const Index> changed,
                   std::span<const Index> around) {
  if (!one_hinge_an_edge_) return false;
  return ModelEdit(rest, fabrics, changed, around, *this).run();
}

}  // namespace carom::cloth
