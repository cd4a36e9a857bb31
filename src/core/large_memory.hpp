#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace carom {

/// Block of memory for `wanted` bytes, of which the first `used` are those of `old`, which is gone then; null, and
/// `old` as it was, if there is none. To be given back by std::free.
///
/// What is large is asked for in pages of 2 MB: memory that nothing has been in costs an interrupt for each page, which
/// in pages of 4 kB is more than what is written into it takes.
inline void* grow_memory(void* old, std::size_t used, std::size_t wanted) {
#ifdef __linux__
  constexpr std::size_t page = std::size_t{1} << 21;
  if (wanted >= 4 * page && wanted <= PTRDIFF_MAX) {
    const std::size_t size = (wanted + page - 1) / page * page;
    void* memory = std::aligned_alloc(page, size);
    if (memory == nullptr) return nullptr;
    (void)madvise(memory, size, MADV_HUGEPAGE);  // a wish
    if (used > 0) std::memcpy(memory, old, used);
    std::free(old);
    return memory;
  }
#else
  (void)used;
#endif
  return std::realloc(old, wanted);
}

}  // namespace carom
