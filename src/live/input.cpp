#include "carom/live/input.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "carom/core/version.hpp"
#include "carom/io/scene.hpp"
#include "core/check.hpp"
#include "io/file_bytes.hpp"
#include "io/file_writer.hpp"
#include "io/json/json_field.hpp"

namespace carom {

namespace {

using Eigen::Vector3d;

constexpr int record_version = 1;
constexpr double largest_step = 9007199254740992.0;  // 2^53, beyond which not every number of a step is a double
constexpr IntegerRange hand_range{.min = 0, .max = max_hands - 1};

/// Shortest text that reads back as the same number; "-0" would read back as 0.
std::string text_of(double value) {
  return value == 0 && std::signbit(value) ? "-0.0" : fmt::format("{}", value);
}

std::string list_of(const Vector3d& v) {
  return fmt::format("[{},{},{}]", text_of(v.x()), text_of(v.y()), text_of(v.z()));
}

std::string list_of(const Eigen::Vector4d& v) {
  return fmt::format("[{},{},{},{}]", text_of(v[0]), text_of(v[1]), text_of(v[2]), text_of(v[3]));
}

struct Printer {
  std::string operator()(const GrabInput& i) const {
    const std::string vertex = i.vertex == none ? "" : fmt::format(",\"vertex\":{}", i.vertex);
    return fmt::format("\"grab\":{{\"hand\":{},\"body\":{},\"point\":{}{}}}", i.hand, quote_json(i.body),
                       list_of(i.point), vertex);
  }
  std::string operator()(const MoveInput& i) const {
    return fmt::format("\"move\":{{\"hand\":{},\"target\":{}}}", i.hand, list_of(i.target));
  }
  std::string operator()(const TurnInput& i) const {
    return fmt::format("\"turn\":{{\"hand\":{},\"rotation\":{}}}", i.hand, list_of(i.rotation));
  }
  std::string operator()(const ReleaseInput& i) const { return fmt::format("\"release\":{{\"hand\":{}}}", i.hand); }
  std::string operator()(const GravityInput& i) const { return fmt::format("\"gravity\":{}", list_of(i.gravity)); }
  std::string operator()(const StiffnessInput& i) const { return fmt::format("\"stiffness\":{}", i.factor); }
  std::string operator()(const ResetInput&) const { return "\"reset\":true"; }
  std::string operator()(const DriveInput& i) const {
    return fmt::format(
        "\"drive\":{{\"body\":{},\"position\":{},\"rotation\":{},\"velocity\":{},\"stiffness\":{},"
        "\"angular_stiffness\":{}}}",
        quote_json(i.body), list_of(i.position), list_of(i.rotation), list_of(i.velocity), i.stiffness,
        i.angular_stiffness);
  }
};

GrabInput read_grab(const JsonField& field) {
  JsonObject object(field);
  GrabInput input;
  input.hand = object.get("hand").integer(hand_range);
  input.body = object.get("body").text();
  input.point = object.get("point").vector();
  if (const auto vertex = object.find("vertex")) input.vertex = vertex->integer({.min = 0});
  object.finish();
  return input;
}

MoveInput read_move(const JsonField& field) {
  JsonObject object(field);
  MoveInput input{object.get("hand").integer(hand_range), object.get("target").vector()};
  object.finish();
  return input;
}

TurnInput read_turn(const JsonField& field) {
  JsonObject object(field);
  TurnInput input{object.get("hand").integer(hand_range), object.get("rotation").quaternion()};
  object.finish();
  return input;
}

ReleaseInput read_release(const JsonField& field) {
  JsonObject object(field);
  const ReleaseInput input{object.get("hand").integer(hand_range)};
  object.finish();
  return input;
}

DriveInput read_drive(const JsonField& field) {
  JsonObject object(field);
  DriveInput input;
  input.body = object.get("body").text();
  input.position = object.get("position").vector();
  input.rotation = object.get("rotation").quaternion();
  input.velocity = object.get("velocity").vector();
  input.stiffness = object.get("stiffness").number(Sign::not_negative);
  input.angular_stiffness = object.get("angular_stiffness").number(Sign::not_negative);
  object.finish();
  return input;
}

/// The one input of an object whose other members have been read.
LiveInput read_input(JsonObject& object) {
  std::optional<LiveInput> input;
  const auto take = [&](const JsonField& field, LiveInput value) {
    if (input) field.fail(ErrorCode::bad_format, "a line has one input; this is the second");
    input = std::move(value);
  };
  if (const auto f = object.find("grab")) take(*f, read_grab(*f));
  if (const auto f = object.find("move")) take(*f, read_move(*f));
  if (const auto f = object.find("turn")) take(*f, read_turn(*f));
  if (const auto f = object.find("release")) take(*f, read_release(*f));
  if (const auto f = object.find("gravity")) take(*f, GravityInput{f->vector()});
  if (const auto f = object.find("stiffness")) take(*f, StiffnessInput{f->number(Sign::positive)});
  if (const auto f = object.find("reset")) {
    if (!f->flag()) f->expected("true");
    take(*f, ResetInput{});
  }
  if (const auto f = object.find("drive")) take(*f, read_drive(*f));
  object.finish();
  if (!input) object.missing({"grab", "move", "turn", "release", "gravity", "stiffness", "reset", "drive"});
  return *input;
}

std::uint64_t read_step(const JsonField& field) {
  const double value = field.number(Sign::not_negative);
  if (value != std::floor(value) || value > largest_step) field.expected("a whole number of steps");
  return static_cast<std::uint64_t>(value);
}

/// A hash as hash_text() writes it.
std::string read_hash(const JsonField& field) {
  const std::string& text = field.text();
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    field.expected("16 digits of a hash in hexadecimal");
  return text;
}

/// Reads the lines of a record one after the other.
class RecordReader {
 public:
  explicit RecordReader(std::string file) : file_(std::move(file)) {}

  void line(std::string_view text) {
    ++number_;
    const std::string where = fmt::format("{}:{}", file_, number_);
    require(!record_.closed, ErrorCode::bad_format, "{}: a line after the end of the record", where);
    const JsonValue value = parse_json(text, where);
    const JsonField root(value, where);
    JsonObject object(root);
    if (number_ == 1) return header(object);
    if (const auto end = object.find("end")) return close(object, *end);
    TimedInput timed;
    timed.step = read_step(object.get("step"));
    timed.input = read_input(object);
    require(timed.step >= record_.steps, ErrorCode::bad_format, "{}: step {} comes after step {}", where, timed.step,
            record_.steps);
    record_.steps = timed.step;
    record_.inputs.push_back(std::move(timed));
  }

  InputRecord finish() {
    require(number_ > 0, ErrorCode::bad_format, "{}: it is empty; expected a record of input", file_);
    return std::move(record_);
  }

 private:
  void header(JsonObject& object) {
    const int version = object.get("carom_input").integer();
    require(version == record_version, ErrorCode::unsupported, "{}: version {} of a record of input; expected {}",
            file_, version, record_version);
    record_.carom_version = object.get("carom").text();
    record_.scene = object.get("scene").text();
    record_.scene_hash = read_hash(object.get("scene_hash"));
    object.finish();
  }

  void close(JsonObject& object, const JsonField& end) {
    JsonObject members(end);
    const std::uint64_t steps = read_step(members.get("steps"));
    record_.state_hash = read_hash(members.get("state_hash"));
    members.finish();
    object.finish();
    require(steps >= record_.steps, ErrorCode::bad_format, "{}:{}: the record ends at step {}, before its last input",
            file_, number_, steps);
    record_.steps = steps;
    record_.closed = true;
  }

  std::string file_;
  std::size_t number_ = 0;
  InputRecord record_;
};

}  // namespace

std::string to_json(const LiveInput& input) {
  std::string json = std::visit(Printer{}, input);
  json.insert(json.begin(), '{');
  json.push_back('}');
  return json;
}

LiveInput parse_input(std::string_view json, const std::string& where) {
  const JsonValue value = parse_json(json, where);
  const JsonField root(value, where);
  JsonObject object(root);
  return read_input(object);
}

std::string hash_text(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

std::string hash_of(const Scene& scene) {
  // FNV-1a; threads, the method of detection and the number of steps change nothing of what a step does.
  Scene same = scene;
  same.steps = 0;
  same.world.threads = 0;
  same.world.method = WorldOptions{}.method;
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : to_json(same)) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3ULL;
  return hash_text(hash);
}

InputRecord read_input_record(const std::filesystem::path& path) {
  const io::FileBytes file(path);
  const std::vector<std::uint8_t> bytes = file.read(0, file.size());
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  RecordReader reader(path.string());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;  // a line that was not finished: the run died there
    reader.line(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return reader.finish();
}

struct InputWriter::Impl {
  std::optional<io::FileWriter> file;
  std::string text;
  bool closed = false;

  void line(const std::string& content) {
    const std::string whole = content + "\n";
    if (file) file->append({reinterpret_cast<const std::uint8_t*>(whole.data()), whole.size()});
    text += whole;
  }
};

InputWriter::InputWriter(const std::filesystem::path& path, const Scene& scene) : impl_(std::make_unique<Impl>()) {
  if (!path.empty()) impl_->file.emplace(path);
  impl_->line(fmt::format("{{\"carom_input\":{},\"carom\":{},\"scene\":{},\"scene_hash\":\"{}\"}}", record_version,
                          quote_json(version()), quote_json(scene.name), hash_of(scene)));
}
InputWriter::~InputWriter() = default;
InputWriter::InputWriter(InputWriter&&) noexcept = default;
InputWriter& InputWriter::operator=(InputWriter&&) noexcept = default;

void InputWriter::write(const TimedInput& input) {
  require(!impl_->closed, ErrorCode::invalid_argument, "record of input: a line was written after close()");
  impl_->line(fmt::format("{{\"step\":{},{}}}", input.step, std::visit(Printer{}, input.input)));
}

void InputWriter::close(std::uint64_t steps, std::uint64_t state_hash) {
  if (impl_->closed) return;
  impl_->line(fmt::format("{{\"end\":{{\"steps\":{},\"state_hash\":\"{}\"}}}}", steps, hash_text(state_hash)));
  impl_->closed = true;
  if (impl_->file) impl_->file->close();
}

const std::string& InputWriter::text() const {
  return impl_->text;
}

}  // namespace carom
