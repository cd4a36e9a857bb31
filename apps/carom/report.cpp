#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

namespace carom::app {

namespace {

bool did_something(const StageStats& stats) {
  return stats.in + stats.out > 0 || stats.seconds > 0;
}

std::string culled_text(const StageStats& stats, double steps) {
  std::string text;
  for (const Culled& entry : stats.culled()) {
    if (entry.count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", with_commas(static_cast<double>(entry.count) / steps),
                        entry.reason);
  }
  std::string counted;
  for (const Counted& entry : stats.counted()) {
    if (entry.count == 0) continue;
    counted += fmt::format("{}{} {}", counted.empty() ? "" : ", ",
                           with_commas(static_cast<double>(entry.count) / steps), entry.name);
  }
  if (!counted.empty()) text += fmt::format("{}({})", text.empty() ? "" : " ", counted);
  if (stats.limited > 0) {
    text +=
        fmt::format("{}{} limited", text.empty() ? "" : "; ", with_commas(static_cast<double>(stats.limited) / steps));
  }
  return text;
}

std::string unit_text(const StageStats& stats) {
  if (stats.in_unit == stats.out_unit) return std::string(stats.in_unit);
  return fmt::format("{}, {}", stats.in_unit, stats.out_unit);
}

/// How what a stage of the funnel takes in comes from what the one before gave out; empty where it is just that.
std::string source_text(const PipelineStats& total, Stage stage, double steps) {
  const StageStats& stats = total[stage];
  if (stage <= Stage::broad || stage > Stage::respond || stats.in_unit.empty()) return {};
  auto before = static_cast<std::size_t>(stage) - 1;
  while (before > static_cast<std::size_t>(Stage::broad) && total.stages[before].in_unit.empty()) --before;
  const StageStats& source = total.stages[before];
  const auto mean = [&](std::uint64_t count) { return with_commas(static_cast<double>(count) / steps); };
  std::string text;
  if (stats.in_unit == "pairs of colliders and of features") {
    const StageStats& broad = total[Stage::broad];
    text = fmt::format("{} {}", mean(broad.out), broad.out_unit);
    if (&source != &broad) text += fmt::format(", and features of {} {}", mean(source.out), source.out_unit);
  } else if (source.out_unit != stats.in_unit) {
    text = fmt::format("{} {}", mean(source.out), source.out_unit);
    if (source.out > 0)
      text +=
          fmt::format(" x {:.3g}", static_cast<double>(stats.in - stats.remembered) / static_cast<double>(source.out));
  }
  if (stats.remembered > 0) text += fmt::format("{}{} remembered", text.empty() ? "" : " + ", mean(stats.remembered));
  return text;
}

/// Width of the words beside the numbers: with these a line has at most 100 characters.
constexpr std::size_t words_width = 54;

/// Appends a text in lines of at most `words_width`, broken at spaces.
void append_wrapped(std::string_view text, std::vector<std::string>& lines) {
  while (text.size() > words_width) {
    std::size_t end = text.rfind(' ', words_width);
    if (end == std::string_view::npos || end == 0) end = text.find(' ', words_width);
    if (end == std::string_view::npos) break;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  lines.emplace_back(text);
}

}  // namespace

std::string with_commas(double value) {
  if (value != 0 && std::fabs(value) < 10) return fmt::format("{:.3g}", value);
  const std::string digits = fmt::format("{:.0f}", std::fabs(value));
  std::string text = value < 0 ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string dump(const nlohmann::ordered_json& json) {
  const std::string text = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  // C0 is escaped already. DEL and C1, which terminals obey as well, can only be within strings.
  std::string safe;
  safe.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (byte == 0x7f) {
      safe += "\\u007f";
    } else if (byte == 0xc2 && next < 0xa0) {
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(next));
      ++i;
    } else {
      safe += text[i];
    }
  }
  return safe;
}

nlohmann::ordered_json number_or_null(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  const std::string number = with_commas(static_cast<double>(count));
  if (count == 1) return fmt::format("{} {}", number, one);
  return many.empty() ? fmt::format("{} {}s", number, one) : fmt::format("{} {}", number, many);
}

std::string stage_table(const PipelineStats& total, std::size_t steps, const char* per) {
  const double n = static_cast<double>(std::max<std::size_t>(steps, 1));
  struct Row {
    std::array<std::string, 4> numbers;  ///< stage, in, out, time
    std::vector<std::string> lines;      ///< what they are of, and what was culled
  };
  std::vector<Row> rows{{{"stage", "in", "out", fmt::format("ms/{}", per)}, {"of what; culled"}}};
  double seconds = 0;
  for (std::size_t i = 0; i < stage_count; ++i) {
    const StageStats& stats = total.stages[i];
    if (!did_something(stats)) continue;
    seconds += stats.seconds;
    Row row{{std::string(to_string(static_cast<Stage>(i))), with_commas(static_cast<double>(stats.in) / n),
             with_commas(static_cast<double>(stats.out) / n), fmt::format("{:.3f}", stats.seconds * 1e3 / n)},
            {}};
    append_wrapped(unit_text(stats), row.lines);
    if (const std::string source = source_text(total, static_cast<Stage>(i), n); !source.empty())
      append_wrapped("= " + source, row.lines);
    if (const std::string culled = culled_text(stats, n); !culled.empty()) append_wrapped(culled, row.lines);
    rows.push_back(std::move(row));
  }
  rows.push_back({{"total", "", "", fmt::format("{:.3f}", seconds * 1e3 / n)}, {}});
  std::array<std::size_t, 4> widths{9, 11, 11, 9};
  for (const Row& row : rows) {
    for (std::size_t k = 0; k < widths.size(); ++k) widths[k] = std::max(widths[k], row.numbers[k].size());
  }
  std::string table;
  for (const Row& row : rows) {
    std::string line = fmt::format("{:<{}} {:>{}} {:>{}} {:>{}}", row.numbers[0], widths[0], row.numbers[1], widths[1],
                                   row.numbers[2], widths[2], row.numbers[3], widths[3]);
    const std::string indent(line.size(), ' ');
    for (const std::string& text : row.lines) {
      table += fmt::format("{}  {}\n", line, text);
      line = indent;
    }
    if (row.lines.empty()) table += line + "\n";
  }
  return table;
}

nlohmann::ordered_json stages_json(const PipelineStats& total, std::size_t steps) {
  const double n = static_cast<double>(std::max<std::size_t>(steps, 1));
  const auto mean = [n](std::uint64_t count) -> nlohmann::ordered_json {
    const double value = static_cast<double>(count) / n;
    if (value == std::floor(value)) return static_cast<std::uint64_t>(value);
    return value;
  };
  nlohmann::ordered_json stages = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < stage_count; ++i) {
    const StageStats& stats = total.stages[i];
    if (!did_something(stats)) continue;
    nlohmann::ordered_json culled = nlohmann::ordered_json::object();
    for (const Culled& entry : stats.culled()) culled[std::string(entry.reason)] = mean(entry.count);
    nlohmann::ordered_json& stage = stages[std::string(to_string(static_cast<Stage>(i)))];
    stage = {{"in", mean(stats.in)},       {"in_unit", stats.in_unit}, {"out", mean(stats.out)},
             {"out_unit", stats.out_unit}, {"culled", culled},         {"ms", stats.seconds * 1e3 / n}};
    if (stats.remembered > 0) stage["remembered"] = mean(stats.remembered);
    for (const Counted& entry : stats.counted()) stage["counted"][std::string(entry.name)] = mean(entry.count);
    if (stats.limited > 0) stage["limited"] = mean(stats.limited);
  }
  return stages;
}

}  // namespace carom::app
