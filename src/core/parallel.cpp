#include "core/parallel.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <optional>

#include "core/check.hpp"

namespace carom {

namespace {
// More than any machine has, few enough to start.
constexpr int most_threads = 1024;

int resolve_threads(int threads) {
  require(threads >= 0 && threads <= most_threads, ErrorCode::invalid_argument,
          "threads is {}; expected 0 (all cores) to {}", threads, most_threads);
  return threads == 0 ? oneapi::tbb::info::default_concurrency() : threads;
}
}  // namespace

struct Workers::Impl {
  explicit Impl(int threads) : arena(threads) {
    // oneTBB starts no more threads than there are cores unless told to.
    if (threads > oneapi::tbb::info::default_concurrency()) {
      limit.emplace(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    }
  }
  std::optional<oneapi::tbb::global_control> limit;
  oneapi::tbb::task_arena arena;
};

Workers::Workers(int threads) : threads_(resolve_threads(threads)) {
  if (threads_ > 1) impl_ = std::make_unique<Impl>(threads_);
}
Workers::~Workers() = default;
Workers::Workers(Workers&&) noexcept = default;
Workers& Workers::operator=(Workers&&) noexcept = default;

void Workers::set_threads(int threads) {
  if (resolve_threads(threads) != threads_) *this = Workers(threads);
}

void Workers::run(std::size_t chunks, void (*body)(void*, std::size_t), void* context) {
  if (!impl_ || chunks < 2) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) body(context, chunk);
    return;
  }
  impl_->arena.execute(
      [&] { oneapi::tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t chunk) { body(context, chunk); }); });
}

}  // namespace carom
