#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

/// Loops over all cores with the same result for any number of them: work is cut into chunks by
/// index alone, and what chunks produce is joined in the order of their indices. parallel.cpp is
/// the only file that knows oneTBB.
namespace carom {

/// More than any machine has, few enough to start.
inline constexpr int max_threads = 1024;

/// A number of threads to work with. Cheap to call, costly to make: keep one.
class Workers {
  struct Impl;

 public:
  /// 0 = one for each core this process may use; more than those are not used (see thread_limit), as the result does
  /// not depend on the number. Throws Error if negative or above max_threads.
  explicit Workers(int threads = 0);
  ~Workers();
  Workers(Workers&&) noexcept;
  Workers& operator=(Workers&&) noexcept;

  /// In use: no more than asked for.
  int threads() const { return threads_; }
  /// Does nothing if it is that number already.
  void set_threads(int threads);

  /// Calls body(context, chunk) for each chunk in [0, chunks), in any order, and returns when all
  /// are done. Writes made before the call are seen by all chunks, theirs by the caller after it.
  void run(std::size_t chunks, void (*body)(void* context, std::size_t chunk), void* context);

  /// While there is one, the other threads stay awake and take part in each loop as soon as it begins: for many short
  /// loops in a row, such as the stages of a step. Loops within loops, or from other threads, run as they would
  /// without.
  class Session {
   public:
    explicit Session(Workers& workers);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

   private:
    Impl* impl_;  ///< null if there is nobody to gather
  };

 private:
  std::unique_ptr<Impl> impl_;
  int threads_;
};

inline std::size_t chunk_count(std::size_t count, std::size_t grain) {
  return (count + grain - 1) / grain;
}

namespace detail {

/// oneTBB orders memory already; this says so in code that the thread sanitizer sees, as neither the library nor
/// parallel.cpp is instrumented. Elsewhere it is nothing: a counter that all threads write to for each chunk costs more
/// than short chunks do.
struct Handover {
#ifdef CAROM_THREAD_SANITIZER
  std::atomic<bool> given{false};
  std::atomic<std::size_t> back{0};
  void publish() {
    given.store(true, std::memory_order_release);
  }
  void take() const {
    (void)given.load(std::memory_order_acquire);
  }
  void report() {
    back.fetch_add(1, std::memory_order_release);
  }
  void take_back() const {
    (void)back.load(std::memory_order_acquire);
  }
#else
  void publish() {}
  void take() const {}
  void report() {}
  void take_back() const {}
#endif
};

}  // namespace detail

/// body(begin, end, chunk) over [0, count) in chunks of `grain`, the last one shorter.
template <class Body>
void parallel_chunks(Workers& workers, std::size_t count, std::size_t grain, Body&& body) {
  struct Context {
    std::remove_reference_t<Body>& body;
    std::size_t count, grain;
    detail::Handover handover{};
  } context{body, count, grain};
  context.handover.publish();
  workers.run(
      chunk_count(count, grain),
      [](void* pointer, std::size_t chunk) {
        Context& c = *static_cast<Context*>(pointer);
        c.handover.take();
        c.body(chunk * c.grain, std::min((chunk + 1) * c.grain, c.count), chunk);
        c.handover.report();
      },
      &context);
  context.handover.take_back();
}

/// body(i) for each i in [0, count).
template <class Body>
void parallel_for(Workers& workers, std::size_t count, std::size_t grain, Body&& body) {
  parallel_chunks(workers, count, grain, [&body](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

/// combine(...combine(combine(identity, map(chunk 0)), map(chunk 1))...): chunks in order, so that
/// sums of floating-point numbers do not depend on the number of threads. `partial` is kept by the
/// caller so that a warm call allocates nothing.
template <class T, class Map, class Combine>
T parallel_reduce(Workers& workers, std::size_t count, std::size_t grain, T identity, Map&& map, Combine&& combine,
                  std::vector<T>& partial) {
  partial.assign(chunk_count(count, grain), identity);
  parallel_chunks(workers, count, grain,
                  [&](std::size_t begin, std::size_t end, std::size_t chunk) { partial[chunk] = map(begin, end); });
  T result = identity;
  for (const T& value : partial) result = combine(result, value);
  return result;
}

/// A list that chunks fill side by side and that reads as if one had filled it in order.
template <class T>
class OrderedAppend {
 public:
  /// body(begin, end, std::vector<T>& out, chunk) appends to `out` what its chunk finds; `result` gets
  /// the concatenation, in order.
  template <class Body>
  void run(Workers& workers, std::size_t count, std::size_t grain, std::vector<T>& result, Body&& body) {
    const std::size_t chunks = chunk_count(count, grain);
    if (workers.threads() == 1) {
      // One part for all, as long as the longest.
      parts_.resize(std::max<std::size_t>(parts_.size(), 1));
      result.clear();
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        parts_[0].clear();
        body(chunk * grain, std::min((chunk + 1) * grain, count), parts_[0], chunk);
        result.insert(result.end(), parts_[0].begin(), parts_[0].end());
      }
      return;
    }
    if (parts_.size() < chunks) parts_.resize(chunks);
    parallel_chunks(workers, count, grain, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
      parts_[chunk].clear();
      body(begin, end, parts_[chunk], chunk);
    });
    starts_.resize(chunks + 1);
    starts_[0] = 0;
    for (std::size_t i = 0; i < chunks; ++i) starts_[i + 1] = starts_[i] + parts_[i].size();
    result.resize(starts_[chunks]);
    parallel_for(workers, chunks, 1, [&](std::size_t i) {
      std::copy(parts_[i].begin(), parts_[i].end(), result.begin() + static_cast<std::ptrdiff_t>(starts_[i]));
    });
  }

 private:
  std::vector<std::vector<T>> parts_;
  std::vector<std::size_t> starts_;
};

}  // namespace carom
