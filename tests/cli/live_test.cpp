#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "command.hpp"

#ifdef CAROM_HAS_VIEWER
namespace carom::cli {
namespace {

/// The answer to a request that is given whole, headers and body.
std::string ask(int port, const std::string& request) {
  const int socket = connect_to(port);
  for (std::size_t sent = 0; sent < request.size();) {
    const ssize_t n = send(socket, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) break;
    sent += static_cast<std::size_t>(n);
  }
  std::string answer(1 << 20, '\0');
  std::size_t size = 0;
  for (ssize_t n = 1; n > 0;) {
    if (size == answer.size()) answer.resize(2 * size);
    n = recv(socket, answer.data() + size, answer.size() - size, 0);
    if (n > 0) size += static_cast<std::size_t>(n);
  }
  close(socket);
  answer.resize(size);
  return answer;
}

std::string post(int port, const std::string& body, const std::string& headers = "Content-Type: application/json\r\n") {
  return ask(port, "POST /live/message HTTP/1.1\r\nHost: localhost:" + std::to_string(port) +
                       "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers +
                       "\r\n" + body);
}

std::string body_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "" : answer.substr(end + 4);
}

/// The three parts of a picture.
std::vector<std::string> parts_of(const std::string& picture) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at + 4 <= picture.size();) {
    std::size_t size = 0;
    for (std::size_t k = 0; k < 4; ++k)
      size |= static_cast<std::size_t>(static_cast<unsigned char>(picture[at + k])) << (8 * k);
    parts.push_back(picture.substr(at + 4, size));
    at += 4 + size;
  }
  return parts;
}

/// `carom live`, as a user starts it.
class CliLive : public testing::Test {
 protected:
  void start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "live");
    live_ = std::make_unique<Running>(arguments, folder_ / "err");
    const std::string line = live_->read_line();
    const std::string address = "http://127.0.0.1:";
    ASSERT_TRUE(contains(line, address));
    port_ = std::stoi(line.substr(line.find(address) + address.size()));
  }
  nlohmann::json tell(const nlohmann::json& message) {
    return nlohmann::json::parse(body_of(post(port_, message.dump())));
  }
  std::vector<std::string> picture(std::uint64_t key = 0, std::uint64_t after = 0) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      const std::string answer =
          body_of(http_get(port_, "/live/picture?key=" + std::to_string(key) + "&after=" + std::to_string(after)));
      if (!answer.empty()) return parts_of(answer);
    }
    return {};
  }
  nlohmann::json status() {
    const auto parts = picture();
    return parts.size() == 4 ? nlohmann::json::parse(parts[0]) : nlohmann::json();
  }

  Folder folder_;
  std::string record_ = folder_ / "hand.input";
  std::unique_ptr<Running> live_;
  int port_ = 0;
};

TEST_F(CliLive, WhatWasDoneReplaysBitForBit) {
  start({"tool-probe", "-o", record_, "--rate", "200"});
  EXPECT_TRUE(contains(http_get(port_, "/"), "<script id=\"carom-live\""));
  const nlohmann::json grab =
      tell({{"inputs", {{{"grab", {{"hand", 0}, {"body", "probe"}, {"point", {0, 0.1, 0}}}}}}}});
  EXPECT_EQ(grab["accepted"], 1) << grab;
  for (int i = 0; i < 10; ++i) {
    const double x = 0.01 * i;
    const nlohmann::json moved = tell({{"inputs", {{{"move", {{"hand", 0}, {"target", {x, 0.05, x / 3}}}}}}}});
    EXPECT_EQ(moved["accepted"], 1) << moved;
  }
  EXPECT_EQ(tell({{"inputs", {{{"stiffness", 0.5}}, {{"gravity", {0, -3, 0}}}}}})["accepted"], 2);
  const nlohmann::json seen = status();
  ASSERT_FALSE(seen.is_null());
  EXPECT_EQ(seen["hands"].size(), 1U);
  EXPECT_EQ(seen["hands"][0]["body"], "probe");
  EXPECT_EQ(seen["inputs"], 13);
  EXPECT_EQ(seen["stiffness"], 0.5);
  EXPECT_GT(seen["ms"].get<double>(), 0);
  const auto begin = std::chrono::steady_clock::now();
  live_->send(SIGINT);
  EXPECT_EQ(live_->wait(), 0);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 2);
  EXPECT_TRUE(contains(read_text(folder_ / "err"), "13 inputs"));

  const Result run = call({"run", "tool-probe", "--input", record_, "--json", folder_ / "run.json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "is that of the record"));
  std::string text = read_text(record_);
  const std::size_t changed = text.find("0.05,");
  ASSERT_NE(changed, std::string::npos);
  write_text(record_, text.replace(changed, 4, "0.06"));
  const Result other = call({"run", "tool-probe", "--input", record_});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_TRUE(contains(other.err, "is not that of the record"));
  const Result wrong = call({"run", "flag", "--input", record_});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(contains(wrong.err, "the record is of the scene 'tool-probe'"));
}

TEST_F(CliLive, ShowsARecordAgain) {
  start({"tool-probe", "-o", record_, "--rate", "200", "--steps", "40", "--paused"});
  EXPECT_EQ(tell({{"inputs", {{{"gravity", {0, -3, 0}}}}}})["accepted"], 1);
  tell({{"pause", false}});
  EXPECT_EQ(live_->wait(), 0);
  start({"tool-probe", "--replay", record_, "--rate", "200", "--steps", "45", "--paused"});
  EXPECT_TRUE(contains(tell({{"inputs", {{{"gravity", {0, -1, 0}}}}}}).dump(), "a record is replayed until step 40"));
  tell({{"pause", false}});
  const std::string line = live_->read_line();
  EXPECT_TRUE(contains(line, "45 steps")) << line;
  EXPECT_TRUE(contains(line, "the state after 40 steps is that of the record")) << line;
  EXPECT_EQ(live_->wait(), 0);
  EXPECT_TRUE(
      contains(call({"live", "cut-cloth", "--replay", record_}).err, "the record is of the scene 'tool-probe'"));
}

TEST_F(CliLive, PausesStepsAndBeginsAgain) {
  start({"tool-probe", "--paused"});
  EXPECT_EQ(tell({{"steps", 3}})["step"], 0);
  nlohmann::json seen = status();
  for (int i = 0; i < 50 && seen["step"] != 3; ++i) {
    usleep(20000);
    tell({{"pause", true}});
    seen = status();
  }
  EXPECT_EQ(seen["step"], 3);
  EXPECT_EQ(seen["paused"], true);
  EXPECT_EQ(tell({{"inputs", {{{"reset", true}}}}})["accepted"], 1);
  seen = status();
  EXPECT_EQ(seen["resets"], 1);
  EXPECT_EQ(seen["time"], 0);
  EXPECT_TRUE(contains(http_get(port_, "/live/record"), "{\"step\":3,\"reset\":true}"));
}

TEST_F(CliLive, PicturesReferToTheirKeyFrame) {
  start({"tool-probe"});
  const auto first = picture();
  ASSERT_EQ(first.size(), 4U);
  const nlohmann::json seen = nlohmann::json::parse(first[0]);
  EXPECT_GT(first[1].size(), 20000U) << "triangles and positions";
  const auto next = picture(seen["key"], seen["number"]);
  ASSERT_EQ(next.size(), 4U);
  EXPECT_TRUE(next[1].empty()) << "the page has it";
  EXPECT_TRUE(next[2].empty()) << "no cuts";
  EXPECT_LT(next[3].size(), first[1].size());
  EXPECT_FALSE(next[3].empty());
  EXPECT_GT(nlohmann::json::parse(next[0])["number"], seen["number"]);
  EXPECT_EQ(nlohmann::json::parse(next[0])["key"], seen["key"]);
}

TEST_F(CliLive, BadMessagesAreNamedAndIgnored) {
  start({"tool-probe", "--paused"});
  const auto error_of = [&](const std::string& body) {
    return nlohmann::json::parse(body_of(post(port_, body)))["error"].get<std::string>();
  };
  EXPECT_EQ(error_of("{"), "the message ends too early; expected a JSON object");
  EXPECT_EQ(error_of(R"({"steps" 1})"), "the message is no JSON from its byte 10 on; expected a JSON object");
  EXPECT_EQ(error_of("{\"steps\": \xff}"), "the message is no JSON from its byte 11 on; expected a JSON object");
  EXPECT_EQ(error_of(R"({"steps": 1e999})"), "a number of the message is too large");
  EXPECT_TRUE(contains(body_of(post(port_, "[]")), "expected an object"));
  EXPECT_TRUE(contains(body_of(post(port_, R"({"jump": 1})")), "jump: not known"));
  EXPECT_TRUE(contains(body_of(post(port_, R"({"steps": -1})")), "steps: expected a whole number from 0 to 1000"));
  const nlohmann::json answer = tell({{"inputs",
                                       {{{"move", {{"hand", 0}, {"target", {0, 0, 0}}}}},
                                        {{"gravity", {0, "down", 0}}},
                                        {{"gravity", {0, -1, 0}}},
                                        {{"grab", {{"hand", 0}, {"body", "nobody"}, {"point", {0, 0, 0}}}}}}}});
  EXPECT_EQ(answer["accepted"], 1);
  ASSERT_EQ(answer["ignored"].size(), 3U) << answer;
  EXPECT_TRUE(contains(answer.dump(), "hand 0 holds nothing to move"));
  EXPECT_TRUE(contains(answer.dump(), "inputs[1]: gravity[1]"));
  EXPECT_TRUE(contains(answer.dump(), "no body is called 'nobody'"));
  nlohmann::json many = nlohmann::json::array();
  for (int i = 0; i < 65; ++i) many.push_back({{"reset", true}});
  EXPECT_TRUE(contains(tell({{"inputs", many}}).dump(), "at most 64"));
  EXPECT_TRUE(contains(post(port_, std::string(100'000, ' ')), "413"));
  EXPECT_EQ(tell({{"steps", 1}})["accepted"], 0) << "it is still there";
}

TEST_F(CliLive, TakesMessagesOfItsOwnPageOnly) {
  start({"tool-probe", "--paused"});
  const std::string json = "Content-Type: application/json\r\n";
  const std::string own = std::to_string(port_);
  EXPECT_TRUE(contains(post(port_, "{}", json + "Origin: http://127.0.0.1:" + own + "\r\n"), "HTTP/1.1 200"));
  EXPECT_TRUE(contains(post(port_, "{}", json + "Origin: http://localhost:" + own + "\r\n"), "HTTP/1.1 200"));
  for (const std::string& origin : {std::string("http://evil.example.com"), std::string("http://127.0.0.1:1"),
                                    "https://127.0.0.1:" + own, std::string("null")})
    EXPECT_TRUE(contains(post(port_, "{}", json + "Origin: " + origin + "\r\n"), "HTTP/1.1 403")) << origin;
  EXPECT_TRUE(contains(post(port_, "{}", "Content-Type: text/plain\r\n"), "HTTP/1.1 415"));
  EXPECT_TRUE(contains(http_get(port_, "/live/picture?key=0&after=0", "evil.example.com"), "HTTP/1.1 421"));
}

/// Pages that ask for pictures and do not read them: a world that waited for one would not come to its end.
TEST_F(CliLive, SlowPagesDoNotSlowTheWorld) {
  start({"tool-probe", "--rate", "1000", "--steps", "60", "-o", record_});
  std::vector<int> sockets;
  for (int i = 0; i < 8; ++i) {
    sockets.push_back(connect_to(port_));
    const int small = 2048;
    setsockopt(sockets.back(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    const std::string request = "GET /live/picture?key=0&after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    std::string many;
    for (int k = 0; k < 50; ++k) many += request;
    (void)!send(sockets.back(), many.data(), many.size(), MSG_NOSIGNAL);
  }
  EXPECT_EQ(live_->wait(), 0);
  for (const int socket : sockets) close(socket);
  EXPECT_TRUE(contains(read_text(record_), "{\"end\":{\"steps\":60,"));
  EXPECT_EQ(call({"run", "tool-probe", "--input", record_}).exit_code, 0);
}

TEST(CliLiveOptions, WhatIsWrongIsNamed) {
  EXPECT_TRUE(contains(call({"live", "tool-probe", "--rate", "0"}).err, "--rate is 0"));
  EXPECT_TRUE(contains(call({"live", "tool-probe", "--rate", "fast"}).err, "--rate is 'fast'"));
  EXPECT_TRUE(contains(call({"live", "no-such-scene"}).err, "no-such-scene"));
  EXPECT_TRUE(contains(call({"live", "tool-probe", "--port", "99999"}).err, "--port is 99999"));
  const Folder folder;
  write_text(folder / "notes.txt", "dear diary");
  EXPECT_TRUE(contains(call({"live", "tool-probe", "-o", folder / "notes.txt"}).err, "is not a record of input"));
  EXPECT_TRUE(contains(call({"live", "--help"}).out, "carom live tool-probe -o probe.input"));
  EXPECT_EQ(call({"run", "tool-probe", "--input", folder / "none.input"}).exit_code, 2);
}

}  // namespace
}  // namespace carom::cli
#endif
