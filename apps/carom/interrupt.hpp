#pragma once

namespace carom::app {

/// From here on Ctrl-C and a polite kill only set a flag; a second one ends the program at once.
void catch_interrupts();
bool interrupted_by_user();

}  // namespace carom::app
