#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "carom/core/error.hpp"
#include "carom/io/viewer.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "live_world.hpp"
#include "local_server.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "say.hpp"

namespace carom::app {

namespace {

constexpr std::size_t max_message = 64 * 1024;  // bytes
constexpr double max_rate = 10'000;             // steps a second

/// The page, told that it is a live one.
std::string live_page() {
  constexpr std::string_view place = "<!--CAROM_RECORDING-->";
  std::string page(viewer_page());
  const std::size_t at = page.find(place);
  if (at == std::string::npos) throw Error(ErrorCode::unsupported, "the viewer in this build has no place for data");
  return page.replace(at, place.size(), R"(<script id="carom-live" type="text/plain"></script>)");
}

std::uint64_t number_in(const httplib::Request& request, const char* name) {
  const std::string text = request.get_param_value(name);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void check(const LiveOptions& options) {
  const double rate = options.rate.value_or(1);
  if (!(rate > 0 && rate <= max_rate))
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--rate is {}; expected a number of steps a second, more than 0 and at most {}", rate, max_rate));
  if (options.steps.value_or(0) < 0)
    throw Error(ErrorCode::invalid_argument, fmt::format("--steps is {}; expected 0 or more", *options.steps));
  if (options.output == "-")
    throw Error(ErrorCode::invalid_argument, "-o -: input is recorded in a file; expected a name such as hand.input");
  refuse_same_files({{"the scene", options.scene}, {"--replay", options.replay}, {"-o", options.output}});
  refuse_other_kind("-o", options.output, OutputKind::input);
}

void add_routes(LocalServer& server, LiveWorld& world, const std::string& page) {
  httplib::Server& http = server.http();
  http.set_payload_max_length(max_message);
  http.set_keep_alive_max_count(1'000'000);  // a page asks for a picture sixty times a second
  http.Get("/", [&page](const httplib::Request&, httplib::Response& response) {
    response.set_content(page.data(), page.size(), "text/html; charset=utf-8");
  });
  http.Get("/live/picture", [&world](const httplib::Request& request, httplib::Response& response) {
    response.set_header("Cache-Control", "no-store");
    const std::shared_ptr<const std::string> bytes =
        world.picture(number_in(request, "key"), number_in(request, "after"));
    if (!bytes) {
      response.status = 204;
      return;
    }
    response.set_content_provider(bytes->size(), "application/octet-stream",
                                  [bytes](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                    return sink.write(bytes->data() + offset, length);
                                  });
  });
  http.Post("/live/message", [&server, &world](const httplib::Request& request, httplib::Response& response) {
    response.set_header("Cache-Control", "no-store");
    // A page from elsewhere can send no JSON without asking first, and names itself.
    if (!server.is_own_origin(request)) {
      response.status = 403;
      response.set_content(R"({"error":"this server takes messages of its own page only"})", "application/json");
      return;
    }
    if (request.get_header_value("Content-Type").rfind("application/json", 0) != 0) {
      response.status = 415;
      response.set_content(R"({"error":"expected the Content-Type application/json"})", "application/json");
      return;
    }
    response.set_content(world.message(request.body), "application/json");
  });
  http.Get("/live/record", [&world](const httplib::Request&, httplib::Response& response) {
    response.set_header("Cache-Control", "no-store");
    response.set_header("Content-Disposition", "attachment; filename=\"hand.input\"");
    response.set_content(world.record(), "application/x-ndjson");
  });
}

}  // namespace

int live(const LiveOptions& options) {
  check(options);
  const std::string page = live_page();
  LiveWorld world(options);
  LocalServer server(options.port);
  add_routes(server, world, page);
  const OnInterrupt end(
      [&] {
        say(stderr, "carom: {}\n", world.stop(0.8));
        return done;
      },
      OnInterrupt::Wait::no);
  say(stdout, "{} is live at {} (Ctrl-C ends)\n", world.scene_name(), server.address());
  std::fflush(stdout);
  std::thread([&server] {
    try {
      server.serve();
    } catch (const Error& error) {
      say(stderr, "carom: {}\n", error.what());
      std::_Exit(bad_usage);
    }
  }).detach();
  world.start();
  while (!world.wait_for_end(3600)) {
  }
  // A signal ended the world: whoever watches for signals says so, and ends the process.
  while (interrupted_by_user()) std::this_thread::sleep_for(std::chrono::seconds(1));
  say(stdout, "{}\n", world.stop(0));
  std::fflush(stdout);
  if (stdout_error() != 0) return bad_usage;
  // Threads of the server hold on to what this function has: the process ends before that goes.
  std::_Exit(done);
}

}  // namespace carom::app
