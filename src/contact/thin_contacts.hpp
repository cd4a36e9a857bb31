#pragma once

#include <span>
#include <vector>

#include "bodies/vertices.hpp"
#include "carom/detect/contact.hpp"
#include "contact/near_pair.hpp"
#include "core/parallel.hpp"
#include "narrow/hit.hpp"

/// Contacts that carry force. Of all pairs of features within the contact distance most say the same thing again: a
/// vertex above a triangle is near the edges and the neighbors of that triangle as well. Those are kept at which the
/// distance of the two surfaces has a minimum of its own (after the offset-geometric contact of Chen et al. 2025, 3):
///
/// - a vertex on a triangle whose closest point is inside the triangle;
/// - a vertex whose closest point is on an edge or at a corner, once, if all triangles there fall away from it;
/// - two edges with closest points inside both, if neither is hollow towards the other: no triangle at either rises
///   towards the other.
///
/// Pairs of bodies that are no cloth are all kept. The others still count for what must not pass through what.
namespace carom::contact {

class ThinContacts {
 public:
  /// Into `out`: the contacts that carry force, in the order of `all`.
  void run(Workers& workers, const bodies::Vertices& vertices, std::span<const Contact> all, std::vector<Contact>& out);
  /// The same of pairs of features in canonical order, of which contacts are built a few at a time: where triangles are
  /// small most pairs are neighbors along one surface, and carry nothing. Those of one part count up to `self_within`
  /// (m). Into `near`: all pairs, in their order.
  void run(Workers& workers, const bodies::Vertices& vertices, std::span<const narrow::Hit> all, double self_within,
           std::vector<Contact>& out, std::vector<NearPair>& near);

 private:
  OrderedAppend<Contact> append_;
};

/// Whether a contact carries force, for surfaces at `positions`.
bool carries_force(const Surface& surface, std::span<const Eigen::Vector3d> positions, const Contact& contact);

}  // namespace carom::contact
