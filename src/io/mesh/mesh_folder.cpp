#include "io/mesh/mesh_folder.hpp"

#include <algorithm>
#include <compare>

#include "carom/io/mesh_file.hpp"
#include "core/check.hpp"
#include "io/mesh/mesh_extension.hpp"

namespace carom::io {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Takes a run of digits from the front of `text` and returns it without leading zeros.
std::string_view take_number(std::string_view& text) {
  const auto* end = std::find_if_not(text.begin(), text.end(), is_digit);
  std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

std::strong_ordering natural_order(std::string_view left, std::string_view right) {
  while (!left.empty() && !right.empty()) {
    if (is_digit(left.front()) && is_digit(right.front())) {
      const std::string_view a = take_number(left);
      const std::string_view b = take_number(right);
      if (const auto order = a.size() <=> b.size(); order != 0) return order;
      if (const auto order = a.compare(b) <=> 0; order != 0) return order;
    } else {
      if (const auto order = left.front() <=> right.front(); order != 0) return order;
      left.remove_prefix(1);
      right.remove_prefix(1);
    }
  }
  return left.size() <=> right.size();
}

/// Part of a name that all names of one series have in common.
std::string without_digits(const std::filesystem::path& file) {
  std::string stem = file.stem().string();
  std::erase_if(stem, is_digit);
  return stem;
}

}  // namespace

bool natural_less(std::string_view left, std::string_view right) {
  const auto order = natural_order(left, right);
  return order != 0 ? order < 0 : left < right;  // 01 and 1 are the same number, but not the same file
}

std::vector<std::filesystem::path> numbered_mesh_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string stem = at->path().stem().string();
    std::error_code no_status;
    if (is_mesh_file(at->path()) && std::any_of(stem.begin(), stem.end(), is_digit) && at->is_regular_file(no_status)) {
      files.push_back(at->path());
    }
  }
  if (error) fail(ErrorCode::io, "{}: cannot be listed: {}", folder.string(), error.message());
  require(!files.empty(), ErrorCode::bad_format, "{}: holds no mesh file with a number in its name ({})",
          folder.string(), readable_mesh_extensions());
  std::sort(files.begin(), files.end(), [](const auto& left, const auto& right) {
    return natural_less(left.filename().string(), right.filename().string());
  });
  for (const auto& file : files) {
    require(without_digits(file) == without_digits(files.front()), ErrorCode::bad_format,
            "{}: holds two series of numbered mesh files, {} and {}; keep one series to a folder", folder.string(),
            files.front().filename().string(), file.filename().string());
    require(lower_extension(file) == lower_extension(files.front()), ErrorCode::bad_format,
            "{}: holds numbered mesh files of two types, {} and {}; keep one type to a folder", folder.string(),
            files.front().filename().string(), file.filename().string());
  }
  return files;
}

}  // namespace carom::io
