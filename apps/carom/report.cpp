#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

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
    counted += fmt::format("{}{} {}", counted.empty() ? "" : ", ",
                           with_commas(static_cast<double>(entry.count) / steps), entry.name);
  }
  if (!counted.empty()) text += fmt::format("{}({})", text.empty() ? "" : " ", counted);
  if (stats.limited > 0) {
    text +=
        fmt::format("{}{} limited", text.empty() ? "" : "; ", with_commas(static_cast<double>(stats.limited) / steps));
  }
  return text.empty() ? "-" : text;
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
  std::size_t culled_width = 6;
  for (const StageStats& stats : total.stages) culled_width = std::max(culled_width, culled_text(stats, n).size());

  std::string table = fmt::format("{:<9} {:>13} {:>13}  {:<{}}  {:>9}\n", "stage", "in", "out", "culled", culled_width,
                                  fmt::format("ms/{}", per));
  double seconds = 0;
  for (std::size_t i = 0; i < stage_count; ++i) {
    const StageStats& stats = total.stages[i];
    if (!did_something(stats)) continue;
    seconds += stats.seconds;
    table +=
        fmt::format("{:<9} {:>13} {:>13}  {:<{}}  {:>9.3f}\n", to_string(static_cast<Stage>(i)),
                    with_commas(static_cast<double>(stats.in) / n), with_commas(static_cast<double>(stats.out) / n),
                    culled_text(stats, n), culled_width, stats.seconds * 1e3 / n);
  }
  table += fmt::format("{:<9} {:>13} {:>13}  {:<{}}  {:>9.3f}\n", "total", "", "", "", culled_width, seconds * 1e3 / n);
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
    stage = {{"in", mean(stats.in)}, {"out", mean(stats.out)}, {"culled", culled}, {"ms", stats.seconds * 1e3 / n}};
    for (const Counted& entry : stats.counted()) stage["counted"][std::string(entry.name)] = mean(entry.count);
    if (stats.limited > 0) stage["limited"] = mean(stats.limited);
  }
  return stages;
}

}  // namespace carom::app
