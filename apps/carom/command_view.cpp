#include <httplib.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "carom/error.hpp"
#include "carom/viewer.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "say.hpp"
#include "view_input.hpp"

// httplib brings in <resolv.h>, whose macro _res breaks Eigen: nothing here may include Eigen.
namespace carom::app {

int view(const ViewOptions& options) {
  if (options.port < 0 || options.port > 65535) {
    throw Error(ErrorCode::invalid_argument, fmt::format("--port is {}; expected 0 to 65535", options.port));
  }
  const std::vector<std::uint8_t> recording = recording_to_view(options.file);
  const std::string_view page = viewer_page();

  httplib::Server server;
  server.Get("/", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(page.data(), page.size(), "text/html; charset=utf-8");
  });
  server.Get("/recording", [&](const httplib::Request&, httplib::Response& response) {
    response.set_header("Cache-Control", "no-store");
    response.set_content_provider(recording.size(), "application/octet-stream",
                                  [&](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                    return sink.write(reinterpret_cast<const char*>(recording.data()) + offset, length);
                                  });
  });

  // Loopback only: a recording is nobody else's business.
  const char* host = "127.0.0.1";
  const int port = options.port == 0 ? server.bind_to_any_port(host) : options.port;
  if (!(options.port == 0 ? port > 0 : server.bind_to_port(host, port))) {
    throw Error(ErrorCode::io,
                fmt::format("cannot listen on port {} of {}; is another program using it?", options.port, host));
  }
  catch_interrupts();
  std::atomic<bool> stopped{false};
  std::thread watch([&] {
    while (!interrupted_by_user() && !stopped) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    // stop() does nothing until the server listens, and an interrupt may come before that.
    while (!stopped && !server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    server.stop();
  });
  say(stdout, "{} is at http://{}:{}/ (Ctrl-C ends)\n", options.file, host, port);
  std::fflush(stdout);
  const bool served = server.listen_after_bind();
  stopped = true;
  watch.join();
  if (!served && !interrupted_by_user()) throw Error(ErrorCode::io, fmt::format("the server on port {} failed", port));
  return done;
}

}  // namespace carom::app
