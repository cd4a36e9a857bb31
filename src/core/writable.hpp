#pragma once

#include <memory>

namespace carom {

/// What is shared, to be changed: in its place if nobody else has it, otherwise a copy. For objects that were not made
/// const, and have one thread.
template <class T>
std::shared_ptr<T> writable(const std::shared_ptr<const T>& shared) {
  if (shared.use_count() > 1) return std::make_shared<T>(*shared);
  return std::const_pointer_cast<T>(shared);
}

}  // namespace carom
