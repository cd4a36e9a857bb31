#pragma once

#include "field/field_data.hpp"

namespace carom::field {

/// Answer of a field at a point, in the frame of the field. NaN and infinite coordinates get a NaN.
struct Sample {
  double distance = 0;
  Vec3 gradient;
  double error = 0;
};
Sample sample(const FieldData& field, const Vec3& p);

}  // namespace carom::field
