#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "contact/anchor_contacts.hpp"
#include "contact/pair_table.hpp"

namespace carom {

/// The contacts of a world as its users see them: made when somebody asks, so that a step does not pay for it, and kept
/// until something changes.
class ContactList {
 public:
  struct Sources {
    const contact::AnchorList& surfaces;
    const contact::AnchorList& resting;  ///< contacts of surfaces that sleep
    const rigid::Bodies& bodies;
    const contact::PairTable& pairs;
    double resting_speed = 0;  ///< m/s
  };

  void forget() { made_ = false; }
  /// May be asked by several threads at a time. In the order that World::contacts() states.
  std::span<const WorldContact> of(const Sources& sources);

 private:
  std::mutex mutex_;
  bool made_ = false;
  std::vector<WorldContact> contacts_;
};

}  // namespace carom
