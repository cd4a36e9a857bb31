#pragma once

#include "contact/surface_contacts.hpp"

/// Contacts of distance fields with the surfaces of deforming bodies.
namespace carom::contact {

/// Appends the contacts of all pairs of a field and a surface of which a side moves to those of convex colliders.
void find_field_contacts(Context& context, const SurfaceIn& in, SurfaceScratch& scratch, ShapeFound& shapes,
                         CoupledBodies& coupled, StageStats& stats);

}  // namespace carom::contact
