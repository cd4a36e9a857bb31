#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/io/mesh_read_options.hpp"

/// One function a command. Each returns the exit code; what a user got wrong is thrown as
/// carom::Error and ends as a message and exit code 2.
namespace carom::app {

inline constexpr int done = 0;
inline constexpr int found_problems = 1;
inline constexpr int bad_usage = 2;

struct RunOptions {
  std::string scene;
  std::string output;
  std::optional<int> steps;
  std::optional<double> dt;
  std::optional<int> threads;
  std::optional<std::string> method;
  std::optional<int> sphere_depth;
  std::optional<int> spheres;  ///< level of the tree whose spheres are recorded
  std::optional<std::string> response;
  std::optional<double> time_budget;  ///< s
  std::vector<std::string> compare;   ///< responses, with commas between; empty: one run with the scene's
  int every = 1;
  std::string html;
  std::string json;
  std::string input;  ///< record of input that is replayed
};
int run(const RunOptions& options);

struct DetectCommandOptions {
  std::string input;
  double distance = 0;
  bool between = false;
  bool self = false;
  bool all = false;
  bool continuous = false;
  std::vector<std::string> bodies;  ///< names; empty: all
  std::string method = "auto";
  int sphere_depth = 15;
  int threads = 0;
  double surface_factor = 0;
  std::string surface_shape = "rest";
  std::string exclude;
  std::string frames;
  std::string json;
  std::string contacts;
  std::string html;
  MeshReadOptions reading;
};
int detect(const DetectCommandOptions& options);

struct CheckOptions {
  std::vector<std::string> files;
  double clearance = 0;
  std::optional<double> tolerance;
  bool self = false;
  std::string solid = "inside";  ///< as MeshSolid
  std::string rank = "depth";    ///< as ClashRank
  bool separation = false;
  bool quick = false;  ///< parts are not searched for triangles that cut each other
  std::string allow;
  std::string baseline;
  int threads = 0;
  std::string json;
  std::string csv;
  std::string html;
  MeshReadOptions reading;
};
int check(const CheckOptions& options);

struct ScenesOptions {
  std::string show;
  bool schema = false;
  std::string json;
};
int scenes(const ScenesOptions& options);

struct InfoOptions {
  std::vector<std::string> files;
  std::string json;
  MeshReadOptions reading;
  std::optional<double> field{};  ///< tolerance of the distance field that is described, too
};
int info(const InfoOptions& options);

struct ViewOptions {
  std::string file;
  int port = 0;
  MeshReadOptions reading;
};
int view(const ViewOptions& options);

struct LiveOptions {
  std::string scene;
  std::string output;          ///< record of input
  std::string replay;          ///< record of input that acts first; or empty
  std::optional<double> rate;  ///< steps a second; the scene's, in real time, if not given
  std::optional<int> steps;    ///< after which it ends; none: it does not
  std::optional<int> threads;
  bool paused = false;
  int port = 0;
};
int live(const LiveOptions& options);

struct ExportOptions {
  std::string file;
  std::string to;
  std::string folder;
  std::string frames;
  MeshReadOptions reading;
};
int export_frames(const ExportOptions& options);

struct CutCommandOptions {
  std::string file;
  std::string plane;  ///< nx,ny,nz,d; or empty
  std::string blade;  ///< file of poses; or empty
  std::string folder;
  std::string to = "obj";
  double snap = 1e-9;
  std::string json;
  MeshReadOptions reading;
};
int cut_mesh(const CutCommandOptions& options);

struct BenchDetectOptions {
  std::vector<std::string> scenes;   ///< empty: all built-in ones that need no simulation
  std::vector<std::string> methods;  ///< empty: all but the slow twins
  int threads = 2;
  int frames = 20;
  int passes = 3;
  std::string json;
};
int bench_detect(const BenchDetectOptions& options);

struct QueriesOptions {
  std::vector<std::string> files;
  bool exact = false;
  double tolerance = 1e-6;
  std::string kind;
  std::string json;
};
int queries(const QueriesOptions& options);

struct ReproduceOptions {
  std::string document;
  std::vector<std::string> tables;  ///< empty: all
  int threads = 0;
  int frames = 60;
  std::string json;
};
int reproduce(const ReproduceOptions& options);
int reproduce_zouiouche(const ReproduceOptions& options);

}  // namespace carom::app
