#include "clash_findings.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/table.hpp"
#include "report.hpp"

namespace carom::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view separators = "/:#_-. ";
/// Rows of a table that a person reads.
constexpr std::size_t shown_findings = 200;

Json vector_json(const Eigen::Vector3d& v) {
  return {number_or_null(v.x()), number_or_null(v.y()), number_or_null(v.z())};
}

Json box_json(const AxisBox& box) {
  return {{"min", vector_json(box.min)}, {"max", vector_json(box.max)}};
}

Json depth_json(const LocalDepth& depth) {
  return {{"depth", number_or_null(depth.depth)}, {"error", number_or_null(depth.error)}};
}

Json region_json(const ClashRegion& region) {
  return {{"depth", number_or_null(region.depth)},
          {"error", number_or_null(region.error)},
          {"in_a", depth_json(region.in_a)},
          {"in_b", depth_json(region.in_b)},
          {"volume", number_or_null(region.volume)},
          {"volume_error", number_or_null(region.volume_error)},
          {"box", box_json(region.box)},
          {"normal", vector_json(region.normal)},
          {"point_a", vector_json(region.point_a)},
          {"point_b", vector_json(region.point_b)}};
}

Json finding_json(const Finding& finding, bool compared) {
  const Clash& clash = finding.clash;
  Json json = {{"kind", to_string(clash.kind)},
               {"a", finding.a},
               {"b", finding.b},
               {"distance", number_or_null(clash.distance)},
               {"error", number_or_null(clash.error)},
               {"volume", number_or_null(clash.volume)},
               {"volume_error", number_or_null(clash.volume_error)},
               {"allowed", finding.allowed},
               {"point_a", vector_json(clash.point_a)},
               {"point_b", vector_json(clash.point_b)},
               {"normal", vector_json(clash.normal)}};
  if (!finding.allowed_by.empty()) json["allowed_by"] = finding.allowed_by;
  if (compared) json["change"] = to_string(finding.change);
  if (clash.separation)
    json["separation"] = {{"length", number_or_null(clash.separation->length)},
                          {"error", number_or_null(clash.separation->error)},
                          {"normal", vector_json(clash.separation->normal)}};
  Json& regions = json["regions"] = Json::array();
  for (const ClashRegion& region : clash.regions) regions.push_back(region_json(region));
  return json;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string cell(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

std::string cells(const Eigen::Vector3d& v) {
  return cell(v.x()) + "," + cell(v.y()) + "," + cell(v.z());
}

Eigen::Vector3d place_of(const Clash& clash) {
  return 0.5 * (clash.point_a + clash.point_b);
}

std::string error_text(const Clash& clash, const Lengths& unit) {
  if (clash.kind != ClashKind::overlap) return "";
  return std::isfinite(clash.error) ? unit.text(clash.error) : "not known";
}

std::string volume_text(const Clash& clash, const Lengths& unit) {
  if (clash.kind != ClashKind::overlap) return "";
  return std::isfinite(clash.volume) ? unit.volume(clash.volume) : "-";
}

/// Translation of b that takes the pair apart, such as "1.2 mm along (0, 0, 1)".
std::string separation_text(const Clash& clash, const Lengths& unit) {
  if (!clash.separation) return "";
  if (!std::isfinite(clash.separation->length)) return "none found";
  const Eigen::Vector3d& n = clash.separation->normal;
  return fmt::format("{} along ({:.3g}, {:.3g}, {:.3g})", unit.text(clash.separation->length), n.x(), n.y(), n.z());
}

/// Length of what all names begin with, up to and with a separator.
std::size_t common_start(const std::vector<AssemblyPart>& parts) {
  std::size_t length = parts.front().name.size();
  for (const AssemblyPart& part : parts) {
    std::size_t same = 0;
    while (same < length && same < part.name.size() && part.name[same] == parts.front().name[same]) ++same;
    length = same;
  }
  while (length > 0 && separators.find(parts.front().name[length - 1]) == std::string_view::npos) --length;
  return length;
}

}  // namespace

std::size_t CheckReport::count(ClashKind kind) const {
  return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(),
                                                [&](const Finding& f) { return f.clash.kind == kind && !f.allowed; }));
}

std::size_t CheckReport::allowed() const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [](const Finding& f) { return f.allowed; }));
}

std::size_t CheckReport::problems() const {
  return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(), [&](const Finding& f) {
    const bool is_new = !compared || f.change == ClashChange::fresh || f.change == ClashChange::deeper;
    return f.problem && !f.allowed && is_new;
  }));
}

std::string_view to_string(ClashChange change) {
  switch (change) {
    case ClashChange::none:
      return "";
    case ClashChange::fresh:
      return "new";
    case ClashChange::deeper:
      return "deeper";
    case ClashChange::same:
      return "same";
    case ClashChange::shallower:
      return "shallower";
  }
  return "";
}

std::vector<std::string> short_names(const std::vector<AssemblyPart>& parts) {
  std::vector<std::string> names;
  for (const AssemblyPart& part : parts) names.push_back(part.name);
  if (parts.size() < 2) return names;
  const std::size_t start = common_start(parts);
  const std::string& first = parts.front().name;
  // Extensions that all have.
  std::size_t end = 0;
  if (const std::size_t dot = first.rfind('.'); dot != std::string::npos && dot > start) {
    const std::string_view extension = std::string_view(first).substr(dot);
    if (std::all_of(parts.begin(), parts.end(), [&](const AssemblyPart& p) { return p.name.ends_with(extension); }))
      end = extension.size();
  }
  std::set<std::string> seen;
  std::vector<std::string> shortened;
  for (const std::string& name : names) {
    if (name.size() <= start + end) return names;
    shortened.push_back(name.substr(start, name.size() - start - end));
    if (!seen.insert(shortened.back()).second) return names;
  }
  return shortened;
}

std::string amount_of(const Clash& clash, const Lengths& unit) {
  switch (clash.kind) {
    case ClashKind::overlap:
      if (!std::isfinite(clash.distance)) return "no way out";
      // Of open parts the depth is a lower bound only.
      return fmt::format("{}{} deep", std::isfinite(clash.error) ? "" : "at least ", unit.text(-clash.distance));
    case ClashKind::touch:
      return "touch";
    case ClashKind::close:
      return fmt::format("{} apart", unit.text(clash.distance));
  }
  return "";
}

nlohmann::ordered_json to_json(const CheckReport& report) {
  Json list = Json::array();
  for (const Finding& finding : report.findings) list.push_back(finding_json(finding, report.compared));
  Json defects = Json::array();
  for (std::size_t i = 0; i < report.defects.size(); ++i) {
    if (report.defects[i].empty()) continue;
    Json of_part = Json::array();
    for (const PartDefect& defect : report.defects[i]) of_part.push_back(to_json(defect));
    defects.push_back({{"part", report.parts[i].name}, {"defects", std::move(of_part)}});
  }
  Json json = {{"parts", report.parts.size()},
               {"clearance", report.clearance},
               {"chord_error", report.chord_error},
               {"overlaps", report.count(ClashKind::overlap)},
               {"touches", report.count(ClashKind::touch)},
               {"close", report.count(ClashKind::close)},
               {"allowed", report.allowed()},
               {"problems", report.problems()},
               {"defective_parts", std::move(defects)},
               {"clashes", std::move(list)}};
  if (report.compared) {
    Json& gone = json["gone"] = Json::array();
    for (const GoneClash& clash : report.gone) gone.push_back({{"a", clash.a}, {"b", clash.b}, {"depth", clash.depth}});
  }
  return json;
}

std::string to_csv(const CheckReport& report) {
  std::string text =
      "kind,a,b,region,depth,error,depth_in_a,error_in_a,depth_in_b,error_in_b,volume,volume_error,"
      "a_x,a_y,a_z,b_x,b_y,b_z,normal_x,normal_y,normal_z,min_x,min_y,min_z,max_x,max_y,max_z,allowed,change,"
      "separation,separation_error,separation_x,separation_y,separation_z\n";
  const auto add = [&](const Finding& finding, std::size_t number, const ClashRegion& region) {
    const ClashSeparation out = finding.clash.separation.value_or(ClashSeparation{});
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                        to_string(finding.clash.kind), quoted(finding.a), quoted(finding.b), number, cell(region.depth),
                        cell(region.error), cell(region.in_a.depth), cell(region.in_a.error), cell(region.in_b.depth),
                        cell(region.in_b.error), cell(region.volume), cell(region.volume_error), cells(region.point_a),
                        cells(region.point_b), cells(region.normal), cells(region.box.min), cells(region.box.max),
                        finding.allowed ? "yes" : "no", to_string(finding.change), cell(out.length), cell(out.error),
                        cells(out.normal));
  };
  for (const Finding& finding : report.findings) {
    for (std::size_t i = 0; i < finding.clash.regions.size(); ++i) add(finding, i + 1, finding.clash.regions[i]);
    if (!finding.clash.regions.empty()) continue;
    ClashRegion whole;  // what has no regions: a touch, a gap
    whole.depth = -finding.clash.distance;
    whole.error = finding.clash.error;
    whole.point_a = finding.clash.point_a;
    whole.point_b = finding.clash.point_b;
    whole.normal = finding.clash.normal;
    add(finding, 1, whole);
  }
  return text;
}

std::string to_text(const CheckReport& report, const Lengths& unit) {
  const std::vector<std::string> names = short_names(report.parts);
  bench::Table table{
      .title = "", .head = {"a", "b", "overlap or gap", "error", "volume", "places", "x", "y", "z"}, .rows = {}};
  const bool separated = std::any_of(report.findings.begin(), report.findings.end(),
                                     [](const Finding& f) { return f.clash.separation.has_value(); });
  if (separated) table.head.emplace_back("apart by moving b");
  if (report.compared) table.head.emplace_back("change");
  std::size_t shown = 0;
  for (const Finding& finding : report.findings) {
    if (finding.allowed || shown++ >= shown_findings) continue;
    const Clash& clash = finding.clash;
    const Eigen::Vector3d place = place_of(clash);
    std::vector<std::string> row{names[static_cast<std::size_t>(clash.a)],
                                 names[static_cast<std::size_t>(clash.b)],
                                 amount_of(clash, unit),
                                 error_text(clash, unit),
                                 volume_text(clash, unit),
                                 clash.regions.size() > 1 ? std::to_string(clash.regions.size()) : "",
                                 fmt::format("{:.4g}", unit.value(place.x())),
                                 fmt::format("{:.4g}", unit.value(place.y())),
                                 fmt::format("{:.4g}", unit.value(place.z()))};
    if (separated) row.push_back(separation_text(clash, unit));
    if (report.compared) row.emplace_back(to_string(finding.change));
    table.add(std::move(row));
  }
  std::string text = table.rows.empty() ? std::string() : table.text() + "\n";
  if (shown > shown_findings) text += fmt::format("... and {} more: --csv or --json has all\n", shown - shown_findings);
  for (const GoneClash& gone : report.gone)
    text += fmt::format("gone: {} and {}, which were {} deep\n", gone.a, gone.b, unit.text(gone.depth));
  for (std::size_t i = 0; i < report.defects.size(); ++i) {
    for (const PartDefect& defect : report.defects[i])
      text += fmt::format("warning: {} is {}: {}\n", names[i], defect.text, defect.consequence);
  }
  if (report.chord_error > 0)
    text += fmt::format("curved faces are triangles to {}: add as much to the error\n", unit.text(report.chord_error));
  text += fmt::format("{}: {}, {}", counted(report.parts.size(), "part"),
                      counted(report.count(ClashKind::overlap), "pair overlaps", "pairs overlap"),
                      counted(report.count(ClashKind::touch), "touches", "touch"));
  if (report.clearance > 0)
    text += fmt::format(", {} closer than {}", counted(report.count(ClashKind::close), "is", "are"),
                        unit.text(report.clearance));
  if (report.allowed() > 0) text += fmt::format(", {} allowed", counted(report.allowed(), "is", "are"));
  if (report.compared) text += fmt::format("; {} new or deeper than before", report.problems());
  return text + "\n";
}

}  // namespace carom::app
