#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "carom/mesh/mesh.hpp"

/// Input at a world that runs, and records of it. The format is described in docs/formats.md.
namespace carom {

/// A hand takes hold of a body at a point: from then on it pulls that point to its target.
struct GrabInput {
  int hand = 0;  ///< 0 to max_hands - 1; a hand that holds something lets go of it
  std::string body{};
  Eigen::Vector3d point{0, 0, 0};  ///< m, in the world; also the first target
  Index vertex = none;             ///< of a body with vertices: the one that is held; none: the nearest to the point
  friend bool operator==(const GrabInput&, const GrabInput&) = default;
};
struct MoveInput {
  int hand = 0;
  Eigen::Vector3d target{0, 0, 0};  ///< m
  friend bool operator==(const MoveInput&, const MoveInput&) = default;
};
/// Turns what a hand holds about the point that it holds.
struct TurnInput {
  int hand = 0;
  Eigen::Vector4d rotation{1, 0, 0, 0};  ///< quaternion w, x, y, z, in the world: from where it was when it was taken
  friend bool operator==(const TurnInput&, const TurnInput&) = default;
};
struct ReleaseInput {
  int hand = 0;
  friend bool operator==(const ReleaseInput&, const ReleaseInput&) = default;
};
struct GravityInput {
  Eigen::Vector3d gravity{0, -9.81, 0};  ///< m/s^2
  friend bool operator==(const GravityInput&, const GravityInput&) = default;
};
/// Stiffness of all particles and cloth, as a multiple of that of the scene.
struct StiffnessInput {
  double factor = 1;
  friend bool operator==(const StiffnessInput&, const StiffnessInput&) = default;
};
/// The scene from its beginning.
struct ResetInput {
  friend bool operator==(const ResetInput&, const ResetInput&) = default;
};
/// Target of a haptic tool, see drive(); holds until the next one.
struct DriveInput {
  std::string body{};
  Eigen::Vector3d position{0, 0, 0};     ///< m
  Eigen::Vector4d rotation{1, 0, 0, 0};  ///< quaternion w, x, y, z
  Eigen::Vector3d velocity{0, 0, 0};     ///< m/s
  double stiffness = 0;                  ///< N/m; 0 = lets go
  double angular_stiffness = 0;          ///< N m/rad
  friend bool operator==(const DriveInput&, const DriveInput&) = default;
};
using LiveInput =
    std::variant<GrabInput, MoveInput, TurnInput, ReleaseInput, GravityInput, StiffnessInput, ResetInput, DriveInput>;

inline constexpr int max_hands = 8;

/// One line of JSON, without its end. Numbers survive bit for bit.
std::string to_json(const LiveInput& input);
/// Throws Error that names `where` and the field.
LiveInput parse_input(std::string_view json, const std::string& where);

struct TimedInput {
  std::uint64_t step = 0;  ///< steps that were done when it acted
  LiveInput input;
  friend bool operator==(const TimedInput&, const TimedInput&) = default;
};

/// Record of the input of a run.
struct InputRecord {
  std::string carom_version{};
  std::string scene{};       ///< name of the scene
  std::string scene_hash{};  ///< hash of the scene, see hash_of()
  std::vector<TimedInput> inputs{};
  bool closed = false;       ///< the run ended in order; otherwise the two below are those of the last input
  std::uint64_t steps = 0;   ///< that the run had
  std::string state_hash{};  ///< hash of the state at the end, in hexadecimal
};

struct Scene;
/// Hash of what a scene says, in hexadecimal: a record replays with the same scene only.
std::string hash_of(const Scene& scene);
/// A hash of a state (World::state_hash) as records hold it.
std::string hash_text(std::uint64_t hash);

/// Throws Error that names the file and the line.
InputRecord read_input_record(const std::filesystem::path& path);

/// Appends to a record. Each line is with the operating system when a call returns.
class InputWriter {
 public:
  /// To a file, or to memory if the path is empty. Throws Error(io) that names the file.
  InputWriter(const std::filesystem::path& path, const Scene& scene);
  ~InputWriter();
  InputWriter(InputWriter&&) noexcept;
  InputWriter& operator=(InputWriter&&) noexcept;

  void write(const TimedInput& input);
  /// The last line; nothing may be written afterwards.
  void close(std::uint64_t steps, std::uint64_t state_hash);
  /// All lines so far.
  const std::string& text() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace carom
