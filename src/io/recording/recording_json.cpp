#include "io/recording/recording_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/check.hpp"

namespace carom::io {

namespace {

using Json = nlohmann::ordered_json;  // the reasons of `culled` keep the order of the stage

/// Bytes of a name that are not UTF-8 must not cost the whole recording.
std::string to_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parse(std::span<const std::uint8_t> text, const std::string& where) {
  try {
    Json value = Json::parse(text.begin(), text.end());
    require(value.is_object(), ErrorCode::bad_format, "{}: is not a JSON object", where);
    return value;
  } catch (const Json::parse_error& error) {
    fail(ErrorCode::bad_format, "{}: is not JSON at byte {}", where, error.byte);
  } catch (const Json::out_of_range&) {  // 1e999
    fail(ErrorCode::bad_format, "{}: holds a number that is too large", where);
  }
}

const Json& field(const Json& object, const char* name, const std::string& where) {
  const auto at = object.find(name);
  require(at != object.end(), ErrorCode::bad_format, "{}: \"{}\" is missing", where, name);
  return *at;
}

double number(const Json& value, const char* name, const std::string& where) {
  require(value.is_number() && std::isfinite(value.get<double>()), ErrorCode::bad_format, "{}: \"{}\" is not a number",
          where, name);
  return value.get<double>();
}

Eigen::Vector3d vector(const Json& value, const char* name, const std::string& where) {
  require(value.is_array() && value.size() == 3, ErrorCode::bad_format, "{}: \"{}\" is not three numbers", where, name);
  return {number(value[0], name, where), number(value[1], name, where), number(value[2], name, where)};
}

std::uint64_t count(const Json& value, const char* name, const std::string& where) {
  require(value.is_number_unsigned(), ErrorCode::bad_format, "{}: \"{}\" is not a count", where, name);
  return value.get<std::uint64_t>();
}

const std::string& text(const Json& value, const char* name, const std::string& where) {
  require(value.is_string(), ErrorCode::bad_format, "{}: \"{}\" is not a string", where, name);
  return value.get_ref<const std::string&>();
}

bool ran(const StageStats& stage) {
  return stage.in != 0 || stage.out != 0 || stage.seconds != 0 || !stage.culled().empty();
}

Json encode_stage(Stage name, const StageStats& stage) {
  Json culled = Json::object();
  for (const Culled& entry : stage.culled()) culled[std::string(entry.reason)] = entry.count;
  Json value = {{"name", to_string(name)},    {"in", stage.in},
                {"in_unit", stage.in_unit},   {"out", stage.out},
                {"out_unit", stage.out_unit}, {"culled", std::move(culled)},
                {"ms", 1000 * stage.seconds}};
  if (stage.remembered != 0) value["remembered"] = stage.remembered;
  if (stage.limited != 0) value["limited"] = stage.limited;
  return value;
}

RecordedStage decode_stage(const Json& value, const std::string& where) {
  require(value.is_object(), ErrorCode::bad_format, "{}: a stage is not an object", where);
  RecordedStage stage;
  stage.name = text(field(value, "name", where), "name", where);
  stage.in = count(field(value, "in", where), "in", where);
  stage.out = count(field(value, "out", where), "out", where);
  stage.ms = number(field(value, "ms", where), "ms", where);
  if (value.contains("limited")) stage.limited = count(value["limited"], "limited", where);
  if (value.contains("remembered")) stage.remembered = count(value["remembered"], "remembered", where);
  if (value.contains("in_unit")) stage.in_unit = text(value["in_unit"], "in_unit", where);
  if (value.contains("out_unit")) stage.out_unit = text(value["out_unit"], "out_unit", where);
  const Json& culled = field(value, "culled", where);
  require(culled.is_object(), ErrorCode::bad_format, "{}: \"culled\" is not an object", where);
  for (const auto& [reason, culled_count] : culled.items()) {
    stage.culled.emplace_back(reason, count(culled_count, "culled", where));
  }
  return stage;
}

std::uint32_t small_count(const Json& value, const char* name, const std::string& where) {
  const std::uint64_t found = count(value, name, where);
  require(found <= 0xffffffff, ErrorCode::bad_format, "{}: \"{}\" is {}, which is too large", where, name, found);
  return static_cast<std::uint32_t>(found);
}

RecordedView decode_view(const Json& value, const std::string& where) {
  require(value.is_object(), ErrorCode::bad_format, "{}: a view is not an object", where);
  RecordedView view;
  view.title = text(field(value, "title", where), "title", where);
  view.frame = small_count(field(value, "frame", where), "frame", where);
  const Json& bodies = field(value, "bodies", where);
  require(bodies.is_array(), ErrorCode::bad_format, "{}: \"bodies\" of a view is not a list", where);
  for (const Json& body : bodies) view.bodies.push_back(small_count(body, "bodies", where));
  return view;
}

}  // namespace

std::string encode_meta(const RecordingMeta& meta) {
  require(
      std::isfinite(meta.dt) && is_finite(meta.gravity) && std::isfinite(meta.contact_distance) && is_finite(meta.wind),
      ErrorCode::not_finite, "recording of \"{}\": dt, gravity, contact distance or wind is not a finite number",
      meta.scene);
  Json value = {{"carom", meta.carom_version},
                {"scene", meta.scene},
                {"dt", meta.dt},
                {"gravity", {meta.gravity.x(), meta.gravity.y(), meta.gravity.z()}},
                {"contact_distance", meta.contact_distance}};
  if (!meta.wind.isZero(0)) value["wind"] = {meta.wind.x(), meta.wind.y(), meta.wind.z()};
  if (!meta.description.empty()) value["description"] = meta.description;
  if (!meta.check.empty()) {
    value["check"] = Json::parse(meta.check, nullptr, false);
    require(value["check"].is_object(), ErrorCode::bad_format, "recording of \"{}\": its check is not a JSON object",
            meta.scene);
  }
  for (const RecordedView& view : meta.views)
    value["views"].push_back({{"title", view.title}, {"frame", view.frame}, {"bodies", view.bodies}});
  std::string text = to_text(value);
  require(text.size() <= max_meta_size, ErrorCode::unsupported,
          "recording of \"{}\": its description and {} views take {} bytes; at most {} are allowed", meta.scene,
          meta.views.size(), text.size(), max_meta_size);
  return text;
}

std::string encode_stat(std::uint32_t frame, double time, const PipelineStats& stats) {
  Json stages = Json::array();
  if (std::any_of(stats.stages.begin(), stats.stages.end(), ran)) {
    for (std::size_t i = 0; i < stage_count; ++i) {
      stages.push_back(encode_stage(static_cast<Stage>(i), stats.stages[i]));
    }
  }
  std::string text = to_text({{"frame", frame}, {"time", time}, {"stages", std::move(stages)}});
  require(text.size() <= max_stat_size, ErrorCode::unsupported,
          "frame {}: its statistics take {} bytes; at most {} are allowed", frame, text.size(), max_stat_size);
  return text;
}

RecordingMeta decode_meta(std::span<const std::uint8_t> bytes, const std::string& where) {
  const Json value = parse(bytes, where);
  RecordingMeta meta;
  meta.carom_version = text(field(value, "carom", where), "carom", where);
  meta.scene = text(field(value, "scene", where), "scene", where);
  meta.dt = number(field(value, "dt", where), "dt", where);
  meta.contact_distance = number(field(value, "contact_distance", where), "contact_distance", where);
  meta.gravity = vector(field(value, "gravity", where), "gravity", where);
  if (value.contains("wind")) meta.wind = vector(value["wind"], "wind", where);
  if (value.contains("description")) meta.description = text(value["description"], "description", where);
  if (value.contains("check")) {
    require(value["check"].is_object(), ErrorCode::bad_format, "{}: \"check\" is not an object", where);
    meta.check = to_text(value["check"]);
  }
  if (value.contains("views")) {
    require(value["views"].is_array(), ErrorCode::bad_format, "{}: \"views\" is not a list", where);
    for (const Json& view : value["views"]) meta.views.push_back(decode_view(view, where));
  }
  return meta;
}

std::vector<RecordedStage> decode_stat(std::span<const std::uint8_t> bytes, std::uint32_t frame,
                                       const std::string& where) {
  const Json value = parse(bytes, where);
  const std::uint64_t named = count(field(value, "frame", where), "frame", where);
  require(named == frame, ErrorCode::bad_format, "{}: its number is {}", where, named);
  const Json& entries = field(value, "stages", where);
  require(entries.is_array(), ErrorCode::bad_format, "{}: \"stages\" is not a list", where);
  std::vector<RecordedStage> stages;
  for (const Json& entry : entries) stages.push_back(decode_stage(entry, where));
  return stages;
}

}  // namespace carom::io
