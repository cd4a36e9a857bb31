#pragma once

#include <cstdint>
#include <vector>

#include "clash_findings.hpp"

namespace carom::app {

/// Recording for the page of a check: one frame with the parts, then the surfaces of overlaps as bodies of their own,
/// and what was found as RecordingMeta::check.
std::vector<std::uint8_t> record_check(const CheckReport& report, const std::vector<Shape::Part>& shapes,
                                       const Lengths& unit);

}  // namespace carom::app
