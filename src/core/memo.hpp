#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace carom {

/// Results by key, each made once and kept for as long as the memo lives. A few keys only: they are compared one by
/// one. Safe to ask from several threads; those that ask while a result is made wait for it.
template <class Key, class Value>
class Memo {
 public:
  /// Result for a key; `make()` is called if there is none yet. Nothing is kept of a call that throws.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, const Make& make) {
    const std::lock_guard lock(mutex_);
    for (const auto& entry : entries_) {
      if (entry.first == key) return entry.second;
    }
    entries_.emplace_back(key, std::make_shared<const Value>(make()));
    return entries_.back().second;
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<Key, std::shared_ptr<const Value>>> entries_;
};

}  // namespace carom
