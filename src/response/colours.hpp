#pragma once

#include <cstdint>
#include <span>
#include <vector>

/// Contacts in groups, such that no two of a group move the same body: these can be solved at the same time, in vectors
/// and by several threads, with one result.
namespace carom::colours {

inline constexpr int max_colours = 48;  ///< colours; what fits none is left over
inline constexpr std::int32_t leftover = max_colours;

/// The first colour that neither of the two bodies has, contact by contact in their order. A body of -1 does not
/// move and may be in any number of contacts. `used` is working memory.
void assign(std::span<const std::int32_t> a, std::span<const std::int32_t> b, std::size_t bodies,
            std::vector<std::uint64_t>& used, std::vector<std::int32_t>& colour);

}  // namespace carom::colours
