#pragma once

namespace carom {

/// Range of FieldOptions: a tolerance below it asks for cells by the hundred million, one above it for none at all.
inline constexpr double min_field_tolerance = 1e-5;
inline constexpr double max_field_tolerance = 1;
inline constexpr double max_field_band = 10;

}  // namespace carom
