#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "carom/core/stats.hpp"

namespace carom::app {

/// 1234567 as "1,234,567".
std::string with_commas(double value);

/// "1 frame", "2 frames", "1,234 frames"; `many` where an s at the end is not the plural.
std::string counted(std::size_t count, std::string_view one, std::string_view many = {});

/// stage, in, out, what these count, culled (and what was counted besides), ms per step: means over `steps`. Where a
/// stage takes in something else than the one before gave out, a line says how many of the one are in each of the
/// other. Stages that did nothing are left out.
std::string stage_table(const PipelineStats& total, std::size_t steps, const char* per);

/// As text that ends in a line feed. Names that are not UTF-8 get a replacement character instead of
/// an error: they come from files of any age. Control characters are escaped.
std::string dump(const nlohmann::ordered_json& json);

/// JSON has no word for what is not finite.
nlohmann::ordered_json number_or_null(double value);

/// The same for machines: {"mid": {"in", "in_unit", "out", "out_unit", "culled": {...}, "ms", "counted": {...}}, ...};
/// means over `steps`.
nlohmann::ordered_json stages_json(const PipelineStats& total, std::size_t steps);

}  // namespace carom::app
