#pragma once

#include <string>

#include "carom/detect/continuous.hpp"

namespace carom::oracle {

/// Compares the answers to one query, in default and in exact mode, with rational arithmetic. Empty if the contract is
/// kept, else what is wrong and with which numbers.
std::string impact_violation(ContactKind kind, const FeatureMotion& motion, bool& collides);

/// The same with a separation, against distances at `samples` times: what comes as close at one of these must be found,
/// and not later.
std::string separation_violation(ContactKind kind, const FeatureMotion& motion, double separation, int samples);

}  // namespace carom::oracle
