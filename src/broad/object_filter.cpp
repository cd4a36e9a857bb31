#include "broad/object_filter.hpp"

#include <algorithm>
#include <cassert>

#include "core/check.hpp"

namespace carom::broad {

namespace {

Index position_of(const Surface& surface, Index object, const char* list, std::size_t entry) {
  const auto objects = surface.objects();
  const auto found = std::lower_bound(objects.begin(), objects.end(), object);
  require(found != objects.end() && *found == object, ErrorCode::bad_index,
          "{}[{}] names object {}, which the surface does not have", list, entry, object);
  return static_cast<Index>(found - objects.begin());
}

}  // namespace

void ObjectFilter::set(const ContactFilters& filters, const Surface& surface, const ObjectChoice& choice) {
  assert(choice.marks.empty() || choice.marks.size() == surface.objects().size());
  marks_.assign(choice.marks.begin(), choice.marks.end());
  chosen_.assign(choice.pairs.begin(), choice.pairs.end());
  excluded_.clear();
  for (std::size_t i = 0; i < filters.excluded_objects.size(); ++i) {
    const Index a = position_of(surface, filters.excluded_objects[i][0], "excluded_objects", i);
    const Index b = position_of(surface, filters.excluded_objects[i][1], "excluded_objects", i);
    excluded_.push_back({std::min(a, b), std::max(a, b)});
  }
  std::sort(excluded_.begin(), excluded_.end());

  groups_.clear();
  if (filters.groups.empty()) return;
  groups_.resize(surface.objects().size());
  listed_.assign(groups_.size(), false);
  for (std::size_t i = 0; i < filters.groups.size(); ++i) {
    const auto& [object, filter] = filters.groups[i];
    const auto at = static_cast<std::size_t>(position_of(surface, object, "groups", i));
    require(!listed_[at], ErrorCode::invalid_argument, "groups[{}] names object {}, which another entry names as well",
            i, object);
    listed_[at] = true;
    groups_[at] = filter;
  }
}

bool ObjectFilter::considers(const std::array<Index, 2>& pair) const {
  const auto found =
      std::lower_bound(chosen_.begin(), chosen_.end(), pair,
                       [](const ObjectChoice::Pair& one, const std::array<Index, 2>& p) { return one.objects < p; });
  if (found != chosen_.end() && found->objects == pair) return found->chosen;
  if (marks_.empty()) return true;
  const int together = marks_[static_cast<std::size_t>(pair[0])] | marks_[static_cast<std::size_t>(pair[1])];
  return together == ObjectChoice::every_mark;
}

Verdict ObjectFilter::verdict(Index a, Index b) const {
  const std::array<Index, 2> pair{std::min(a, b), std::max(a, b)};
  if (!considers(pair)) return Verdict::filtered;
  if (!groups_.empty() && !may_collide(groups_[static_cast<std::size_t>(a)], groups_[static_cast<std::size_t>(b)]))
    return Verdict::filtered;
  return std::binary_search(excluded_.begin(), excluded_.end(), pair) ? Verdict::excluded : Verdict::allowed;
}

}  // namespace carom::broad
