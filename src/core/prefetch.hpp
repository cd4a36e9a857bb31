#pragma once

namespace carom {

/// Has the cache lines of [begin, end) fetched, for what is read soon and is likely to be out of the cache.
inline void prefetch(const void* begin, const void* end) {
  const auto* bytes = static_cast<const char*>(begin);
  for (; bytes < static_cast<const char*>(end); bytes += 64) {
    __builtin_prefetch(bytes);
    // Compilers take functions that do no more than this for ones without effect, and leave out calls of them.
    asm volatile("");
  }
}

}  // namespace carom
