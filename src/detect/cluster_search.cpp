#include "detect/cluster_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include "broad/object_filter.hpp"
#include "carom/mesh/closest.hpp"
#include "core/at.hpp"
#include "core/stage_timer.hpp"

namespace carom::detection {

namespace {

using kernels::BlockBounds;
using kernels::BoxGroup;
using kernels::cluster_lanes;
using kernels::ClusterBlock;
using kernels::UnitBox;

constexpr std::size_t block_grain = 32;
constexpr std::size_t box_grain = 512;
constexpr std::size_t chunk_blocks = 4;
constexpr std::size_t hit_conversion_grain = 8192;

/// Of blocks that were made by place: when they have grown more, they are made again.
constexpr double max_growth = 1.6;

/// As in kernels/cluster_search.cpp: of coordinates in units.
constexpr float block_slack = 5e-7F;

/// Ten bits with two zeros after each.
std::uint32_t spread_ten_bits(std::uint32_t x) {
  x = (x | x << 16U) & 0x030000ffU;
  x = (x | x << 8U) & 0x0300f00fU;
  x = (x | x << 4U) & 0x030c30c3U;
  return (x | x << 2U) & 0x09249249U;
}

void set_box(BoxGroup& group, std::size_t lane, const UnitBox& box) {
  for (std::size_t k = 0; k < 3; ++k) {
    group.low[k][lane] = box.low[k];
    group.high[k][lane] = box.high[k];
  }
}

const double* numbers(std::span<const Eigen::Vector3d> positions) {
  static_assert(sizeof(Eigen::Vector3d) == 3 * sizeof(double));
  return positions.empty() ? nullptr : positions.front().data();
}

}  // namespace

const mesh::SurfaceClusters& ClusterSearch::clusters_of(Context& context, const bounds::In& in) {
  const mesh::SurfaceClusters& clusters = in.surface.clusters();
  // Lists that were kept are of clusters by their numbers: what was made again, or is of the other kind, has others.
  if (!clusters.loose) {
    if (std::exchange(by_place_revision_, 0) != 0) kept_.forget();
    return clusters;
  }
  if (by_place_revision_ != in.surface.revision()) {
    kept_.forget();
    by_place_revision_ = 0;  // of none, should memory run out on the way
    made_sizes_.clear();
    by_place_ = mesh::make_clusters_by_place(context.workers, in.surface, in.positions);
    by_place_revision_ = in.surface.revision();
  }
  return by_place_;
}

/// Whether what was near each other is so no longer, by the chosen blocks.
bool ClusterSearch::worn() {
  const auto size = [&](std::size_t b) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += 0.25 * block_bounds_[b].high[k] - 0.25 * block_bounds_[b].low[k];
    return sum;
  };
  if (made_sizes_.size() != clusters_->blocks.size()) made_sizes_.assign(clusters_->blocks.size(), -1);
  double now = 0;
  double made = 0;
  for (const std::int32_t chosen : chosen_) {
    const auto b = static_cast<std::size_t>(chosen);
    if (made_sizes_[b] < 0) made_sizes_[b] = size(b);
    now += size(b);
    made += made_sizes_[b];
  }
  return now > max_growth * made;
}

void ClusterSearch::measure(Context& context, const bounds::In& in) {
  block_bounds_.resize(clusters_->blocks.size());
  parallel_chunks(context.workers, chosen_.size(), block_grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    kernels::measure_blocks(numbers(in.positions), in.positions.size(), clusters_->block_vertices.data(),
                            clusters_->blocks.data(), chosen_.data() + begin, end - begin, block_bounds_.data());
  });
}

/// Boxes of the chosen blocks over the step, less the mean motion of their middles. Any motion that all share is right.
void ClusterSearch::add_end(Context& context, const bounds::In& in) {
  end_bounds_.resize(clusters_->blocks.size());
  parallel_chunks(context.workers, chosen_.size(), block_grain, [&](std::size_t begin, std::size_t end, std::size_t) {
    kernels::measure_blocks(numbers(in.end), in.end.size(), clusters_->block_vertices.data(), clusters_->blocks.data(),
                            chosen_.data() + begin, end - begin, end_bounds_.data());
  });
  const auto count = static_cast<double>(chosen_.size());
  for (std::size_t k = 0; k < 3; ++k) {
    double sum = 0;
    for (const std::int32_t chosen : chosen_) {
      const auto b = static_cast<std::size_t>(chosen);
      sum += (0.5 * (end_bounds_[b].low[k] - block_bounds_[b].low[k]) +
              0.5 * (end_bounds_[b].high[k] - block_bounds_[b].high[k])) /
             count;
    }
    shift_[k] = std::isfinite(sum) ? sum : 0;
    for (const std::int32_t chosen : chosen_) {
      BlockBounds& bounds = block_bounds_[static_cast<std::size_t>(chosen)];
      const BlockBounds& end = end_bounds_[static_cast<std::size_t>(chosen)];
      bounds.low[k] = std::min(bounds.low[k], end.low[k] - shift_[k]);
      bounds.high[k] = std::max(bounds.high[k], end.high[k] - shift_[k]);
    }
  }
}

/// Blocks of objects that have a partner, which may be themselves.
void ClusterSearch::choose_blocks(const Surface& surface, const Options& options) {
  const std::size_t objects = surface.objects().size();
  const bool all = !options.object_pairs;
  self_wanted_.assign(objects, all && options.pairs != PairScope::between ? 1 : 0);
  between_wanted_.assign(objects, all && options.pairs != PairScope::self ? 1 : 0);
  if (!all) {
    for (const auto& [a, b] : *options.object_pairs) {
      if (a == b && options.pairs != PairScope::between) self_wanted_[at(a)] = 1;
      if (a != b && options.pairs != PairScope::self) between_wanted_[at(a)] = between_wanted_[at(b)] = 1;
    }
  }
  if (!options.marks.empty()) {
    for (std::size_t o = 0; o < objects; ++o)
      if (options.marks[o] != broad::ObjectChoice::every_mark) self_wanted_[o] = 0;
  }
  chosen_.clear();
  for (std::size_t b = 0; b < clusters_->blocks.size(); ++b) {
    const std::size_t o = at(clusters_->blocks[b].object);
    if (clusters_->blocks[b].vertex_count == 0) continue;  // an edit took all there was
    if (self_wanted_[o] != 0 || between_wanted_[o] != 0) chosen_.push_back(static_cast<std::int32_t>(b));
  }
}

/// The chosen blocks are no larger than 1 in units, and no smaller than a quarter, unless they are one point.
void ClusterSearch::set_units(const Options& options) {
  double low[3] = {0, 0, 0};
  double high[3] = {0, 0, 0};
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const BlockBounds& b = block_bounds_[static_cast<std::size_t>(chosen_[i])];
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = i == 0 ? b.low[k] : std::min(low[k], b.low[k]);
      high[k] = i == 0 ? b.high[k] : std::max(high[k], b.high[k]);
    }
  }
  double half = 0;  // of the size: the whole may be infinite
  for (std::size_t k = 0; k < 3; ++k) half = std::max(half, 0.5 * high[k] - 0.5 * low[k]);
  const int exponent = half > 0 ? std::clamp(std::ilogb(half) + 2, -1000, 1023) : 0;
  // Units stay while they do: what is kept from call to call is in them.
  const double half_as_large = std::ldexp(1.0, -exponent - 1);
  units_.per_unit = units_.per_unit == half_as_large ? half_as_large : std::ldexp(1.0, -exponent);
  for (std::size_t k = 0; k < 3; ++k) units_.corner[k] = low[k] * units_.per_unit;
  // Larger than the scene is as good as infinite; smaller than this is nothing to floats.
  const auto in_units = [&](double distance) {
    return static_cast<float>(std::clamp(distance * units_.per_unit * (1 + 1e-6), 1e-30, 8.0));
  };
  units_.reach = in_units(options.distance);
  self_reach_ = in_units(std::min(options.distance, options.self_distance));
  end_units_ = units_;
  for (std::size_t k = 0; k < 3; ++k) end_units_.corner[k] = (low[k] + shift_[k]) * units_.per_unit;
}

void ClusterSearch::box_blocks(Context& context) {
  block_boxes_.resize(clusters_->blocks.size());
  const float grow = 0.50001F * units_.reach + block_slack;
  parallel_for(context.workers, chosen_.size(), box_grain, [&](std::size_t i) {
    const BlockBounds& b = block_bounds_[at(chosen_[i])];
    UnitBox& box = block_boxes_[at(chosen_[i])];
    for (std::size_t k = 0; k < 3; ++k) {
      box.low[k] = static_cast<float>(b.low[k] * units_.per_unit - units_.corner[k]) - grow;
      box.high[k] = static_cast<float>(b.high[k] * units_.per_unit - units_.corner[k]) + grow;
    }
  });
}

void ClusterSearch::order_blocks(Context& context) {
  keyed_.resize(chosen_.size());
  parallel_for(context.workers, chosen_.size(), box_grain, [&](std::size_t i) {
    const BlockBounds& b = block_bounds_[static_cast<std::size_t>(chosen_[i])];
    std::uint32_t code = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double middle = (0.5 * b.low[k] + 0.5 * b.high[k]) * units_.per_unit - units_.corner[k];
      const auto cell = static_cast<std::uint32_t>(std::clamp(middle * 1024, 0.0, 1023.0));
      code |= spread_ten_bits(cell) << k;
    }
    keyed_[i] = static_cast<std::uint64_t>(code) << 32U | static_cast<std::uint32_t>(chosen_[i]);
  });
  key_sort_.run(context.workers, keyed_, 64, [](std::uint64_t key) { return key; });
  order_.resize(keyed_.size());
  const std::size_t group_count = (order_.size() + cluster_lanes - 1) / cluster_lanes;
  const std::size_t upper_count = (group_count + cluster_lanes - 1) / cluster_lanes;
  groups_.resize(group_count);
  upper_.resize(upper_count);
  for (std::size_t i = 0; i < group_count * cluster_lanes; ++i) {
    if (i < order_.size()) order_[i] = static_cast<std::int32_t>(keyed_[i] & 0xffffffffU);
    set_box(groups_[i / cluster_lanes], i % cluster_lanes, i < order_.size() ? block_boxes_[at(order_[i])] : UnitBox());
  }
  for (std::size_t u = 0; u < upper_count * cluster_lanes; ++u) {
    if (u < group_count) {
      kernels::enclose(groups_[u], upper_[u / cluster_lanes], u % cluster_lanes);
    } else {
      set_box(upper_[u / cluster_lanes], u % cluster_lanes, UnitBox());
    }
  }
}

bool ClusterSearch::wanted(Index a, Index b, const Options& options) const {
  if (a == b) return self_wanted_[at(a)] != 0;
  if (between_wanted_[at(a)] == 0 || between_wanted_[at(b)] == 0) return false;
  if (!options.marks.empty() && (options.marks[at(a)] | options.marks[at(b)]) != broad::ObjectChoice::every_mark)
    return false;
  return !options.object_pairs || std::binary_search(options.object_pairs->begin(), options.object_pairs->end(),
                                                     broad::ObjectPair{std::min(a, b), std::max(a, b)});
}

void ClusterSearch::pair_blocks(Context& context, const Options& options) {
  chunk_count_ = carom::chunk_count(order_.size(), chunk_blocks);
  if (chunks_.size() < chunk_count_) chunks_.resize(chunk_count_);
  parallel_chunks(
      context.workers, order_.size(), chunk_blocks, [&](std::size_t begin, std::size_t end, std::size_t number) {
        Chunk& chunk = chunks_[number];
        chunk.partner_begin.assign(1, 0);
        chunk.partners.clear();
        for (std::size_t i = begin; i < end; ++i) {
          const std::size_t first = chunk.partners.size();
          chunk.partners.resize(first + order_.size() - i);
          auto* out = reinterpret_cast<std::uint32_t*>(chunk.partners.data() + first);
          const std::size_t found = kernels::overlapping(groups_.data(), upper_.data(), groups_.size(), i, i, out);
          const Index own = clusters_->blocks[static_cast<std::size_t>(order_[i])].object;
          std::size_t kept = 0;
          for (std::size_t n = 0; n < found; ++n) {
            const std::int32_t other = order_[out[n]];
            if (wanted(own, clusters_->blocks[static_cast<std::size_t>(other)].object, options))
              chunk.partners[first + kept++] = other;
          }
          chunk.partners.resize(first + kept);
          chunk.partner_begin.push_back(static_cast<std::uint32_t>(chunk.partners.size()));
        }
      });
}

/// Blocks with partners, and what is around these.
void ClusterSearch::list_used() {
  used_.assign(clusters_->blocks.size(), 0);
  near_.resize(clusters_->blocks.size());
  const auto add = [&](std::int32_t block, std::int32_t partner) {
    if (used_[at(block)] == 0) near_[at(block)] = {};
    used_[at(block)] = 1;
    near_[at(block)].include(block_boxes_[at(partner)]);
  };
  for (std::size_t c = 0; c < chunk_count_; ++c) {
    const Chunk& chunk = chunks_[c];
    for (std::size_t i = 0; i + 1 < chunk.partner_begin.size(); ++i) {
      const std::int32_t block = order_[c * chunk_blocks + i];
      for (std::uint32_t p = chunk.partner_begin[i]; p < chunk.partner_begin[i + 1]; ++p) {
        add(block, chunk.partners[p]);
        add(chunk.partners[p], block);
      }
    }
  }
  used_list_.clear();
  for (std::size_t b = 0; b < used_.size(); ++b)
    if (used_[b] != 0) used_list_.push_back(static_cast<std::int32_t>(b));
}

void ClusterSearch::place(Context& context, const bounds::In& in) {
  const kernels::MotionOfClusters motion = kept_.motion(placed_, placed_end_);
  const kernels::MotionOfClusters motion_to_end = kept_.motion_to_end(placed_);
  parallel_for(context.workers, used_list_.size(), 4, [&](std::size_t i) {
    const auto b = static_cast<std::size_t>(used_list_[i]);
    const bool step = !in.end.empty();
    kernels::place_clusters(numbers(in.positions), in.positions.size(), units_, clusters_->clusters.data(),
                            clusters_->blocks[b], placed_.data(), boxes_[b], motion, step ? nullptr : &near_[b]);
    if (!step) return;
    // What is near over the step is known when both ends are.
    BoxGroup end;
    kernels::place_clusters(numbers(in.end), in.end.size(), end_units_, clusters_->clusters.data(),
                            clusters_->blocks[b], placed_end_.data(), end, motion_to_end, nullptr);
    for (std::size_t lane = 0; lane < cluster_lanes; ++lane) {
      UnitBox box;
      for (std::size_t k = 0; k < 3; ++k) {
        box.low[k] = std::min(boxes_[b].low[k][lane], end.low[k][lane]);
        box.high[k] = std::max(boxes_[b].high[k][lane], end.high[k][lane]);
      }
      set_box(boxes_[b], lane, box.meets(near_[b]) ? box : UnitBox());
    }
  });
}

void ClusterSearch::search(Context& context, const bounds::In& in, const Options& options, bool triangles) {
  const bool flat = options.flat != nullptr && options.flat->any() && in.end.empty() && !triangles;
  const bool counted = options.flat != nullptr && in.end.empty() && !triangles;
  self_hits_.assign(counted ? clusters_->clusters.size() : 0, 0);
  kernels::SearchIn search_in{.clusters = clusters_->clusters.data(),
                              .placed = placed_.data(),
                              .placed_end = in.end.empty() ? nullptr : placed_end_.data(),
                              .boxes = boxes_.data(),
                              .blocks = clusters_->blocks.data(),
                              .neighbor_begin = clusters_->neighbor_begin.data(),
                              .neighbors = clusters_->neighbors.data(),
                              .around_begin = clusters_->around_begin.data(),
                              .around = clusters_->around.data(),
                              .reach = units_.reach,
                              .self_reach = in.end.empty() && !triangles ? self_reach_ : units_.reach,
                              .flat = flat ? options.flat->flat().data() : nullptr,
                              .flat_of_block = flat ? options.flat->flat_of_block().data() : nullptr,
                              .far_begin = flat ? options.flat->far_begin().data() : nullptr,
                              .far = flat ? options.flat->far().data() : nullptr,
                              .self_hits = counted ? self_hits_.data() : nullptr,
                              .hubs = clusters_->hubs,
                              .triangles = triangles};
  const bool one_list = context.workers.threads() == 1;
  const auto clear = [](kernels::SearchHits& hits) {
    hits.vertex_triangle.clear();
    hits.edge_edge.clear();
    hits.unsure_vertex_triangle.clear();
    hits.unsure_edge_edge.clear();
    hits.later_vertex_triangle.clear();
    hits.later_edge_edge.clear();
    hits.triangles.clear();
    hits.counts = {};
  };
  for (std::size_t c = 0; c < chunk_count_; ++c) clear(chunks_[c].hits);
  // Also those that only the call before had: what it kept is in them.
  hits_lists_.clear();
  for (Chunk& chunk : chunks_) hits_lists_.push_back(&chunk.hits);
  kept_.hand_over(hits_lists_, search_in);
  parallel_for(context.workers, chunk_count_, 1, [&](std::size_t c) {
    const Chunk& chunk = chunks_[c];
    kernels::SearchHits& hits = chunks_[one_list ? 0 : c].hits;
    for (std::size_t i = 0; i + 1 < chunk.partner_begin.size(); ++i) {
      const std::int32_t block = order_[c * chunk_blocks + i];
      const bool neighbors = self_wanted_[at(clusters_->blocks[static_cast<std::size_t>(block)].object)] != 0;
      const std::uint32_t begin = chunk.partner_begin[i];
      const std::uint32_t end = chunk.partner_begin[i + 1];
      if (begin == end) continue;
      kernels::search_block(search_in, block, chunk.partners.data() + begin, end - begin, neighbors, hits);
    }
    settle(in, options, hits);
  });
}

/// Decides what single precision could not: over a step, of its start.
void ClusterSearch::settle(const bounds::In& in, const Options& options, kernels::SearchHits& hits) const {
  const auto position = [&](Index v) -> const Eigen::Vector3d& { return in.positions[at(v)]; };
  const bool shorter = options.self_distance < options.distance;
  const auto object_of = [&](Index v) {
    return in.surface.object_index_of_triangle()[at(in.surface.first_corner(v)) / 3];
  };
  const auto distance_of = [&](Index a, Index b) {
    return shorter && object_of(a) == object_of(b) ? options.self_distance : options.distance;
  };
  const auto add = [](kernels::PairList& list, std::uint64_t pair) {
    list.reserve_more(1);
    list.data[list.size++] = pair;
  };
  const bool step = !in.end.empty();
  kernels::PairList& faces = hits.unsure_vertex_triangle;
  for (std::size_t i = 0; i < faces.size; ++i) {
    const auto [a, b, c] = in.surface.triangles()[faces.data[i] & 0xffffffffU];
    const auto vertex = static_cast<Index>(faces.data[i] >> 32U);
    const double distance = distance_of(vertex, a);
    if (distance > 0 &&
        closest_vertex_triangle(position(vertex), position(a), position(b), position(c)).distance < distance) {
      add(hits.vertex_triangle, faces.data[i]);
    } else if (step) {
      add(hits.later_vertex_triangle, faces.data[i]);
    }
  }
  faces.clear();
  kernels::PairList& edges = hits.unsure_edge_edge;
  for (std::size_t i = 0; i < edges.size; ++i) {
    const Edge a = clusters_->edges[edges.data[i] >> 32U];
    const Edge b = clusters_->edges[edges.data[i] & 0xffffffffU];
    const double distance = distance_of(a[0], b[0]);
    if (distance > 0 &&
        closest_edge_edge(position(a[0]), position(a[1]), position(b[0]), position(b[1])).distance < distance) {
      add(hits.edge_edge, edges.data[i]);
    } else if (step) {
      add(hits.later_edge_edge, edges.data[i]);
    }
  }
  edges.clear();
}

void ClusterSearch::sort(Context& context) {
  const std::size_t count = context.workers.threads() == 1 ? std::min<std::size_t>(chunk_count_, 1) : chunk_count_;
  const auto sort_into = [&](kernels::PairList kernels::SearchHits::*list, narrow::RawNumbers& out) {
    lists_.clear();
    for (std::size_t c = 0; c < count; ++c) lists_.push_back(&(chunks_[c].hits.*list));
    pair_sort_.run(context.workers, lists_, out);
  };
  sort_into(&kernels::SearchHits::vertex_triangle, pairs_.vertex_triangle);
  sort_into(&kernels::SearchHits::edge_edge, pairs_.edge_edge);
  sort_into(&kernels::SearchHits::later_vertex_triangle, later_.vertex_triangle);
  sort_into(&kernels::SearchHits::later_edge_edge, later_.edge_edge);
}

/// Of all pairs of clusters, each also with itself; most are never looked at.
kernels::SearchCounts ClusterSearch::count_clusters(const Options& options, StageStats& stats) {
  kernels::SearchCounts sum;
  for (std::size_t c = 0; c < chunk_count_; ++c) {
    const kernels::SearchCounts& counts = chunks_[c].hits.counts;
    sum.cluster_pairs += counts.cluster_pairs;
    sum.tests += counts.tests;
    sum.adjacent += counts.adjacent;
    sum.measured += counts.measured;
    sum.flat += counts.flat;
    sum.kept_pairs += counts.kept_pairs;
    sum.kept_features += counts.kept_features;
    sum.added_pairs += counts.added_pairs;
  }
  if (options.object_pairs && options.object_pairs->empty()) return sum;  // nothing was asked for
  const std::uint64_t used = clusters_->clusters.size();
  const std::uint64_t all = used * (used + 1) / 2;
  std::uint64_t parted = 0;
  if (!options.marks.empty()) {
    std::array<std::uint64_t, broad::ObjectChoice::every_mark + 1> marked{};
    for (const ClusterBlock& block : clusters_->blocks)
      marked[options.marks[at(block.object)]] += static_cast<std::uint64_t>(block.count);
    for (std::size_t a = 0; a < marked.size(); ++a) {
      if (a != broad::ObjectChoice::every_mark) parted += marked[a] * (marked[a] + 1) / 2;
      for (std::size_t b = a + 1; b < marked.size(); ++b)
        if ((a | b) != broad::ObjectChoice::every_mark) parted += marked[a] * marked[b];
    }
  }
  stats.set_unit("pairs of clusters");
  stats.in += all;
  if (parted > 0) stats.add_culled("filtered", parted);
  if (sum.flat > 0) stats.add_culled("flat", sum.flat);
  stats.add_culled("box", all - parted - sum.flat - sum.cluster_pairs);
  stats.out += sum.cluster_pairs;
  if (sum.kept_pairs > 0) stats.add_counted("kept pairs of clusters", sum.kept_pairs);
  // What other stages, and edits, do the slow way then: docs/limits.md.
  if (clusters_->hubs) stats.add_counted("surfaces with a hub", 1);
  if (clusters_ == &by_place_) stats.add_counted("surfaces of loose triangles", 1);
  return sum;
}

void ClusterSearch::prepare(Context& context, const bounds::In& in, const Options& options, bool keep) {
  clusters_ = &clusters_of(context, in);
  choose_blocks(in.surface, options);
  measure(context, in);
  if (clusters_ == &by_place_ && worn()) {
    by_place_revision_ = 0;
    kept_.forget();
    clusters_ = &clusters_of(context, in);
    choose_blocks(in.surface, options);
    measure(context, in);
    worn();  // takes the sizes
  }
  std::fill(shift_, shift_ + 3, 0.0);
  if (!in.end.empty()) add_end(context, in);
  set_units(options);
  box_blocks(context);
  if (options.object_pairs) {
    lonely_.leave_out({.pairs = *options.object_pairs,
                       .self_wanted = self_wanted_,
                       .blocks = clusters_->blocks,
                       .boxes = block_boxes_},
                      chosen_);
  }
  order_blocks(context);
  pair_blocks(context, options);
  list_used();
  // Before anything is taken over from the last call, as memory may run out.
  placed_.resize(clusters_->clusters.size());
  boxes_.resize(clusters_->blocks.size());
  if (!in.end.empty()) placed_end_.resize(clusters_->clusters.size());
  hits_lists_.reserve(chunks_.size());
  if (!keep || !kept_.begin(in.surface, *clusters_, units_, end_units_, !in.end.empty())) kept_.forget();
  place(context, in);
}

void ClusterSearch::find(Context& context, const bounds::In& in, const Options& options, StageStats& mid_stats,
                         StageStats& narrow_stats) {
  {
    const StageTimer timer(mid_stats);
    prepare(context, in, options, options.coherent);
  }
  const StageTimer timer(narrow_stats);
  search(context, in, options, false);
  sort(context);
  const kernels::SearchCounts sum = count_clusters(options, mid_stats);
  kept_.end(sum);
  narrow_stats.in += sum.tests;
  narrow_stats.remembered += sum.kept_features;
  narrow_stats.add_culled("adjacent", sum.adjacent);
  narrow_stats.add_culled("box", sum.tests - sum.adjacent - sum.measured);
  narrow_stats.add_culled(in.end.empty() ? "distance" : "moving box", sum.measured - pairs_.size() - later_.size());
}

void ClusterSearch::find_triangles(Context& context, const bounds::In& in, const Options& options,
                                   std::vector<mid::TrianglePair>& pairs, StageStats& stats) {
  static_assert(sizeof(mid::TrianglePair) == sizeof(std::uint64_t) && offsetof(mid::TrianglePair, a) == 0);
  const StageTimer timer(stats);
  prepare(context, in, options, false);
  search(context, in, options, true);
  const std::size_t lists = context.workers.threads() == 1 ? std::min<std::size_t>(chunk_count_, 1) : chunk_count_;
  starts_.assign(lists + 1, 0);
  for (std::size_t c = 0; c < lists; ++c) starts_[c + 1] = starts_[c] + chunks_[c].hits.triangles.size;
  pairs.resize(starts_[lists]);
  parallel_for(context.workers, lists, 1, [&](std::size_t c) {
    const kernels::PairList& list = chunks_[c].hits.triangles;
    if (list.size > 0)
      std::memcpy(static_cast<void*>(pairs.data() + starts_[c]), list.data, list.size * sizeof(std::uint64_t));
  });
  const kernels::SearchCounts sum = count_clusters(options, stats);
  // From here on the stage speaks of triangles.
  stats.set_units("pairs of clusters", "pairs of triangles");
  stats.in += sum.tests - sum.cluster_pairs;
  stats.add_culled("triangle box", sum.tests - pairs.size());
  stats.out += pairs.size() - sum.cluster_pairs;
}

void ClusterSearch::hits(Context& context, const mesh::SurfaceClusters& clusters, std::vector<narrow::Hit>& out) const {
  const std::span<const std::uint64_t> faces = pairs_.vertex_triangle.span();
  const std::span<const std::uint64_t> edges = pairs_.edge_edge.span();
  out.resize(faces.size() + edges.size());
  parallel_for(context.workers, out.size(), hit_conversion_grain, [&](std::size_t i) {
    if (i < faces.size()) {
      out[i] = narrow::pack_vertex_face(static_cast<Index>(faces[i] >> 32U), static_cast<Index>(faces[i]));
    } else {
      const std::uint64_t pair = edges[i - faces.size()];
      out[i] = narrow::pack_edge_edge(clusters.edges[pair >> 32U], clusters.edges[pair & 0xffffffffU]);
    }
  });
}

}  // namespace carom::detection
