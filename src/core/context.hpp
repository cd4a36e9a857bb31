#pragma once

#include "core/arena.hpp"
#include "core/parallel.hpp"

namespace carom {

/// Means that every stage may use: threads, and memory that lasts until the end of the call or step.
struct Context {
  Workers& workers;
  Arena& arena;
};

}  // namespace carom
