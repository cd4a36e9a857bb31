#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>

#include "bench/table.hpp"
#include "carom/detect/continuous.hpp"
#include "commands.hpp"
#include "core/check.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "query_file.hpp"
#include "report.hpp"
#include "say.hpp"

namespace carom::app {

namespace {

struct Tally {
  std::string name;
  std::size_t queries = 0;
  std::size_t positives = 0;
  std::size_t false_negatives = 0;
  std::size_t false_positives = 0;
  std::vector<double> microseconds;

  void add(const Tally& other) {
    queries += other.queries;
    positives += other.positives;
    false_negatives += other.false_negatives;
    false_positives += other.false_positives;
    microseconds.insert(microseconds.end(), other.microseconds.begin(), other.microseconds.end());
  }
  double mean() const {
    return queries == 0 ? 0
                        : std::accumulate(microseconds.begin(), microseconds.end(), 0.0) / static_cast<double>(queries);
  }
  double median() const {
    if (microseconds.empty()) return 0;
    std::vector<double> sorted = microseconds;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }
  double worst() const {
    return microseconds.empty() ? 0 : *std::max_element(microseconds.begin(), microseconds.end());
  }
};

nlohmann::ordered_json to_json(const Tally& tally) {
  return {{"queries", tally.queries},
          {"positives", tally.positives},
          {"false_negatives", tally.false_negatives},
          {"false_positives", tally.false_positives},
          {"mean_us", tally.mean()},
          {"median_us", tally.median()},
          {"worst_us", tally.worst()}};
}

struct Timed {
  bool collides = false;
  double microseconds = 0;
};

Timed measure(ContactKind kind, const FeatureMotion& motion, const ContinuousOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const bool collides = first_impact(kind, motion, options).collides;
  return {collides, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count()};
}

Tally run_file(const QueryFile& file, const ContinuousOptions& options, Progress& progress, std::size_t done_before) {
  // A query that takes this long was perhaps interrupted by another program: the quickest of a few counts.
  constexpr double suspicious_us = 20;
  constexpr int attempts = 5;
  Tally tally{.name = file.path, .microseconds = {}};
  for (std::size_t i = 0; i < file.queries.size(); ++i) {
    if (i % 1024 == 0) {
      progress.update(done_before + i, std::filesystem::path(file.path).filename().string());
      if (interrupted_by_user()) break;
    }
    Timed timed;
    try {
      timed = measure(file.kind, file.queries[i], options);
      for (int k = 1; k < attempts && timed.microseconds > suspicious_us; ++k) {
        timed.microseconds = std::min(timed.microseconds, measure(file.kind, file.queries[i], options).microseconds);
      }
    } catch (const Error& error) {
      fail(error.code(), "{}, query {}: {}", file.path, i, error.what());
    }
    ++tally.queries;
    tally.positives += file.collides[i] ? 1 : 0;
    tally.false_negatives += file.collides[i] && !timed.collides ? 1 : 0;
    tally.false_positives += !file.collides[i] && timed.collides ? 1 : 0;
    tally.microseconds.push_back(timed.microseconds);
  }
  return tally;
}

void add_row(bench::Table& table, const Tally& tally) {
  table.add({tally.name, with_commas(static_cast<double>(tally.queries)),
             with_commas(static_cast<double>(tally.positives)), with_commas(static_cast<double>(tally.false_negatives)),
             with_commas(static_cast<double>(tally.false_positives)), fmt::format("{:.3f}", tally.mean()),
             fmt::format("{:.3f}", tally.median()), fmt::format("{:.1f}", tally.worst())});
}

}  // namespace

int queries(const QueriesOptions& options) {
  require(std::isfinite(options.tolerance) && options.tolerance >= 0, ErrorCode::invalid_argument,
          "--tolerance is {}; expected a finite number that is not negative", options.tolerance);
  for (const std::string& file : options.files) refuse_same_files({{"the input", file}, {"--json", options.json}});
  Output json("--json", options.json, OutputKind::json);
  std::FILE* text = json.to_stdout() ? stderr : stdout;
  std::vector<QueryFile> files;
  std::size_t count = 0;
  for (const std::string& path : options.files) {
    files.push_back(read_query_file(path, options.kind));
    count += files.back().queries.size();
  }

  bench::Table table{
      "", {"file", "queries", "positives", "false neg.", "false pos.", "mean us", "median us", "worst us"}, {}};
  Tally total{.name = "total", .microseconds = {}};
  nlohmann::ordered_json files_json = nlohmann::ordered_json::array();
  {
    Progress progress("queries", count);
    for (const QueryFile& file : files) {
      const Tally tally =
          run_file(file, {.tolerance = options.tolerance, .exact = options.exact}, progress, total.queries);
      if (interrupted_by_user()) {
        say(stderr, "carom: ended early by a signal; no file was written\n");
        return interrupted_exit_code();
      }
      add_row(table, tally);
      nlohmann::ordered_json entry = {{"file", file.path},
                                      {"kind", file.kind == ContactKind::vertex_face ? "vf" : "ee"}};
      entry.update(to_json(tally));
      files_json.push_back(std::move(entry));
      total.add(tally);
    }
    progress.update(count, "");
  }
  add_row(table, total);
  if (json.wanted()) {
    nlohmann::ordered_json all = to_json(total);
    all["exact"] = options.exact;
    all["tolerance"] = options.tolerance;
    all["files"] = std::move(files_json);
    json.write(dump(all));
  }
  json.finish();
  say(text, "{}\n", Lines{table.text()});
  say(text, "Each query by itself, one thread; a slow one is run again, as another program may have delayed it.\n");
  return total.false_negatives > 0 || (options.exact && total.false_positives > 0) ? found_problems : done;
}

}  // namespace carom::app
