#pragma once

namespace carom {

/// Kind, then a, then b, of anything that has these, such as Contact and MovingContact.
template <class Left, class Right>
bool canonically_before(const Left& left, const Right& right) {
  if (left.kind != right.kind) return left.kind < right.kind;
  return left.a != right.a ? left.a < right.a : left.b < right.b;
}

}  // namespace carom
