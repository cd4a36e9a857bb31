#pragma once

#include <span>

#include "contact/anchor_contacts.hpp"
#include "contact/surface_contacts.hpp"

/// Contacts between anchors of bodies that sleep. They stay what they were when the bodies fell asleep: nothing looks
/// for them again until something moves.
namespace carom::contact {

/// Whether a contact of two bodies rests: nothing of either moves, and one of them sleeps.
bool rests(const Bodies& table, SlotSpan<const std::uint8_t> still, const AnchorIdentity& identity);

/// Moves contacts that rest from `contacts` to `resting`, and back those that do not any more. Both stay ascending by
/// key.
void sort_resting(const Bodies& table, SlotSpan<const std::uint8_t> still, AnchorList& contacts, AnchorList& resting);

/// Wakes bodies that sleep and are touched for the first time, or by what moves faster than `sleep_speed` (m/s); true
/// if there were any.
bool wake_touched(const AnchorIn& in, double sleep_speed, double dt, const AnchorList& contacts, Bodies& table);

/// Adds contacts of bodies that have woken in this step to those that were found.
void take_up_woken(const Bodies& table, CoupledBodies& coupled, AnchorList& resting, AnchorList& contacts);

/// Numbers the vertices of resting contacts as the parts of the joined surface have them now.
void renumber(std::span<const SurfacePart> parts, AnchorList& resting);

/// Drops the contacts of a body.
void drop_contacts(BodyId body, AnchorList& contacts);

}  // namespace carom::contact
