#pragma once

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "response/anchor_joint.hpp"
#include "response/coupling.hpp"
#include "response/inner_plan.hpp"

/// Groups of islands that take different numbers of inner steps: contacts, joints and bodies of each.
namespace carom::response {

/// Forces and joints of the parts that are chosen, in an inner step (s) that ends at a fraction of the step.
using GroupForces = std::function<void(std::span<AnchorJoint> joints, double interval, double fraction)>;

class InnerGroups {
 public:
  /// `batches` has working memory for each group. All are referred to, as long as the groups live.
  InnerGroups(const InnerPlan& plan, std::span<const AnchorJoint> joints, bodies::Vertices& vertices,
              const island::Islands& islands, std::deque<VertexContacts>& batches);

  ~InnerGroups() { vertices_.chosen = {}; }
  InnerGroups(const InnerGroups&) = delete;
  InnerGroups& operator=(const InnerGroups&) = delete;

  /// Makes the groups of a coupling, whose functions and contacts are those of all bodies, for a step of dt (s).
  void couple(Coupling& coupling, double dt, const GroupForces& forces);
  /// Impulses go back to the contacts of the coupling and to the joints; no part is chosen any more.
  void put_back(std::span<AnchorContact> contacts, std::span<AnchorJoint> joints, bodies::Vertices& vertices) const;

 private:
  struct Group {
    std::vector<std::uint8_t> parts;
    std::vector<AnchorContact> contacts;
    std::vector<std::size_t> contact_numbers;
    std::vector<AnchorJoint> joints;
    std::vector<std::size_t> joint_numbers;
    double elapsed = 0;  ///< s
  };
  /// Group of the vertices of an anchor, or -1.
  std::int32_t group_of(const Anchor& anchor) const;
  std::int32_t group_of(const Anchor& a, const Anchor& b) const;

  const InnerPlan& plan_;
  bodies::Vertices& vertices_;
  const island::Islands& islands_;
  std::deque<VertexContacts>& batches_;
  std::vector<std::int32_t> group_of_part_;  ///< -1: none
  std::deque<Group> groups_;
};

}  // namespace carom::response
