#include "command.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "carom/io/replay.hpp"

namespace carom::cli {

namespace {

int start(const std::vector<std::string>& arguments, int out, int err) {
  std::vector<std::string> words{CAROM_BIN};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int pid = fork();
  if (pid == 0) {
    dup2(out, STDOUT_FILENO);
    if (err >= 0) dup2(err, STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  if (pid < 0) throw std::runtime_error("fork failed");
  return pid;
}

int exit_code(int pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace

Result call(const std::vector<std::string>& arguments) {
  const Folder folder;
  const std::string out = folder / "out";
  const std::string err = folder / "err";
  const int out_file = open(out.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  const int err_file = open(err.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  Result result;
  result.exit_code = exit_code(start(arguments, out_file, err_file));
  close(out_file);
  close(err_file);
  result.out = read_text(out);
  result.err = read_text(err);
  return result;
}

Result call_into_closed_pipe(const std::vector<std::string>& arguments) {
  const Folder folder;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  close(ends[0]);
  const int err_file = open((folder / "err").c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  Result result;
  result.exit_code = exit_code(start(arguments, ends[1], err_file));
  close(ends[1]);
  close(err_file);
  result.err = read_text(folder / "err");
  return result;
}

Running::Running(const std::vector<std::string>& arguments, const std::string& err) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
  const int errors = open(err.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  pid_ = start(arguments, ends[1], errors);
  close(ends[1]);
  close(errors);
  out_ = ends[0];
}

Running::~Running() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    exit_code(pid_);
  }
  close(out_);
}

std::string Running::read_line() {
  std::string line;
  char c = 0;
  while (read(out_, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

void Running::wait_for_watch() {
  const std::string key = "SigBlk:";  // mask of blocked signals, in hexadecimal; the program blocks those it waits for
  for (int i = 0; i < 3000; ++i) {
    const std::string status = read_text("/proc/" + std::to_string(pid_) + "/status");
    const std::size_t place = status.find(key);
    if (place == std::string::npos) return;  // it has ended
    if ((std::stoull(status.substr(place + key.size()), nullptr, 16) >> (SIGINT - 1) & 1) != 0) return;
    usleep(10'000);
  }
}

void Running::send(int signal) {
  kill(pid_, signal);
}

int Running::wait() {
  const int code = exit_code(pid_);
  pid_ = -1;
  return code;
}

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "carom-cli-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

int connect_to(int port) {
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return connection;
  close(connection);
  throw std::runtime_error("connect failed");
}

std::string http_get(int port, const std::string& path, const std::string& host) {
  const int connection = connect_to(port);
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
  (void)!write(connection, request.data(), request.size());
  std::string answer;
  char buffer[65536];
  for (ssize_t count = 0; (count = read(connection, buffer, sizeof buffer)) > 0;) {
    answer.append(buffer, static_cast<std::size_t>(count));
  }
  close(connection);
  return answer;
}

std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

void write_small_replay(const std::string& path) {
  const std::vector<Triangle> triangles{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}, {4, 6, 5},
                                        {4, 5, 7}, {5, 6, 7}, {4, 7, 6}, {8, 9, 10}};
  const std::vector<Index> objects{0, 0, 0, 0, 1, 1, 1, 1, 2};
  ReplayWriter writer(path, 11, triangles, objects);
  for (int frame = 0; frame < 6; ++frame) {
    std::vector<Eigen::Vector3d> p{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 4; ++i)
      p.push_back(p[static_cast<std::size_t>(i)] + Eigen::Vector3d(1.3 - 0.2 * frame, 0.1, 0.05));
    for (int i = 0; i < 3; ++i) p.push_back(p[static_cast<std::size_t>(i)] + Eigen::Vector3d(50, 0, 0));
    writer.write_frame(p);
  }
  writer.close();
}

testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" in:\n" << text;
}

}  // namespace carom::cli
