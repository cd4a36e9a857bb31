#include "response/inner_plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/check.hpp"
#include "response/budget.hpp"

namespace carom::response {
namespace {

/// Inner steps of cloth and soft bodies that a time budget leaves, as a fraction of those that they ask for: with fewer
/// their elements are not resolved, give way more than they should, and have the energy back when there is time again.
constexpr double min_steps = 0.9;

/// Inner steps of a step at most: one of more would not end within minutes.
constexpr double max_inner_steps = 1e5;

/// Inner steps of a body, if they are no more than can be made.
int counted(const Body& body, double steps, double dt, int rounds) {
  if (!(steps * rounds <= max_inner_steps)) {
    const std::string_view fields = body.inner_steps > 0 ? "inner_steps"
                                    : body.is_soft()     ? "young_modulus"
                                    : body.cloth         ? "warp_stiffness, weft_stiffness or shear_stiffness"
                                                         : "stretch_stiffness or bend_stiffness";
    fail(ErrorCode::unstable,
         "body '{}': asks for {:.3g} inner steps in a step of {} s; expected at most {:.3g}; lower {}", body.name,
         steps * rounds, dt * rounds, max_inner_steps, fields);
  }
  return static_cast<int>(steps);
}

/// Part that takes inner steps.
struct Asking {
  std::size_t part = 0;
  int wanted = 1;
  int fewest = 1;  ///< whatever the time budget says
  double work = 0;
};

/// Parts that take inner steps, with those at which springs of particles are stable, and which cloth and soft bodies
/// ask for.
std::vector<Asking> asking_parts(const PlanIn& in) {
  std::vector<Asking> list;
  for (std::size_t i = 0; i < in.vertices.parts.size(); ++i) {
    const bodies::SurfacePart& part = in.vertices.parts[i];
    const Body& body = in.bodies[part.id];
    if (body.motion != MotionModel::particles || in.table.asleep[part.body] != 0) continue;
    const double max_step = body.cloth && !in.factors.empty() ? body.max_step / in.factors[i] : body.max_step;
    const double asked = body.inner_steps > 0       ? std::ceil(static_cast<double>(body.inner_steps) / in.rounds)
                         : max_step < in.options.dt ? std::ceil(in.options.dt / max_step)
                                                    : 1.0;
    const int wanted = counted(body, asked, in.options.dt, in.rounds);
    // Springs are stable with those that their frequencies ask for.
    const bool springs = !body.is_soft() && (!body.cloth || body.cloth_rest->verlet);
    const int stable = max_step < in.options.dt ? static_cast<int>(std::ceil(in.options.dt / max_step)) : 1;
    const int fewest = springs ? std::min(wanted, stable) : static_cast<int>(std::ceil(min_steps * wanted));
    double work = static_cast<double>(body.positions.size());
    if (body.is_soft()) work += static_cast<double>(body.soft.model->elements.element_count());
    list.push_back({i, wanted, fewest, work});
  }
  return list;
}

/// Island of deforming bodies, or several that are solved as one.
struct Claimant {
  BudgetClaim claim;
  std::vector<std::size_t> asking;  ///< indices of its parts among those that ask
};

std::vector<Claimant> claimants(const PlanIn& in, std::span<const Asking> asking) {
  std::map<BodySlot, std::size_t> place;
  std::vector<Claimant> list;
  for (std::size_t k = 0; k < asking.size(); ++k) {
    const bodies::SurfacePart& part = in.vertices.parts[asking[k].part];
    const BodySlot root = in.by_island ? in.islands.root(part.body) : BodySlot(0);
    const auto [found, fresh] = place.emplace(root, list.size());
    if (fresh) list.push_back({.claim = {.importance = {.given = 0}}, .asking = {}});
    Claimant& claimant = list[found->second];
    claimant.asking.push_back(k);
    BudgetClaim& claim = claimant.claim;
    claim.cost += in.cost * asking[k].work;
    claim.wanted = std::max(claim.wanted, asking[k].wanted);
    claim.fewest = std::max(claim.fewest, asking[k].fewest);
    const std::uint8_t urgency = in.urgency.size() > 0 ? in.urgency[part.body] : std::uint8_t{0};
    claim.importance = std::max(claim.importance, Importance{in.bodies[part.id].importance, urgency});
  }
  // The response itself makes so many.
  const int least = in.options.solver.soft.substeps;
  for (Claimant& claimant : list) {
    claimant.claim.fewest = std::max(claimant.claim.fewest, least);
    claimant.claim.wanted = std::max(claimant.claim.wanted, claimant.claim.fewest);
  }
  return list;
}

void note_left_out(std::span<const Asking> asking, const Claimant& claimant, int count, InnerPlan& plan) {
  for (const std::size_t k : claimant.asking) {
    if (count < asking[k].wanted) plan.left_out.push_back({asking[k].part, count, asking[k].wanted - count});
  }
}

}  // namespace

InnerPlan plan_inner_steps(const PlanIn& in) {
  InnerPlan plan;
  const std::vector<Asking> asking = asking_parts(in);
  double work = 0;
  for (const Asking& part : asking) {
    plan.wanted = std::max(plan.wanted, part.wanted);
    work += part.work;
  }
  plan.count = plan.wanted;
  plan.work = work * std::max(plan.count, in.options.solver.soft.substeps);
  if (in.time_left < 0 || !(in.cost > 0) || in.cost * plan.work <= in.time_left) return plan;

  const std::vector<Claimant> list = claimants(in, asking);
  std::vector<BudgetClaim> claims;
  for (const Claimant& claimant : list) claims.push_back(claimant.claim);
  const std::vector<int> shares = share_budget(claims, in.time_left);
  // The response makes as many inner steps in each of its substeps: islands with equal numbers are solved together.
  const int substeps = in.options.solver.soft.substeps;
  std::map<int, InnerGroup> groups;
  plan.work = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const int even = shares[i] / substeps * substeps;
    const int count = std::min(even >= list[i].claim.fewest ? even : even + substeps, list[i].claim.wanted);
    note_left_out(asking, list[i], count, plan);
    InnerGroup& group = groups[count];
    group.count = count;
    group.parts.resize(in.vertices.parts.size(), 0);
    for (const std::size_t k : list[i].asking) {
      group.parts[asking[k].part] = 1;
      plan.work += asking[k].work * count;
    }
  }
  std::ranges::sort(plan.left_out, {}, &LeftOut::part);
  if (groups.empty()) return plan;
  plan.count = groups.rbegin()->first;
  if (groups.size() == 1) return plan;
  for (auto& [count, group] : groups) plan.groups.push_back(std::move(group));
  return plan;
}

}  // namespace carom::response
