#pragma once

namespace carom::app {

/// From here on Ctrl-C and a polite kill only set a flag; one more, two seconds later, ends the
/// program at once.
void catch_interrupts();
bool interrupted_by_user();
/// As a shell reports a program that a signal ended: 130 for Ctrl-C.
int interrupted_exit_code();

}  // namespace carom::app
