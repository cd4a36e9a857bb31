#include "core/available_cores.hpp"
#include "core/parallel.hpp"

namespace carom {
namespace {

/// Tests that ask for four threads have four, also on a machine with fewer cores.
[[maybe_unused]] const bool limit_is_set = (set_thread_limit(max_threads), true);

}  // namespace
}  // namespace carom
