#include "response/vertex_contacts.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace carom::response {
namespace {

using kernels::contact_lanes;
using kernels::VertexContactBatch;

constexpr std::uint32_t no_contact = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t max_colors = 64;
/// Batches that a thread takes at a time.
constexpr std::uint32_t contact_batch_block = 24;
/// Fewer batches of a color than this are no work for two.
constexpr std::size_t vertex_grain = 4096;

bool moved_by_impulses(const Anchor& anchor, const AnchorState& s) {
  if (anchor.rigid < 0) return false;
  const CoupledBody& body = s.bodies[static_cast<std::size_t>(anchor.rigid)];
  const Mat3& i = body.inverse_inertia;
  return dot(body.inverse_mass, body.inverse_mass) > 0 || dot(i.x, i.x) + dot(i.y, i.y) + dot(i.z, i.z) > 0;
}

template <class Visit>
void each_moved_vertex(const AnchorContact& c, const AnchorState& s, Visit&& visit) {
  for (const Anchor* side : {&c.a, &c.b}) {
    for (std::size_t k = 0; k < side->count; ++k) {
      const auto v = static_cast<std::size_t>(side->vertices[k]);
      if (s.inverse_mass[v] > 0 && side->weights[k] != 0) visit(v, side == &c.a ? -side->weights[k] : side->weights[k]);
    }
  }
}

std::size_t count_moved(const AnchorContact& c, const AnchorState& s) {
  std::size_t count = 0;
  each_moved_vertex(c, s, [&](std::size_t, double) { ++count; });
  return count;
}

/// Velocity of what no impulse moves, of side b relative to side a.
Vec3 base_velocity(const AnchorContact& c, const AnchorState& s) {
  Vec3 sum;
  for (const Anchor* side : {&c.a, &c.b}) {
    const double sign = side == &c.a ? -1 : 1;
    if (side->rigid >= 0) {
      sum = sum + sign * velocity_at(*side, s);
      continue;
    }
    for (std::size_t k = 0; k < side->count; ++k) {
      const auto v = static_cast<std::size_t>(side->vertices[k]);
      if (!(s.inverse_mass[v] > 0)) sum = sum + (sign * side->weights[k]) * math::to_vec3(s.velocities[v]);
    }
  }
  return sum;
}

}  // namespace

void VertexContacts::color(std::span<const AnchorContact> contacts, const AnchorState& s, bool single) {
  std::fill(used_.begin(), used_.end(), 0);
  sorted_.clear();
  counts_.clear();
  for (std::uint32_t i = 0; i < contacts.size(); ++i) {
    const AnchorContact& c = contacts[i];
    if (!(c.normal_inverse_mass > 0) || moved_by_impulses(c.a, s) || moved_by_impulses(c.b, s)) continue;
    if ((count_moved(c, s) == 1) != single) continue;
    std::uint64_t taken = 0;
    each_moved_vertex(c, s, [&](std::size_t v, double) { taken |= used_[static_cast<std::size_t>(place_[v])]; });
    const auto lowest = static_cast<std::uint32_t>(std::countr_one(taken));
    if (lowest == max_colors) {
      left_contacts_.push_back(i);
      continue;
    }
    each_moved_vertex(
        c, s, [&](std::size_t v, double) { used_[static_cast<std::size_t>(place_[v])] |= std::uint64_t{1} << lowest; });
    if (counts_.size() <= lowest) counts_.resize(lowest + 1, 0);
    ++counts_[lowest];
    sorted_.push_back({i, lowest});
  }
  // Batches color by color, in each in the order of the contacts.
  auto first = static_cast<std::uint32_t>(batches_.size());
  std::vector<std::uint32_t>& next_lane = counts_;
  for (std::uint32_t& count : next_lane) {
    const auto size = static_cast<std::uint32_t>(chunk_count(count, contact_lanes));
    runs_.push_back({first, first + size, single ? 1 : 4});
    count = first * static_cast<std::uint32_t>(contact_lanes);
    first += size;
  }
  VertexContactBatch none{};
  for (auto& vertex : none.vertices)
    std::fill(std::begin(vertex), std::end(vertex), static_cast<std::int32_t>(vertices_.size()));
  std::fill(std::begin(none.gap), std::end(none.gap), 1.0);
  std::fill(std::begin(none.now), std::end(none.now), 1.0);
  batches_.resize(first, none);
  contact_of_lane_.resize(first * contact_lanes, no_contact);
  for (const Sorted& entry : sorted_) {
    const std::uint32_t lane = next_lane[entry.color]++;
    fill(contacts[entry.contact], entry.contact, s, batches_[lane / contact_lanes], lane % contact_lanes);
    contact_of_lane_[lane] = entry.contact;
  }
}

void VertexContacts::fill(const AnchorContact& c, std::uint32_t, const AnchorState& s, VertexContactBatch& batch,
                          std::size_t lane) {
  const Vec3 base = base_velocity(c, s);
  const double normal[3] = {c.normal.x, c.normal.y, c.normal.z};
  const double velocity[3] = {base.x, base.y, base.z};
  const double friction[3] = {c.friction_impulse.x, c.friction_impulse.y, c.friction_impulse.z};
  for (std::size_t k = 0; k < 3; ++k) {
    batch.normal[k][lane] = normal[k];
    batch.base[k][lane] = velocity[k];
    batch.friction_impulse[k][lane] = friction[k];
  }
  batch.mass[lane] = 1 / c.normal_inverse_mass;
  batch.friction[lane] = c.friction;
  batch.gap[lane] = batch.now[lane] = c.gap;
  batch.normal_impulse[lane] = c.normal_impulse;
  std::size_t slot = 0;
  each_moved_vertex(c, s, [&](std::size_t v, double weight) {
    batch.vertices[slot][lane] = place_[v];
    batch.weight[slot++][lane] = weight;
  });
}

void VertexContacts::build(std::span<const AnchorContact> contacts, const AnchorState& s) {
  batches_.clear();
  contact_of_lane_.clear();
  runs_.clear();
  left_.clear();
  left_contacts_.clear();
  vertices_.clear();
  continued_ = false;
  place_.assign(contacts.empty() ? 0 : s.velocities.size(), -1);
  for (std::uint32_t i = 0; i < contacts.size(); ++i) {
    const AnchorContact& c = contacts[i];
    if (!(c.normal_inverse_mass > 0)) continue;
    if (moved_by_impulses(c.a, s) || moved_by_impulses(c.b, s)) {
      left_contacts_.push_back(i);
      continue;
    }
    each_moved_vertex(c, s, [&](std::size_t v, double) {
      if (place_[v] >= 0) return;
      place_[v] = static_cast<std::int32_t>(vertices_.size());
      vertices_.push_back(static_cast<Index>(v));
    });
  }
  used_.resize(vertices_.size());
  // Contacts of one vertex with what nothing moves come last: what comes last holds best.
  color(contacts, s, false);
  color(contacts, s, true);
  std::sort(left_contacts_.begin(), left_contacts_.end());
  for (const std::uint32_t i : left_contacts_) left_.push_back(contacts[i]);

  velocities_.assign(vertices_.size() + 1, {});
  displacements_.assign(vertices_.size() + 1, {});
  effect_.assign(vertices_.size(), {});
  for (std::size_t i = 0; i < vertices_.size(); ++i)
    velocities_[i].inverse_mass = s.inverse_mass[static_cast<std::size_t>(vertices_[i])];
  warm_start();
}

/// Effects of the impulses that the contacts begin with.
void VertexContacts::warm_start() {
  for (std::size_t i = 0; i < contact_of_lane_.size(); ++i) {
    if (contact_of_lane_[i] == no_contact) continue;
    const VertexContactBatch& batch = batches_[i / contact_lanes];
    const std::size_t lane = i % contact_lanes;
    const double impulse = batch.normal_impulse[lane];
    if (!(impulse > 0)) continue;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto v = static_cast<std::size_t>(batch.vertices[k][lane]);
      if (v == vertices_.size()) break;
      const double share = batch.weight[k][lane] * velocities_[v].inverse_mass;
      effect_[v].x += share * (impulse * batch.normal[0][lane] + batch.friction_impulse[0][lane]);
      effect_[v].y += share * (impulse * batch.normal[1][lane] + batch.friction_impulse[1][lane]);
      effect_[v].z += share * (impulse * batch.normal[2][lane] + batch.friction_impulse[2][lane]);
    }
  }
}

template <class Sweep>
void VertexContacts::run(Workers& workers, int sweeps, const Sweep& sweep) {
  blocks_.clear();
  for (int k = 0; k < sweeps; ++k) {
    for (const Run& run : runs_)
      blocks_.push_back(static_cast<std::uint32_t>(chunk_count(run.end - run.begin, contact_batch_block)));
  }
  loop_.run(workers, blocks_, [&](std::size_t stage, std::uint32_t block) {
    const Run& run = runs_[stage % runs_.size()];
    const std::uint32_t begin = run.begin + block * contact_batch_block;
    const std::uint32_t end = std::min(begin + contact_batch_block, run.end);
    sweep(std::span(batches_).subspan(begin, end - begin), run.slots, stage + runs_.size() >= blocks_.size());
  });
}

void VertexContacts::continue_impulses(const AnchorState& s) {
  continued_ = true;
  for (std::size_t i = 0; i < vertices_.size(); ++i)
    s.velocities[static_cast<std::size_t>(vertices_[i])] += Eigen::Vector3d(effect_[i].x, effect_[i].y, effect_[i].z);
}

void VertexContacts::push(Workers& workers, const AnchorState& s, const AnchorOptions& options, double h, int sweeps) {
  if (empty()) return;
  parallel_for(workers, vertices_.size(), vertex_grain, [&](std::size_t i) {
    const Eigen::Vector3d& v = s.velocities[static_cast<std::size_t>(vertices_[i])];
    velocities_[i].x = continued_ ? v.x() : v.x() + effect_[i].x;
    velocities_[i].y = continued_ ? v.y() : v.y() + effect_[i].y;
    velocities_[i].z = continued_ ? v.z() : v.z() + effect_[i].z;
  });
  kernels::VertexContactStep step{.h = h,
                                  .max_push_speed = options.max_push_speed,
                                  .push_rate = options.push_rate,
                                  .velocities = velocities_.data()};
  run(workers, sweeps, [&](std::span<VertexContactBatch> batches, int slots, bool) {
    kernels::VertexContactStep own = step;
    own.slots = slots;
    kernels::push_vertex_contacts(batches, own);
  });
  parallel_for(workers, vertices_.size(), vertex_grain, [&](std::size_t i) {
    Eigen::Vector3d& v = s.velocities[static_cast<std::size_t>(vertices_[i])];
    if (!continued_) effect_[i] = {};
    effect_[i].x += velocities_[i].x - v.x();
    effect_[i].y += velocities_[i].y - v.y();
    effect_[i].z += velocities_[i].z - v.z();
    v = {velocities_[i].x, velocities_[i].y, velocities_[i].z};
  });
}

void VertexContacts::relax(Workers& workers, const AnchorState& s, const AnchorOptions& options, double h,
                           double elapsed, int sweeps) {
  if (empty()) return;
  parallel_for(workers, vertices_.size(), vertex_grain, [&](std::size_t i) {
    const Eigen::Vector3d& v = s.velocities[static_cast<std::size_t>(vertices_[i])];
    const Eigen::Vector3d& d = s.displacements[static_cast<std::size_t>(vertices_[i])];
    velocities_[i].x = v.x();
    velocities_[i].y = v.y();
    velocities_[i].z = v.z();
    displacements_[i] = {d.x(), d.y(), d.z(), 0};
  });
  kernels::VertexContactStep step{.h = h,
                                  .elapsed = elapsed,
                                  .max_push_speed = options.max_push_speed,
                                  .push_rate = options.push_rate,
                                  .velocities = velocities_.data(),
                                  .displacements = displacements_.data()};
  run(workers, sweeps, [&](std::span<VertexContactBatch> batches, int slots, bool last) {
    kernels::VertexContactStep own = step;
    own.slots = slots;
    kernels::relax_vertex_contacts(batches, own, last);
  });
  parallel_for(workers, vertices_.size(), vertex_grain, [&](std::size_t i) {
    Eigen::Vector3d& v = s.velocities[static_cast<std::size_t>(vertices_[i])];
    effect_[i].x += velocities_[i].x - v.x();
    effect_[i].y += velocities_[i].y - v.y();
    effect_[i].z += velocities_[i].z - v.z();
    v = {velocities_[i].x, velocities_[i].y, velocities_[i].z};
  });
}

void VertexContacts::finish(std::span<AnchorContact> contacts) {
  for (std::size_t i = 0; i < contact_of_lane_.size(); ++i) {
    if (contact_of_lane_[i] == no_contact) continue;
    const VertexContactBatch& batch = batches_[i / contact_lanes];
    const std::size_t lane = i % contact_lanes;
    AnchorContact& c = contacts[contact_of_lane_[i]];
    c.normal_impulse = batch.normal_impulse[lane];
    c.friction_impulse = {batch.friction_impulse[0][lane], batch.friction_impulse[1][lane],
                          batch.friction_impulse[2][lane]};
    c.total = batch.total[lane];
  }
  for (std::size_t i = 0; i < left_.size(); ++i) contacts[left_contacts_[i]] = left_[i];
}

}  // namespace carom::response
