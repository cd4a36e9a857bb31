#include "response/soft.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "core/stage_timer.hpp"
#include "response/soft_batches.hpp"
#include "response/soft_outcome.hpp"

namespace carom::soft {
namespace {

using contact::CachedManifold;
using kernels::SoftBatch;
using kernels::SoftBody;
using math::Vec3;

/// Best for a chain of some thirty bodies (Young's formula); shorter ones take it as well, longer ones need more
/// rounds.
constexpr float settle_over = 1.8F;

enum What {
  prepare,
  warm_start,
  settle,
  learn,
  push,
  push_again,
  relax,
  bounce,
  finish,
  couple,
  couple_relax,
  couple_bounce,
  next_velocity,
  move
};

/// The impulses of the last substep, once more: what contacts did to a body is the change of its velocity over that
/// substep, so no contact need be looked at.
void continue_velocity(SoftBody& body, SoftBody& begin) {
  for (int k = 0; k < 8; ++k) {
    const float now = body.velocity[k];
    body.velocity[k] = now + (now - begin.velocity[k]);
    begin.velocity[k] = now;
  }
}

Vec3 vector_of(const float* from) {
  return {from[0], from[1], from[2]};
}

/// Velocities and displacements of rigid bodies as the lanes have them, for contacts with anchors.
void load_coupled(const Scratch& s, std::span<contact::CoupledBody> bodies) {
  for (contact::CoupledBody& body : bodies) {
    const SoftBody& row = s.bodies[static_cast<std::size_t>(s.row[body.body])];
    body.v = vector_of(row.velocity);
    body.w = vector_of(row.velocity + 3);
    body.displacement = vector_of(row.displacement);
    body.turn = vector_of(row.displacement + 3);
  }
}

/// Changes of velocity by contacts with anchors, back to the lanes. The beginning of the substep gets them as well, as
/// they are applied again by these contacts themselves.
void store_coupled(Scratch& s, std::span<const contact::CoupledBody> bodies) {
  for (const contact::CoupledBody& body : bodies) {
    const auto r = static_cast<std::size_t>(s.row[body.body]);
    const double now[6] = {body.v.x, body.v.y, body.v.z, body.w.x, body.w.y, body.w.z};
    for (int k = 0; k < 6; ++k) {
      const float change = static_cast<float>(now[k] - static_cast<double>(s.bodies[r].velocity[k]));
      s.bodies[r].velocity[k] += change;
      s.begin[r].velocity[k] += change;
    }
  }
}

/// The initial iterations give the learned load to begin with.
void learn_load(SoftBatch& batch) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch.point_count); ++i) {
    std::copy(std::begin(batch.points[i].impulse), std::end(batch.points[i].impulse), batch.points[i].learned_load);
  }
}

/// More than half of the points have just begun, in touch and not by an impact.
bool mostly_new(const In& in, ManifoldSpan<const CachedManifold> pairs, double zone, double resting_speed) {
  std::size_t fresh = 0;
  std::size_t all = 0;
  for (const contact::ActivePair& touch : in.active_pairs) all += static_cast<std::size_t>(touch.count);
  if (2 * in.fresh_points <= all) return false;
  for (const ManifoldIndex t : in.active_indices) {
    const CachedManifold& pair = pairs[t];
    const rigid::Motion& a = in.bodies.motion[pair.body_a];
    const rigid::Motion& b = in.bodies.motion[pair.body_b];
    for (std::size_t i = 0; i < static_cast<std::size_t>(pair.count); ++i) {
      if (pair.points[i].age > 0) continue;
      const Vec3& p = pair.points[i].middle;
      const double speed = dot(pair.normal, b.v + cross(b.w, p - b.x) - a.v - cross(a.w, p - a.x));
      fresh += pair.points[i].distance <= zone && std::abs(speed) < resting_speed ? 1 : 0;
    }
  }
  return 2 * fresh > all;
}

void add_loop(Scratch& s, int what, std::uint32_t begin, std::uint32_t end, std::uint32_t grain) {
  if (begin == end) return;
  s.loops.push_back({what, begin, end});
  s.blocks.push_back(static_cast<std::uint32_t>(chunk_count(end - begin, grain)));
}

void add_runs(Scratch& s, int what) {
  for (const Scratch::Run& run : s.runs)
    add_loop(s, what, run.begin, run.end, run.one_block ? run.end - run.begin : batches_of_block);
}

}  // namespace

void run(Context& context, const In& in, const SolverOptions& options, ManifoldSpan<CachedManifold> pairs, Scratch& s,
         const response::Out& out, StageStats& stats) {
  const StageTimer timer(stats);
  const double h = in.dt / options.soft.substeps;
  make_rows(context, in, h, s);
  place_contacts(in, s);
  const double hertz = std::min(options.soft.contact_hertz, 0.25 / h);
  const Fill fill{.in = in,
                  .pairs = pairs,
                  .s = s,
                  .hertz = hertz,
                  .damping = options.soft.contact_damping,
                  .h = h,
                  .bounce_speed = static_cast<float>(options.bounce_speed)};
  const kernels::SoftStep step{.h = static_cast<float>(h),
                               .max_push_speed = static_cast<float>(options.max_push_speed),
                               .bounce_speed = static_cast<float>(options.bounce_speed),
                               .zone = static_cast<float>(options.soft_zone),
                               .add = 0};
  kernels::SoftStep later = step;  // the first push finds the impulses of the step before
  later.add = 1;
  kernels::SoftStep hurried = step;
  hurried.over = settle_over;

  const int initial_iterations =
      mostly_new(in, pairs, options.soft_zone, options.resting_speed) ? options.soft.initial_iterations : 0;
  const auto batches = static_cast<std::uint32_t>(s.batches.size());
  const auto rows = static_cast<std::uint32_t>(s.rows.size());
  response::Coupling* const coupling = in.coupling;
  if (coupling != nullptr) response::begin(*coupling, options.soft.substeps);
  s.loops.clear();
  s.blocks.clear();
  add_loop(s, prepare, 0, batches, batches_of_block);
  add_runs(s, warm_start);
  for (int i = 0; i < initial_iterations; ++i) add_runs(s, settle);
  for (int i = 0; i < options.soft.substeps; ++i) {
    if (i == 0 && initial_iterations > 0) add_loop(s, learn, 0, batches, batches_of_block);
    if (i > 0) add_loop(s, next_velocity, 0, rows, bodies_of_block);
    add_runs(s, i == 0 ? push : push_again);
    if (coupling != nullptr) add_loop(s, couple, 0, 1, 1);
    add_loop(s, move, 0, rows, bodies_of_block);
    add_runs(s, relax);
    if (coupling != nullptr) add_loop(s, couple_relax, 0, 1, 1);
  }
  add_runs(s, bounce);
  if (coupling != nullptr) add_loop(s, couple_bounce, 0, 1, 1);
  add_runs(s, finish);

  const auto work = [&](std::size_t stage, std::uint32_t block) {
    const Scratch::Loop& loop = s.loops[stage];
    const bool of_bodies = loop.what >= next_velocity;
    const std::uint32_t span = s.blocks[stage] == 1 ? loop.end - loop.begin
                               : of_bodies          ? bodies_of_block
                                                    : batches_of_block;
    const std::uint32_t begin = loop.begin + block * span;
    const std::uint32_t end = std::min(begin + span, loop.end);
    SoftBatch* first = s.batches.data() + begin;
    switch (loop.what) {
      case prepare:
        for (std::uint32_t i = begin; i < end; ++i) fill(i);
        return kernels::soft_prepare(first, end - begin, s.masses.data());
      case warm_start:
        return kernels::soft_warm_start(first, end - begin, s.bodies.data());
      case settle:
        return kernels::soft_solve(first, end - begin, s.bodies.data(), hurried, false);
      case learn:
        for (std::uint32_t i = begin; i < end; ++i) learn_load(s.batches[i]);
        return;
      case push:
        return kernels::soft_solve(first, end - begin, s.bodies.data(), step, true);
      case push_again:
        return kernels::soft_solve(first, end - begin, s.bodies.data(), later, true);
      case relax:
        return kernels::soft_solve(first, end - begin, s.bodies.data(), step, false);
      case bounce:
        for (std::uint32_t i = begin; i < end; ++i) {
          if (s.bounces[i] != 0) kernels::soft_bounce(s.batches.data() + i, 1, s.bodies.data(), step);
        }
        return;
      case finish:
        for (std::uint32_t i = begin; i < end; ++i) finish_batch(in, options, pairs, s, i);
        return;
      case couple:
        load_coupled(s, coupling->state.bodies);
        response::inner_steps(*coupling, h);
        return store_coupled(s, coupling->state.bodies);
      case couple_relax:
        load_coupled(s, coupling->state.bodies);
        response::relax(*coupling, h);
        return store_coupled(s, coupling->state.bodies);
      case couple_bounce:
        load_coupled(s, coupling->state.bodies);
        response::finish(*coupling);
        return store_coupled(s, coupling->state.bodies);
      case next_velocity:
        for (std::uint32_t i = begin; i < end; ++i) continue_velocity(s.bodies[i], s.begin[i]);
        return;
      case move:
        for (std::uint32_t i = begin; i < end; ++i) {
          for (int k = 0; k < 8; ++k) s.bodies[i].displacement[k] += step.h * s.bodies[i].velocity[k];
        }
        return;
      default:
        return;
    }
  };
  if (coupling == nullptr) {
    s.runner.run(context.workers, s.blocks, work);
  } else {
    // Loops over deforming bodies are inside of one block: no thread may wait for it in a loop of its own.
    for (std::size_t stage = 0; stage < s.blocks.size(); ++stage) {
      parallel_for(context.workers, s.blocks[stage], 1,
                   [&](std::size_t block) { work(stage, static_cast<std::uint32_t>(block)); });
    }
  }
  if (coupling != nullptr) {
    for (const contact::CoupledBody& body : coupling->state.bodies) {
      Outcome& outcome = s.outcome[static_cast<std::size_t>(s.row[body.body])];
      outcome.impulse = outcome.impulse + body.impulse;
      outcome.moment = outcome.moment + body.moment;
    }
  }
  parallel_for(context.workers, s.rows.size(), bodies_of_block, [&](std::size_t r) {
    const BodySlot body = s.rows[r];
    if (in.bodies.mass[body].inverse == 0 || in.bodies.asleep[body] != 0) return;
    out.next[body] = solved_motion(in, body, s.outcome[r], s.bodies[r], options.soft.substeps);
    out.solved[body] = 1;
  });
  stats.set_unit("contacts");
  stats.in += in.points;
  stats.out += in.points;
  stats.add_counted("colours", s.colours);
  stats.add_counted("batches", batches);
}

}  // namespace carom::soft
