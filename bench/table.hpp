#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

namespace carom::bench {

/// Rows of text under a head, printed in columns or written as CSV.
struct Table {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;

  void add(std::vector<std::string> row) { rows.push_back(std::move(row)); }
  /// The first column to the left, the others to the right. Control characters in cells are escaped.
  std::string text() const;
  /// Throws Error(io) that names the file.
  void write_csv(const std::filesystem::path& path) const;
};

struct NamedTable {
  const char* file;
  const Table& table;
};

/// Prints those that have rows, and writes each as CSV into the folder, which is made if it is not there.
void publish(const std::filesystem::path& folder, std::initializer_list<NamedTable> tables);

}  // namespace carom::bench
