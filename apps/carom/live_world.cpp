#include "live_world.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "carom/live/session.hpp"
#include "core/check.hpp"
#include "cut_strokes.hpp"
#include "live_pictures.hpp"
#include "recorders.hpp"
#include "report.hpp"

namespace carom::app {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using std::chrono::milliseconds;
using Json = nlohmann::ordered_json;

/// Late by more than this, a world gives up catching up: it would run ahead of the hand for as long.
constexpr double max_backlog = 0.25;  // s
constexpr std::size_t max_inputs_in_message = 64;
constexpr std::size_t max_waiting_messages = 256;
constexpr milliseconds longest_wait(500);
constexpr milliseconds paused_interval(20);

/// Message of a page, and the answer that it waits for.
struct Message {
  std::vector<LiveInput> inputs;
  std::vector<std::size_t> numbers;  ///< of the inputs in the message
  std::optional<bool> pause;
  int steps = 0;  ///< to take although it is paused
  Json ignored = Json::array();
  std::promise<Json> answer;
};

/// Says in plain words where a message is no JSON.
Json parse_message(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    if (error.byte > text.size()) fail(ErrorCode::bad_format, "the message ends too early; expected a JSON object");
    fail(ErrorCode::bad_format, "the message is no JSON from its byte {} on; expected a JSON object", error.byte);
  } catch (const Json::exception&) {
    fail(ErrorCode::bad_format, "a number of the message is too large");
  }
}

Json point_json(const Eigen::Vector3d& p) {
  return {p.x(), p.y(), p.z()};
}

Scene scene_of(const LiveOptions& options) {
  Scene scene = find_scene(options.scene);
  if (options.threads) scene.world.threads = *options.threads;
  return scene;
}

/// Record that acts before hands do, or none. Throws Error that names the file.
std::optional<InputRecord> replay_of(const LiveOptions& options, const Scene& scene) {
  if (options.replay.empty()) return {};
  InputRecord record = read_input_record(options.replay);
  const std::string own = hash_of(scene);
  require(own == record.scene_hash, ErrorCode::invalid_argument,
          "--replay {}: the record is of the scene '{}' with the hash {}; this is '{}' with the hash {}",
          options.replay, record.scene, record.scene_hash, scene.name, own);
  return record;
}

/// Steps and their lateness, over the last second or so.
class Pace {
 public:
  void step(Clock::time_point begin, Clock::time_point end) {
    const double ms = 1e3 * Seconds(end - begin).count();
    ms_ = steps_ == 0 ? ms : ms_ + 0.05 * (ms - ms_);
    ++steps_;
    ends_.push_back(end);
    while (ends_.size() > 2 && Seconds(end - ends_.front()).count() > 1) ends_.pop_front();
  }
  void late(double seconds, bool missed) {
    late_ms_ = 1e3 * std::max(0.0, seconds);
    if (missed) ++missed_;
  }
  void pause() { ends_.clear(); }
  double ms() const { return ms_; }
  double late_ms() const { return late_ms_; }
  std::uint64_t missed() const { return missed_; }
  double rate() const {
    if (ends_.size() < 2) return 0;
    return static_cast<double>(ends_.size() - 1) / Seconds(ends_.back() - ends_.front()).count();
  }

 private:
  double ms_ = 0;
  double late_ms_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t missed_ = 0;
  std::deque<Clock::time_point> ends_;
};

}  // namespace

class LiveWorld::Impl {
 public:
  explicit Impl(const LiveOptions& options)
      : session_(scene_of(options)),
        replay_(replay_of(options, session_.scene())),
        writer_(options.output, session_.scene()),
        output_(options.output),
        rate_(options.rate.value_or(1 / session_.scene().world.dt)),
        steps_(options.steps),
        paused_(options.paused),
        collector_(std::make_unique<Recorders>(session_.scene(), session_.world())) {}

  ~Impl() {
    end_ = true;
    if (thread_.joinable()) thread_.join();
  }

  void start() {
    thread_ = std::thread([this] { run(); });
  }

  bool wait_for_end(double seconds) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, Seconds(seconds), [&] { return ended_; });
  }

  std::shared_ptr<const std::string> picture(std::uint64_t key, std::uint64_t after) {
    std::shared_ptr<const LiveState> state;
    {
      std::unique_lock lock(mutex_);
      // A page that has none yet gets the world as it is, not as somebody saw it before.
      if (after == 0 && state_ && dirty_) after = state_->number;
      ++waiting_;
      changed_.wait_for(lock, longest_wait, [&] { return ended_ || (state_ && state_->number > after); });
      --waiting_;
      state = state_;
    }
    if (!state || state->number <= after) return nullptr;
    return pictures_.encode(state, key);
  }

  std::string message(std::string_view text) {
    Message message;
    try {
      read(text, message);
    } catch (const std::exception& error) {
      refused_ += 1;
      return Json{{"error", error.what()}}.dump(-1, ' ', false, Json::error_handler_t::replace);
    }
    std::future<Json> answer = message.answer.get_future();
    {
      const std::lock_guard lock(mutex_);
      if (inbox_.size() >= max_waiting_messages || ended_)
        return Json{{"error", ended_ ? "the run has ended" : "too many messages wait for the next step"}}.dump();
      inbox_.push_back(std::move(message));
    }
    arrived_.notify_one();
    if (answer.wait_for(std::chrono::seconds(2)) != std::future_status::ready)
      return Json{{"waiting", "the step under way takes long; the message acts after it"}}.dump();
    return answer.get().dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  std::string record() const {
    const std::lock_guard lock(record_mutex_);
    return writer_.text();
  }

  std::string stop(double seconds) {
    end_ = true;
    arrived_.notify_all();
    std::unique_lock lock(mutex_);
    const bool ended = changed_.wait_for(lock, Seconds(seconds), [&] { return ended_; });
    const std::string where = output_.empty() ? "" : fmt::format("; input recorded in {}", output_);
    if (!ended) return fmt::format("ended within a step{}{}", where, output_.empty() ? "" : ", without its end");
    return summary_ + where;
  }

  const std::string& scene_name() const { return session_.scene().name; }

 private:
  /// Throws what is wrong with the whole of a message; what is wrong with one input goes into `ignored`.
  void read(std::string_view text, Message& message) {
    const Json json = parse_message(text);
    require(json.is_object(), ErrorCode::bad_format, "expected an object");
    for (const auto& [name, value] : json.items()) {
      if (name == "inputs") {
        require(value.is_array() && value.size() <= max_inputs_in_message, ErrorCode::bad_format,
                "inputs: expected a list of at most {}", max_inputs_in_message);
        for (std::size_t i = 0; i < value.size(); ++i) {
          try {
            message.inputs.push_back(parse_input(value[i].dump(), fmt::format("inputs[{}]", i)));
            message.numbers.push_back(i);
          } catch (const Error& error) {
            ignore(message, i, error.what());
          }
        }
      } else if (name == "pause") {
        require(value.is_boolean(), ErrorCode::bad_format, "pause: expected true or false");
        message.pause = value.get<bool>();
      } else if (name == "steps") {
        require(value.is_number_integer() && value.get<long>() >= 0 && value.get<long>() <= 1000, ErrorCode::bad_format,
                "steps: expected a whole number from 0 to 1000");
        message.steps = value.get<int>();
      } else {
        fail(ErrorCode::bad_format, "{}: not known; expected inputs, pause or steps", name);
      }
    }
  }

  void ignore(Message& message, std::size_t number, const std::string& why) {
    ++refused_;
    message.ignored.push_back({{"input", number}, {"why", why}});
  }

  void run() {
    const auto period = std::chrono::duration_cast<Clock::duration>(Seconds(1 / rate_));
    Clock::time_point next = Clock::now();
    while (!end_) {
      replay();
      take_messages();
      if (steps_ && session_.steps() >= static_cast<std::uint64_t>(*steps_)) break;
      const bool single = extra_steps_ > 0;
      if ((paused_ || !failure_.empty()) && !(single && failure_.empty())) {
        publish();
        pace_.pause();
        std::unique_lock lock(mutex_);
        arrived_.wait_for(lock, paused_interval, [&] { return !inbox_.empty() || end_; });
        next = Clock::now();
        continue;
      }
      if (single) --extra_steps_;
      step();
      publish();
      next += period;
      const double late = Seconds(Clock::now() - next).count();
      pace_.late(late, late > 0);
      if (late > max_backlog || single) next = Clock::now();
      wait_until(next);
    }
    finish();
  }

  /// Messages that come meanwhile do not shorten the wait: they act with the next step.
  void wait_until(Clock::time_point time) {
    std::unique_lock lock(mutex_);
    arrived_.wait_until(lock, time, [&] { return end_.load(); });
  }

  void step() {
    const auto begin = Clock::now();
    try {
      session_.step();
      collector_->keep_cuts();
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
    pace_.step(begin, Clock::now());
    dirty_ = true;
  }

  bool is_replaying() const { return replay_ && session_.steps() < replay_->steps; }

  /// Inputs of the record that act now; and whether its end is the one that was recorded.
  void replay() {
    if (!replay_) return;
    for (; next_replayed_ < replay_->inputs.size(); ++next_replayed_) {
      const TimedInput& timed = replay_->inputs[next_replayed_];
      if (timed.step > session_.steps()) break;
      try {
        apply(timed.input);
      } catch (const Error& error) {
        failure_ = fmt::format("input of the record at step {}: {}", timed.step, error.what());
      }
    }
    if (is_replaying() || !replay_->closed || !replay_end_.empty()) return;
    const bool same = hash_text(session_.world().state_hash()) == replay_->state_hash;
    replay_end_ =
        fmt::format("; the state after {} steps is {}that of the record", session_.steps(), same ? "" : "not ");
  }

  void take_messages() {
    std::vector<Message> messages;
    {
      const std::lock_guard lock(mutex_);
      messages.swap(inbox_);
    }
    for (Message& message : messages) {
      std::size_t accepted = 0;
      for (std::size_t i = 0; i < message.inputs.size(); ++i) {
        try {
          require(!is_replaying(), ErrorCode::invalid_argument, "a record is replayed until step {}", replay_->steps);
          apply(message.inputs[i]);
          ++accepted;
        } catch (const Error& error) {
          ignore(message, message.numbers[i], error.what());
        }
      }
      if (message.pause) paused_ = *message.pause;
      if (paused_) extra_steps_ += message.steps;
      dirty_ = true;
      message.answer.set_value(
          {{"step", session_.steps()}, {"accepted", accepted}, {"ignored", std::move(message.ignored)}});
    }
  }

  void apply(const LiveInput& input) {
    const bool reset = std::holds_alternative<ResetInput>(input);
    require(failure_.empty() || reset, ErrorCode::invalid_argument, "the world cannot go on, only begin again: {}",
            failure_);
    session_.apply(input);
    {
      const std::lock_guard lock(record_mutex_);
      writer_.write({session_.steps(), input});
    }
    ++inputs_;
    if (!reset) return;
    failure_.clear();
    collector_ = std::make_unique<Recorders>(session_.scene(), session_.world());
    cuts_ = CutStrokes();
  }

  /// Copies the world for those who wait; nobody else pays for it.
  void publish() {
    {
      const std::lock_guard lock(mutex_);
      if (waiting_ == 0 || (state_ && !dirty_)) return;
    }
    auto state = std::make_shared<LiveState>();
    collector_->collect();
    cuts_.add(collector_->take_cuts(), session_.world().options().dt);
    state->copy(collector_->bodies(), collector_->contacts());
    state->cuts.assign(cuts_.strokes().begin(), cuts_.strokes().end());
    state->cut_revision = cuts_.added();
    state->number = ++published_;
    state->resets = session_.resets();
    state->time = session_.world().time();
    state->status = status();
    dirty_ = false;
    {
      const std::lock_guard lock(mutex_);
      state_ = std::move(state);
    }
    changed_.notify_all();
  }

  std::string status() const {
    const Scene& scene = session_.scene();
    const WorldOptions& options = session_.world().options();
    Json json = {{"scene", scene.name},
                 {"description", scene.description},
                 {"dt", options.dt},
                 {"rate", rate_},
                 {"step", session_.steps()},
                 {"resets", session_.resets()},
                 {"time", session_.world().time()},
                 {"paused", paused_},
                 {"ms", pace_.ms()},
                 {"steps_per_second", pace_.rate()},
                 {"late_ms", pace_.late_ms()},
                 {"missed", pace_.missed()},
                 {"gravity", point_json(options.gravity)},
                 {"scene_gravity", point_json(scene.world.gravity)},
                 {"stiffness", session_.stiffness()},
                 {"wind", point_json(wind_of(scene))},
                 {"inputs", inputs_},
                 {"refused", refused_.load()},
                 {"failure", failure_}};
    if (replay_) json["replayed_steps"] = replay_->steps;
    Json hands = Json::array();
    for (const LiveHand& hand : session_.hands())
      hands.push_back({{"hand", hand.hand},
                       {"body", hand.body},
                       {"point", point_json(hand.point)},
                       {"target", point_json(hand.target)},
                       {"force", hand.force}});
    json["hands"] = std::move(hands);
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.substr(1, text.size() - 2);
  }

  void finish() {
    std::string failure;
    try {
      const std::lock_guard lock(record_mutex_);
      writer_.close(session_.steps(), session_.world().state_hash());
    } catch (const Error& error) {
      failure = fmt::format("; {}", error.what());
    }
    const std::lock_guard lock(mutex_);
    summary_ = fmt::format("{} of {}, {}, {:.3g} ms a step, {} late{}{}", counted(session_.steps(), "step"),
                           session_.scene().name, counted(inputs_, "input"), pace_.ms(),
                           counted(pace_.missed(), "step"), replay_end_, failure);
    for (Message& message : inbox_) message.answer.set_value({{"error", "the run has ended"}});
    inbox_.clear();
    ended_ = true;
    changed_.notify_all();
  }

  // Of the world's thread.
  LiveSession session_;
  std::optional<InputRecord> replay_;
  std::size_t next_replayed_ = 0;
  std::string replay_end_;  ///< what is told of the end of the record
  InputWriter writer_;
  mutable std::mutex record_mutex_;  ///< guards writer_
  std::string output_;
  double rate_;
  std::optional<int> steps_;
  bool paused_;
  int extra_steps_ = 0;
  std::string failure_;
  std::unique_ptr<Recorders> collector_;
  CutStrokes cuts_;
  Pace pace_;
  std::uint64_t inputs_ = 0;
  std::uint64_t published_ = 0;
  std::thread thread_;

  // Shared.
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<bool> end_{false};
  std::atomic<bool> dirty_{true};  ///< something has changed since the last copy
  std::mutex mutex_;               ///< guards what follows
  std::condition_variable changed_;
  std::condition_variable arrived_;
  std::vector<Message> inbox_;
  std::shared_ptr<const LiveState> state_;
  int waiting_ = 0;
  bool ended_ = false;
  std::string summary_;
  LivePictures pictures_;
};

LiveWorld::LiveWorld(const LiveOptions& options) : impl_(std::make_unique<Impl>(options)) {}
LiveWorld::~LiveWorld() = default;

const std::string& LiveWorld::scene_name() const {
  return impl_->scene_name();
}
void LiveWorld::start() {
  impl_->start();
}
bool LiveWorld::wait_for_end(double seconds) {
  return impl_->wait_for_end(seconds);
}
std::shared_ptr<const std::string> LiveWorld::picture(std::uint64_t key, std::uint64_t after) {
  return impl_->picture(key, after);
}
std::string LiveWorld::message(std::string_view json) {
  return impl_->message(json);
}
std::string LiveWorld::record() const {
  return impl_->record();
}
std::string LiveWorld::stop(double seconds) {
  return impl_->stop(seconds);
}

}  // namespace carom::app
