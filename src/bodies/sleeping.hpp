#pragma once

#include "bodies/rigid.hpp"

/// Sleep of bodies in the table. Which of them fall asleep: src/island/sleep.hpp.
namespace carom::rigid {

/// Wakes a body and all that sleep with it.
void wake(Bodies& bodies, BodySlot body);

/// Puts a body to sleep with another that sleeps, or alone with itself.
void fall_asleep(Bodies& bodies, BodySlot body, BodySlot with);

}  // namespace carom::rigid
