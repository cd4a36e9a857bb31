#pragma once

#include "bench/table.hpp"

namespace carom::bench {

/// How many pairs bounds report for each that really touches: boxes against 18-DOPs.
Table count_touching();

/// How many of the pairs whose boxes over a whole step overlap are never close at the same time.
Table count_swept();

}  // namespace carom::bench
