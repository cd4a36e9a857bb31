#pragma once

#include <span>
#include <vector>

#include "bodies/vertices.hpp"
#include "response/anchor_joint.hpp"

/// Heavy loads: rigid bodies that outweigh the vertices that carry them. What cloth carries strains it more than its
/// fabric says, by a part that falls with the square of the inner step (adr/0014), whatever the load; but only under a
/// load that is heavy does it show. So cloth takes shorter inner steps then.
namespace carom::response {

struct LoadIn {
  const rigid::Bodies& table;
  const bodies::Vertices& vertices;
  std::span<const contact::CoupledBody> coupled;
  std::span<const contact::AnchorContact> contacts;
  std::span<const AnchorJoint> joints;
};

/// Of each part of the surface: how many times as many inner steps its heaviest load asks for, 1 to 4.
std::vector<double> load_factors(const LoadIn& in);

}  // namespace carom::response
