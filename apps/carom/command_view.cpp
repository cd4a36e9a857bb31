#include "carom/io/viewer.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "local_server.hpp"
#include "progress.hpp"
#include "say.hpp"
#include "view_input.hpp"

namespace carom::app {

int view(const ViewOptions& options) {
  LocalServer server(options.port);
  const std::vector<std::uint8_t> recording = [&] {
    const Progress progress("reading " + options.file, 0);
    return recording_to_view(options.file, options.reading);
  }();
  const std::string_view page = viewer_page();

  server.http().Get("/", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(page.data(), page.size(), "text/html; charset=utf-8");
  });
  server.http().Get("/recording", [&](const httplib::Request&, httplib::Response& response) {
    response.set_header("Cache-Control", "no-store");
    response.set_content_provider(recording.size(), "application/octet-stream",
                                  [&](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                    return sink.write(reinterpret_cast<const char*>(recording.data()) + offset, length);
                                  });
  });

  // Ctrl-C is how the server is ended, and there is nothing to save.
  const OnInterrupt end([] { return done; }, OnInterrupt::Wait::no);
  say(stdout, "{} is at {} (Ctrl-C ends)\n", options.file, server.address());
  std::fflush(stdout);
  server.serve();
}

}  // namespace carom::app
