#pragma once

#include <httplib.h>

#include <string>

// httplib brings in <resolv.h>, whose macro _res breaks Eigen: a file with this header may not include Eigen.
namespace carom::app {

/// Server for browsers on this machine: it listens on loopback only, and answers requests that name this machine.
class LocalServer {
 public:
  /// Throws Error if the port is not one, or is taken; 0 is any that is free.
  explicit LocalServer(int port);

  httplib::Server& http() { return server_; }
  int port() const { return port_; }
  std::string address() const;
  /// Whether a request comes from a page of this server, or from a program that is no browser: a page from elsewhere
  /// names itself in the header Origin.
  bool is_own_origin(const httplib::Request& request) const;
  /// Serves until the process ends; throws Error if it cannot go on.
  [[noreturn]] void serve();

 private:
  void protect();

  httplib::Server server_;
  int port_ = 0;
};

}  // namespace carom::app
