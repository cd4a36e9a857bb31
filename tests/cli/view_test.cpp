#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "command.hpp"

#ifdef CAROM_HAS_VIEWER
namespace carom::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A server for a short recording, as a user starts it.
class CliView : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(call({"run", "knot", "--steps", "3", "-o", recording_, "--html", page_}).exit_code, 0);
    view_ = std::make_unique<Running>(std::vector<std::string>{"view", recording_});
    const std::string line = view_->read_line();
    const std::string address = "http://127.0.0.1:";
    ASSERT_TRUE(contains(line, address));
    port_ = std::stoi(line.substr(line.find(address) + address.size()));
  }

  Folder folder_;
  std::string recording_ = folder_ / "k.carom";
  std::string page_ = folder_ / "k.html";
  std::unique_ptr<Running> view_;
  int port_ = 0;
};

TEST_F(CliView, ServesThePageAndTheRecordingUntilInterrupted) {
  EXPECT_TRUE(contains(read_text(page_), "<script id=\"carom-recording\" type=\"text/plain\">Q0FST01SRUM"));
  EXPECT_TRUE(contains(http_get(port_, "/"), "<!--CAROM_RECORDING-->"));
  const std::string answer = http_get(port_, "/recording");
  EXPECT_EQ(answer.substr(answer.find("\r\n\r\n") + 4), read_text(recording_));
  EXPECT_TRUE(contains(http_get(port_, "/etc/passwd"), "404"));
  view_->send(SIGINT);
  EXPECT_EQ(view_->wait(), 0);
}

TEST_F(CliView, AnswersOnlyRequestsThatNameThisMachine) {
  const std::string port = std::to_string(port_);
  for (const std::string& host : {"localhost:" + port, "127.0.0.1:" + port, "[::1]:" + port, "LocalHost:" + port})
    EXPECT_TRUE(contains(http_get(port_, "/recording", host), "HTTP/1.1 200")) << host;
  for (const std::string& host : {std::string("evil.example.com"), "evil.example.com:" + port,
                                  "localhost.evil.example.com:" + port, std::string("localhost:1"), std::string()}) {
    const std::string answer = http_get(port_, "/recording", host);
    EXPECT_TRUE(contains(answer, "HTTP/1.1 421")) << host;
    EXPECT_TRUE(contains(answer, "http://127.0.0.1:" + port + "/")) << "what to open instead";
    EXPECT_EQ(answer.find("CAROMREC"), std::string::npos) << host;
  }
}

TEST_F(CliView, TellsTheBrowserWhatThePageMayDo) {
  for (const char* path : {"/", "/recording", "/none"}) {
    const std::string answer = http_get(port_, path);
    const std::string headers = answer.substr(0, answer.find("\r\n\r\n"));
    EXPECT_TRUE(contains(headers, "Content-Security-Policy: default-src 'none'; ")) << path;
    EXPECT_TRUE(contains(headers, "X-Content-Type-Options: nosniff")) << path;
    EXPECT_TRUE(contains(headers, "Referrer-Policy: no-referrer")) << path;
  }
  EXPECT_TRUE(
      contains(read_text(page_), "<head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'"));
}

/// Half of them say nothing, half begin a request and do not end it.
TEST_F(CliView, ConnectionsThatSayNothingDoNotStarveOthers) {
  std::vector<int> connections;
  for (int i = 0; i < 200; ++i) {
    connections.push_back(connect_to(port_));
    const std::string begun = "GET / HTTP/1.1\r\nHost: local";
    if (i % 2 == 1) (void)!write(connections.back(), begun.data(), begun.size());
  }
  auto start = Clock::now();
  EXPECT_TRUE(contains(http_get(port_, "/recording"), "HTTP/1.1 200"));
  EXPECT_LT(seconds_since(start), 1);
  start = Clock::now();
  view_->send(SIGINT);
  EXPECT_EQ(view_->wait(), 0);
  EXPECT_LT(seconds_since(start), 1);
  for (const int connection : connections) close(connection);
}

}  // namespace
}  // namespace carom::cli
#endif
