#include "core/parallel.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "core/available_cores.hpp"
#include "core/check.hpp"
#include "core/spin_loop.hpp"

namespace carom {

namespace {
int resolve_threads(int threads) {
  require(threads >= 0 && threads <= max_threads, ErrorCode::invalid_argument,
          "threads is {}; expected 0 (all cores) to {}", threads, max_threads);
  return threads == 0 ? std::min(available_cores(), max_threads) : std::min(threads, thread_limit());
}
}  // namespace

struct Workers::Impl {
  explicit Impl(int threads) : arena(threads), loop(static_cast<std::size_t>(threads)) {
    // oneTBB starts no more threads than there are cores unless told to.
    if (threads > oneapi::tbb::info::default_concurrency()) {
      limit.emplace(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
    }
  }
  std::optional<oneapi::tbb::global_control> limit;
  oneapi::tbb::task_arena arena;
  oneapi::tbb::task_group helpers;
  SpinLoop loop;
  std::size_t helper_count = 0;
  std::atomic<std::thread::id> gathered_by{};  ///< the one thread that loops are shared with now, and not in a loop
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
  const std::thread::id self = std::this_thread::get_id();
  if (chunks <= SpinLoop::max_chunks && impl_->gathered_by.load(std::memory_order_relaxed) == self) {
    // A loop within this one is not shared.
    struct Busy {
      std::atomic<std::thread::id>& by;
      std::thread::id self;
      ~Busy() { by.store(self, std::memory_order_relaxed); }
    } busy{impl_->gathered_by, self};
    impl_->gathered_by.store({}, std::memory_order_relaxed);
    return impl_->loop.run(chunks, body, context);
  }
  impl_->arena.execute(
      [&] { oneapi::tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t chunk) { body(context, chunk); }); });
}

Workers::Session::Session(Workers& workers) : impl_(workers.impl_.get()) {
  if (impl_ == nullptr || impl_->gathered_by.load(std::memory_order_relaxed) != std::thread::id()) {
    impl_ = nullptr;
    return;
  }
  impl_->loop.open();
  impl_->helper_count = static_cast<std::size_t>(workers.threads_) - 1;
  impl_->gathered_by.store(std::this_thread::get_id(), std::memory_order_relaxed);
  impl_->arena.execute([&] {
    for (int thread = 1; thread < workers.threads_; ++thread) {
      impl_->helpers.run([loop = &impl_->loop, thread] { loop->help(static_cast<std::size_t>(thread)); });
    }
  });
}

Workers::Session::~Session() {
  if (impl_ == nullptr) return;
  impl_->gathered_by.store({}, std::memory_order_relaxed);
  impl_->loop.close();
  impl_->arena.execute([&] { impl_->helpers.wait(); });
  impl_->loop.wait_until_left(impl_->helper_count);
}

}  // namespace carom
