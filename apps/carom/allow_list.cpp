#include "allow_list.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "io/file_bytes.hpp"

namespace carom::app {
namespace {

using Json = nlohmann::json;

Json read_json(const std::string& option, const std::string& file) {
  const std::vector<std::uint8_t> bytes = io::read_file(file);
  try {
    return Json::parse(bytes.begin(), bytes.end());
  } catch (const Json::exception& error) {
    fail(ErrorCode::bad_format, "{}: {}: is not JSON: {}", option, file, error.what());
  }
}

/// A pattern with a colon is one of the whole name, "file.step:part". One without is of the part alone, or of a file
/// that is one part, with or without its extension.
bool matches(const std::string& pattern, const std::string& name) {
  const auto is = [&](const std::string& text) { return fnmatch(pattern.c_str(), text.c_str(), 0) == 0; };
  const std::size_t colon = name.find(':');
  if (pattern.find(':') != std::string::npos) return is(name);
  if (colon != std::string::npos) return is(name.substr(colon + 1));
  return is(name) || is(name.substr(0, name.rfind('.')));
}

bool matches(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& p) { return matches(p, name); });
}

std::string text_of(const Json& entry, const char* field, const std::string& where) {
  const auto found = entry.find(field);
  require(found != entry.end() && found->is_string(), ErrorCode::bad_format, "{}: expected \"{}\", a text", where,
          field);
  return found->get<std::string>();
}

double depth_of(const Json& entry, double unit, const std::string& where) {
  const auto found = entry.find("depth");
  if (found == entry.end()) return INFINITY;
  require(found->is_number() && found->get<double>() >= 0, ErrorCode::bad_format,
          "{}.depth: expected a number that is not negative", where);
  return unit * found->get<double>();
}

void refuse_others(const Json& object, std::initializer_list<const char*> known, const std::string& where) {
  require(object.is_object(), ErrorCode::bad_format, "{}: expected an object", where);
  for (const auto& item : object.items()) {
    const std::string& name = item.key();
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const char* k) { return name == k; });
    require(is_known, ErrorCode::unknown_name, "{}: unknown field \"{}\"; expected one of: {}", where, name,
            fmt::join(known, ", "));
  }
}

const Json& list_of(const Json& root, const char* name, const std::string& where) {
  static const Json empty = Json::array();
  const auto found = root.find(name);
  if (found == root.end()) return empty;
  require(found->is_array(), ErrorCode::bad_format, "{}: {}: expected a list", where, name);
  return *found;
}

}  // namespace

AllowList::AllowList(const std::string& file) {
  const Json root = read_json("--allow", file);
  refuse_others(root, {"unit", "allow", "groups", "description"}, file);
  const double unit = root.contains("unit") ? mesh_unit_length(text_of(root, "unit", file)) : 1;
  const Json& allow = list_of(root, "allow", file);
  for (std::size_t i = 0; i < allow.size(); ++i) {
    const std::string where = fmt::format("{}: allow[{}]", file, i);
    refuse_others(allow[i], {"a", "b", "depth", "reason"}, where);
    const std::string a = text_of(allow[i], "a", where);
    const std::string b = text_of(allow[i], "b", where);
    entries_.push_back({{a}, {b}, depth_of(allow[i], unit, where), fmt::format("{} x {}", a, b)});
  }
  const Json& groups = list_of(root, "groups", file);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string where = fmt::format("{}: groups[{}]", file, i);
    refuse_others(groups[i], {"name", "parts", "depth", "reason"}, where);
    std::vector<std::string> parts;
    for (const Json& part : list_of(groups[i], "parts", where)) {
      require(part.is_string(), ErrorCode::bad_format, "{}.parts: expected patterns of names", where);
      parts.push_back(part.get<std::string>());
    }
    require(!parts.empty(), ErrorCode::bad_format, "{}: expected \"parts\", a list of patterns of names", where);
    entries_.push_back({parts, parts, depth_of(groups[i], unit, where), "group " + text_of(groups[i], "name", where)});
  }
}

void AllowList::apply(std::vector<Finding>& findings) const {
  for (Finding& finding : findings) {
    for (const Entry& entry : entries_) {
      const bool named = (matches(entry.a, finding.a) && matches(entry.b, finding.b)) ||
                         (matches(entry.a, finding.b) && matches(entry.b, finding.a));
      if (!named) continue;
      finding.allowed_by = entry.label;
      if (!(-finding.clash.distance <= entry.depth)) continue;
      finding.allowed = true;
      break;
    }
  }
}

void compare_with_baseline(const std::string& file, CheckReport& report) {
  const Json root = read_json("--baseline", file);
  require(root.is_object() && root.contains("clashes") && root["clashes"].is_array(), ErrorCode::bad_format,
          "--baseline: {}: is no result of carom check --json: it has no list \"clashes\"", file);
  struct Old {
    double depth = 0;
    double error = 0;
    bool seen = false;
  };
  const auto number = [](const Json& clash, const char* name) {
    return clash.contains(name) && clash[name].is_number() ? clash[name].get<double>() : 0;
  };
  std::map<std::pair<std::string, std::string>, Old> before;
  for (const Json& clash : root["clashes"]) {
    const std::string kind = text_of(clash, "kind", file);
    if (kind == "touch" || clash.value("allowed", false)) continue;
    std::pair names(text_of(clash, "a", file), text_of(clash, "b", file));
    if (names.second < names.first) std::swap(names.first, names.second);
    before[names] = {-number(clash, "distance"), number(clash, "error"), false};
  }
  report.compared = true;
  for (Finding& finding : report.findings) {
    if (!finding.problem) continue;
    std::pair names(finding.a, finding.b);
    if (names.second < names.first) std::swap(names.first, names.second);
    const auto found = before.find(names);
    if (found == before.end()) {
      finding.change = ClashChange::fresh;
      continue;
    }
    found->second.seen = true;
    const double depth = -finding.clash.distance;
    // Both are known to their errors; a thousandth more is rounding in files.
    const double error = std::isfinite(finding.clash.error) ? finding.clash.error : 0;
    const double slack = found->second.error + error + 1e-3 * std::abs(found->second.depth);
    finding.change = depth > found->second.depth + slack   ? ClashChange::deeper
                     : depth < found->second.depth - slack ? ClashChange::shallower
                                                           : ClashChange::same;
  }
  for (const auto& [names, old] : before) {
    if (!old.seen) report.gone.push_back({names.first, names.second, old.depth});
  }
}

}  // namespace carom::app
