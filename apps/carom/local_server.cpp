#include "local_server.hpp"

#include <fmt/format.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "carom/core/error.hpp"
#include "carom/io/viewer.hpp"

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

constexpr const char* loopback = "127.0.0.1";

}  // namespace

LocalServer::LocalServer(int port) {
  if (port < 0 || port > 65535) {
    throw Error(ErrorCode::invalid_argument, fmt::format("--port is {}; expected 0 to 65535", port));
  }
  int listener = -1;
  server_.set_socket_options([&](int socket) {
    const int yes = 1;
    // Not SO_REUSEPORT, which httplib sets by default and which lets two servers share a port.
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    // Connections inherit it: an answer of several writes must not wait until the first is acknowledged.
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    listener = socket;
  });
  // Loopback only: what is served is nobody else's business.
  port_ = port == 0 ? server_.bind_to_any_port(loopback) : port;
  if (!(port == 0 ? port_ > 0 : server_.bind_to_port(loopback, port))) {
    throw Error(ErrorCode::io,
                fmt::format("cannot listen on port {} of {}; is another program using it?", port, loopback));
  }
  // httplib queues five connections, and one that finds the queue full waits for a second.
  (void)listen(listener, max_threads);
  protect();
}

std::string LocalServer::address() const {
  return fmt::format("http://{}:{}/", loopback, port_);
}

bool LocalServer::is_own_origin(const httplib::Request& request) const {
  const std::size_t count = request.get_header_value_count("Origin");
  if (count == 0) return true;
  const std::string origin = request.get_header_value("Origin");
  return count == 1 &&
         (origin == fmt::format("http://127.0.0.1:{}", port_) || origin == fmt::format("http://localhost:{}", port_) ||
          origin == fmt::format("http://[::1]:{}", port_));
}

void LocalServer::protect() {
  server_.set_default_headers({{"Content-Security-Policy", std::string(viewer_policy()) + "; frame-ancestors 'none'"},
                               {"X-Content-Type-Options", "nosniff"},
                               {"Referrer-Policy", "no-referrer"},
                               {"Cross-Origin-Resource-Policy", "same-origin"}});
  server_.set_pre_routing_handler([port = port_](const httplib::Request& request, httplib::Response& response) {
    if (names_this_machine(request, port)) return httplib::Server::HandlerResponse::Unhandled;
    response.status = 421;
    response.set_content(
        fmt::format("This server answers at http://127.0.0.1:{0}/ and http://localhost:{0}/ only.\n", port),
        "text/plain; charset=utf-8");
    return httplib::Server::HandlerResponse::Handled;
  });
  server_.set_read_timeout(silence, 0);
  server_.set_keep_alive_timeout(silence);
  server_.new_task_queue = [] { return new ConnectionThreads; };
}

void LocalServer::serve() {
  server_.listen_after_bind();
  throw Error(ErrorCode::io, fmt::format("the server on port {} failed", port_));
}

}  // namespace carom::app
