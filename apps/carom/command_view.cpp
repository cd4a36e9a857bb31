#include <httplib.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "carom/core/error.hpp"
#include "carom/io/viewer.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "say.hpp"
#include "view_input.hpp"

// httplib brings in <resolv.h>, whose macro _res breaks Eigen: nothing here may include Eigen.
namespace carom::app {

namespace {

/// Connections that are served at the same time. One that says nothing holds a thread until it times out.
constexpr std::size_t max_threads = 512;
/// Seconds a connection may say nothing: browsers on the same machine send a request at once.
constexpr int silence = 2;

/// Threads that are started when there is a connection for them, and end with the process.
class ConnectionThreads final : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> task) override {
    const std::lock_guard lock(shared_->mutex);
    shared_->tasks.push_back(std::move(task));
    if (shared_->tasks.size() > shared_->idle && shared_->threads < max_threads) {
      ++shared_->threads;
      std::thread(serve, shared_).detach();
    }
    shared_->ready.notify_one();
  }
  void shutdown() override {}  // the server ends with the process

 private:
  /// Outlives the queue, as threads wait on it.
  struct Shared {
    std::mutex mutex;
    std::condition_variable ready;
    std::deque<std::function<void()>> tasks;
    std::size_t idle = 0;
    std::size_t threads = 0;
  };

  static void serve(const std::shared_ptr<Shared>& shared) {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(shared->mutex);
        ++shared->idle;
        shared->ready.wait(lock, [&] { return !shared->tasks.empty(); });
        --shared->idle;
        task = std::move(shared->tasks.front());
        shared->tasks.pop_front();
      }
      task();
    }
  }

  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

/// Whether a request was meant for this machine: a page from elsewhere whose name was made to lead here names itself.
bool names_this_machine(const httplib::Request& request, int port) {
  if (request.get_header_value_count("Host") != 1) return false;
  std::string host = request.get_header_value("Host");
  const std::string suffix = fmt::format(":{}", port);
  if (host.ends_with(suffix)) host.resize(host.size() - suffix.size());
  std::transform(host.begin(), host.end(), host.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

void protect(httplib::Server& server, int port) {
  server.set_default_headers({{"Content-Security-Policy", std::string(viewer_policy()) + "; frame-ancestors 'none'"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Referrer-Policy", "no-referrer"},
                              {"Cross-Origin-Resource-Policy", "same-origin"}});
  server.set_pre_routing_handler([port](const httplib::Request& request, httplib::Response& response) {
    if (names_this_machine(request, port)) return httplib::Server::HandlerResponse::Unhandled;
    response.status = 421;
    response.set_content(
        fmt::format("This server answers at http://127.0.0.1:{0}/ and http://localhost:{0}/ only.\n", port),
        "text/plain; charset=utf-8");
    return httplib::Server::HandlerResponse::Handled;
  });
  server.set_read_timeout(silence, 0);
  server.set_keep_alive_timeout(silence);
  server.new_task_queue = [] { return new ConnectionThreads; };
}

}  // namespace

int view(const ViewOptions& options) {
  if (options.port < 0 || options.port > 65535) {
    throw Error(ErrorCode::invalid_argument, fmt::format("--port is {}; expected 0 to 65535", options.port));
  }
  const std::vector<std::uint8_t> recording = [&] {
    const Progress progress("reading " + options.file, 0);
    return recording_to_view(options.file, options.reading);
  }();
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

  int listener = -1;
  server.set_socket_options([&](int socket) {
    const int yes = 1;
    // Not SO_REUSEPORT, which httplib sets by default and which lets two servers share a port.
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    listener = socket;
  });
  // Loopback only: a recording is nobody else's business.
  const char* host = "127.0.0.1";
  const int port = options.port == 0 ? server.bind_to_any_port(host) : options.port;
  if (!(options.port == 0 ? port > 0 : server.bind_to_port(host, port))) {
    throw Error(ErrorCode::io,
                fmt::format("cannot listen on port {} of {}; is another program using it?", options.port, host));
  }
  // httplib queues five connections, and one that finds the queue full waits for a second.
  (void)listen(listener, max_threads);
  protect(server, port);
  // Ctrl-C is how the server is ended, and there is nothing to save.
  const OnInterrupt end([] { return done; }, OnInterrupt::Wait::no);
  say(stdout, "{} is at http://{}:{}/ (Ctrl-C ends)\n", options.file, host, port);
  std::fflush(stdout);
  server.listen_after_bind();
  throw Error(ErrorCode::io, fmt::format("the server on port {} failed", port));
}

}  // namespace carom::app
