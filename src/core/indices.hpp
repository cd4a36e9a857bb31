#pragma once

#include "carom/core/id.hpp"
#include "core/strong_index.hpp"

/// Kinds of indices that go from stage to stage.
namespace carom {

/// Slot of a body in the tables of bodies, its own until the body is removed.
using BodySlot = StrongIndex<struct BodySlotTag>;
/// Place of a collider in the list of colliders.
using ColliderIndex = StrongIndex<struct ColliderTag>;
/// Place of the manifold of two colliders in the table of pairs.
using ManifoldIndex = StrongIndex<struct ManifoldTag>;

template <class T>
using BySlot = IndexedVector<BodySlot, T>;
template <class T>
using ByCollider = IndexedVector<ColliderIndex, T>;
template <class T>
using ByManifold = IndexedVector<ManifoldIndex, T>;

template <class T>
using SlotSpan = IndexedSpan<BodySlot, T>;
template <class T>
using ColliderSpan = IndexedSpan<ColliderIndex, T>;
template <class T>
using ManifoldSpan = IndexedSpan<ManifoldIndex, T>;

/// Slot of the body with an id.
constexpr BodySlot slot_of(BodyId id) {
  return BodySlot(id.index);
}

}  // namespace carom
