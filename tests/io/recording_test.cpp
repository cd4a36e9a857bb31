#include "carom/io/recording.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <limits>

#include "carom/core/version.hpp"
#include "sample_recording.hpp"
#include "temp_folder.hpp"

namespace carom::test {
namespace {

FrameBodyView view(const RecordedBody& body) {
  return {body.body, body.name, body.kind, body.triangles, body.positions};
}

void expect_sample(const RecordingReader& reader, std::size_t frames) {
  const auto written = sample_frames();
  ASSERT_EQ(reader.frame_count(), frames);
  for (std::uint32_t i = 0; i < frames; ++i) {
    const RecordedFrame frame = reader.read_frame(i);
    EXPECT_EQ(frame.number, i);
    EXPECT_TRUE(same(frame, written[i])) << "frame " << i;
  }
}

TEST(Recording, GivesBackEveryBitThatWasWritten) {
  const RecordingReader reader(sample_bytes());
  EXPECT_EQ(reader.damage(), "");
  expect_sample(reader, 6);
}

TEST(Recording, FramesCanBeReadInAnyOrder) {
  const RecordingReader reader(sample_bytes());
  const auto written = sample_frames();
  for (const std::uint32_t i : {5u, 0u, 3u, 3u, 1u}) EXPECT_TRUE(same(reader.read_frame(i), written[i])) << i;
}

TEST(Recording, MetaKeepsItsDoubles) {
  const RecordingReader reader(sample_bytes());
  const RecordingMeta meta = sample_meta();
  EXPECT_EQ(reader.meta().carom_version, version());
  EXPECT_EQ(reader.meta().scene, meta.scene);
  EXPECT_EQ(reader.meta().dt, meta.dt);
  EXPECT_EQ(reader.meta().gravity, meta.gravity);
  EXPECT_EQ(reader.meta().contact_distance, meta.contact_distance);
}

TEST(Recording, KeepsTheDescriptionOfItsScene) {
  for (const std::string description : {"", "Two \"tori\" × 2,\n</script> and a line more"}) {
    RecordingMeta meta;
    meta.description = description;
    RecordingWriter writer(meta, PositionEncoding::f64);
    writer.close();
    EXPECT_EQ(RecordingReader({writer.bytes().begin(), writer.bytes().end()}).meta().description, description);
  }
}

TEST(Recording, KeepsMoreReasonsThanAStageOfOursHas) {
  constexpr std::array<std::string_view, 12> reasons{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
  PipelineStats stats;
  std::vector<std::pair<std::string, std::uint64_t>> culled;
  for (const std::string_view reason : reasons) {
    culled.emplace_back(reason, culled.size() + 1);
    stats[Stage::mid].add_culled(reason, culled.size());
  }
  RecordingWriter writer(RecordingMeta{}, PositionEncoding::f64);
  writer.write_frame(0, {}, {}, stats);
  writer.close();
  EXPECT_EQ(RecordingReader({writer.bytes().begin(), writer.bytes().end()}).read_stages(0)[4].culled, culled);
}

TEST(Recording, KeepsItsViews) {
  RecordingMeta meta;
  meta.views = {{"all of it", 0, {}}, {"\"a\" × b: 2 mm", 7, {0, 4294967295}}};
  RecordingWriter writer(meta, PositionEncoding::f64);
  writer.close();
  EXPECT_EQ(RecordingReader({writer.bytes().begin(), writer.bytes().end()}).meta().views, meta.views);

  meta.views.assign(200000, {std::string(100, 'x'), 0, {}});
  EXPECT_THROW(RecordingWriter(meta, PositionEncoding::f64), Error) << "nobody could read it";
}

TEST(Recording, StagesAreEmptyInFrameZeroAndWholeAfterwards) {
  const RecordingReader reader(sample_bytes());
  EXPECT_TRUE(reader.read_stages(0).empty());
  const auto stages = reader.read_stages(4);
  ASSERT_EQ(stages.size(), stage_count);
  EXPECT_EQ(stages[0].name, "edits");
  EXPECT_EQ(stages[4].name, "mid");
  EXPECT_EQ(stages[4].in, 1u);
  EXPECT_EQ(stages[4].out, 4215u);
  EXPECT_EQ(stages[4].ms, 100.0);
  EXPECT_EQ(stages[4].limited, 4u);
  const std::vector<std::pair<std::string, std::uint64_t>> culled{{"sphere", 5}, {"box", 91822}};
  EXPECT_EQ(stages[4].culled, culled);
}

TEST(Recording, FloatPositionsAreTheNearestFloats) {
  const RecordingReader reader(sample_bytes(PositionEncoding::f32));
  const auto written = sample_frames();
  ASSERT_EQ(reader.frame_count(), 6u);
  for (std::uint32_t i = 0; i < 6; ++i) {
    const RecordedFrame frame = reader.read_frame(i);
    ASSERT_EQ(frame.bodies.size(), written[i].bodies.size());
    for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
      for (std::size_t v = 0; v < frame.bodies[b].positions.size(); ++v) {
        for (int axis = 0; axis < 3; ++axis) {
          // volatile: GCC 12 otherwise takes the way to float and back for no change at all.
          const volatile auto nearest = static_cast<float>(written[i].bodies[b].positions[v][axis]);
          EXPECT_EQ(frame.bodies[b].positions[v][axis], static_cast<double>(nearest));
        }
      }
    }
  }
}

TEST(Recording, ABodyThatDoesNotMoveCostsTwentyBytesAFrame) {
  RecordedBody body{1, "big", MotionModel::fixed, {}, std::vector<Eigen::Vector3d>(1000)};
  for (std::size_t i = 0; i < 1000; ++i) {
    const double x = std::sin(static_cast<double>(i * i));
    body.positions[i] = {x, 1 / (x + 2), x * x};
  }
  const auto size_of_run = [&](int frames) {
    RecordingWriter writer(sample_meta(), PositionEncoding::f64);
    const std::vector views{view(body)};
    for (int i = 0; i < frames; ++i) writer.write_frame(i, views, {}, {});
    writer.close();
    return writer.bytes().size();
  };
  // Two chunk headers, a line of JSON, the head of the frame, the body, two counts, the index.
  EXPECT_LE(size_of_run(101) - size_of_run(1), 100 * (64 + 45 + 16 + 20 + 8 + 8));
}

TEST(Recording, AChangedNameOrKindIsRecorded) {
  const std::vector<Eigen::Vector3d> here{{1, 2, 3}};
  RecordingWriter writer(sample_meta(), PositionEncoding::f64);
  const auto write = [&](std::string_view name, MotionModel kind) {
    const std::vector<FrameBodyView> bodies{{0, name, kind, {}, here}};
    writer.write_frame(0, bodies, {}, {});
  };
  write("a", MotionModel::fixed);
  write("b", MotionModel::fixed);
  write("b", MotionModel::particles);
  writer.close();
  const RecordingReader reader({writer.bytes().begin(), writer.bytes().end()});
  EXPECT_EQ(reader.read_frame(0).bodies[0].name, "a");
  EXPECT_EQ(reader.read_frame(1).bodies[0].name, "b");
  EXPECT_EQ(reader.read_frame(1).bodies[0].kind, MotionModel::fixed);
  EXPECT_EQ(reader.read_frame(2).bodies[0].kind, MotionModel::particles);
}

TEST(Recording, NoFramesAtAll) {
  RecordingWriter writer(sample_meta(), PositionEncoding::f64);
  writer.close();
  const RecordingReader reader({writer.bytes().begin(), writer.bytes().end()});
  EXPECT_EQ(reader.frame_count(), 0u);
  EXPECT_EQ(reader.damage(), "");
  expect_error(ErrorCode::bad_index, {"recording", "no frame 0"}, [&] { reader.read_frame(0); });
}

TEST(Recording, AFrameWithoutBodies) {
  RecordingWriter writer(sample_meta(), PositionEncoding::f64);
  writer.write_frame(0.5, {}, {}, {});
  writer.close();
  const RecordingReader reader({writer.bytes().begin(), writer.bytes().end()});
  EXPECT_EQ(reader.read_frame(0).time, 0.5);
  EXPECT_TRUE(reader.read_frame(0).bodies.empty());
}

TEST(Recording, AFileIsTheSameAsMemory) {
  const TempFolder folder;
  {
    RecordingWriter writer(folder / "a.carom", sample_meta());
    write_frames(writer, sample_frames());
    EXPECT_EQ(writer.frame_count(), 6u);
    writer.close();
  }
  std::ifstream in(folder / "a.carom", std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(bytes, sample_bytes());
  expect_sample(RecordingReader(folder / "a.carom"), 6);
}

TEST(Recording, AProcessThatDiesLeavesEveryFrameItWrote) {
  const TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    RecordingWriter writer(folder / "a.carom", sample_meta());
    write_frames(writer, sample_frames());
    ::_exit(0);  // no destructor, no flush
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  const RecordingReader reader(folder / "a.carom");
  EXPECT_NE(reader.damage().find("ends after 6 frames"), std::string::npos) << reader.damage();
  expect_sample(reader, 6);
}

TEST(Recording, AFileCanBeReadWhileItIsWritten) {
  const TempFolder folder;
  auto frames = sample_frames();
  RecordingWriter writer(folder / "a.carom", sample_meta());
  write_frames(writer, {frames.begin(), frames.begin() + 4});
  expect_sample(RecordingReader(folder / "a.carom"), 4);
}

TEST(Recording, AssignmentClosesWhatWasBeingWritten) {
  const TempFolder folder;
  RecordingWriter writer(folder / "a.carom", sample_meta());
  write_frames(writer, sample_frames());
  writer = RecordingWriter(folder / "b.carom", sample_meta());
  EXPECT_EQ(RecordingReader(folder / "a.carom").damage(), "");
  EXPECT_EQ(writer.frame_count(), 0u);
}

TEST(Recording, WriteErrorsNameTheFile) {
  const TempFolder folder;
  expect_error(ErrorCode::io, {"missing/a.carom", "No such file"},
               [&] { RecordingWriter(folder / "missing/a.carom", sample_meta()); });
  expect_error(ErrorCode::io, {folder.path().string(), "directory"},
               [&] { RecordingWriter(folder.path(), sample_meta()); });
  expect_error(ErrorCode::io, {"/dev/full", "No space left"}, [&] { RecordingWriter("/dev/full", sample_meta()); });
}

/// No file of this process may grow beyond a number of bytes, as if the disk were full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  void (*old_handler_)(int);
  rlimit old_{};
};

TEST(Recording, AFullDiskCostsOnlyTheFrameThatDidNotFit) {
  const TempFolder folder;
  const auto frames = sample_frames();
  RecordingWriter writer(folder / "a.carom", sample_meta());
  {
    const FullDisk full(1000);
    expect_error(ErrorCode::io, {"a.carom", "cannot be written"}, [&] { write_frames(writer, frames); });
  }
  const std::uint32_t kept = writer.frame_count();
  ASSERT_GT(kept, 0u);
  ASSERT_LT(kept, 6u);
  expect_sample(RecordingReader(folder / "a.carom"), kept);
  // Once there is room again the run goes on, and nothing refers to what was lost.
  write_frames(writer, {frames.begin() + kept, frames.end()});
  writer.close();
  const RecordingReader reader(folder / "a.carom");
  EXPECT_EQ(reader.damage(), "");
  expect_sample(reader, 6);
}

TEST(Recording, ReadErrorsNameTheFile) {
  const TempFolder folder;
  expect_error(ErrorCode::io, {"none.carom", "No such file"}, [&] { RecordingReader(folder / "none.carom"); });
  expect_error(ErrorCode::io, {folder.path().string(), "directory"}, [&] { RecordingReader(folder.path()); });
  expect_error(ErrorCode::io, {"/dev/null", "regular"}, [&] { RecordingReader("/dev/null"); });
}

TEST(Recording, ADescriptionThatIsRefusedLeavesTheOldFile) {
  const TempFolder folder;
  folder.file("a.carom", sample_bytes());
  RecordingMeta meta = sample_meta();
  meta.dt = std::numeric_limits<double>::quiet_NaN();
  expect_error(ErrorCode::not_finite, {"dt"}, [&] { RecordingWriter(folder / "a.carom", meta); });
  expect_sample(RecordingReader(folder / "a.carom"), 6);
}

/// One body of three vertices and one triangle, with something wrong.
class RefusedFrame : public testing::Test {
 protected:
  static RecordedContact vertex_face(std::uint32_t body_a, std::uint32_t body_b) {
    return {.id = 1,
            .body_a = body_a,
            .body_b = body_b,
            .feature_a = {FeatureKind::vertex, {0, none}},
            .feature_b = {FeatureKind::face, {0, none}}};
  }
  void expect(ErrorCode code, const std::vector<std::string>& parts) {
    const std::vector views{view(first), view(second)};
    expect_error(code, parts, [&] { writer.write_frame(time, views, contacts, {}); });
    EXPECT_EQ(writer.frame_count(), 0u);
    // What was refused left no trace.
    writer.write_frame(0, {}, {}, {});
    writer.close();
    EXPECT_EQ(RecordingReader({writer.bytes().begin(), writer.bytes().end()}).frame_count(), 1u);
  }

  double time = 0;
  RecordedBody first{1, "one", MotionModel::fixed, {{0, 1, 2}}, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  RecordedBody second{2, "two", MotionModel::fixed, {}, {{0, 0, 0}}};
  std::vector<RecordedContact> contacts;
  RecordingWriter writer{sample_meta(), PositionEncoding::f32};
};

TEST_F(RefusedFrame, Time) {
  time = std::numeric_limits<double>::infinity();
  expect(ErrorCode::not_finite, {"time"});
}
TEST_F(RefusedFrame, Position) {
  first.positions[1].y() = std::numeric_limits<double>::quiet_NaN();
  expect(ErrorCode::not_finite, {"body 1 \"one\"", "vertex 1"});
}
TEST_F(RefusedFrame, PositionTooFarForFloat) {
  second.positions[0].x() = 1e39;
  expect(ErrorCode::not_finite, {"body 2", "vertex 0", "f32"});
}
TEST_F(RefusedFrame, Index) {
  first.triangles[0][2] = 3;
  expect(ErrorCode::bad_index, {"body 1", "triangle 0", "vertex 3"});
}
TEST_F(RefusedFrame, Order) {
  second.body = 1;
  expect(ErrorCode::invalid_argument, {"ascending"});
}
TEST_F(RefusedFrame, ContactOfABodyThatIsNotThere) {
  contacts.push_back(vertex_face(1, 7));
  expect(ErrorCode::bad_index, {"contact 0", "body 7"});
}
TEST_F(RefusedFrame, ContactOfATriangleThatIsNotThere) {
  contacts.push_back(vertex_face(1, 2));
  expect(ErrorCode::bad_index, {"contact 0"});
}
TEST_F(RefusedFrame, ContactOfAnEdgeWithOneEnd) {
  contacts.push_back(vertex_face(2, 1));
  contacts[0].feature_b = {FeatureKind::edge, {0, none}};
  expect(ErrorCode::bad_index, {"contact 0"});
}
TEST_F(RefusedFrame, ContactOfAPointThatNamesAFeature) {
  contacts.push_back(vertex_face(2, 1));
  contacts[0].feature_b = {FeatureKind::point, {0, none}};
  expect(ErrorCode::bad_index, {"contact 0"});
}
TEST_F(RefusedFrame, ContactOfAFeatureOfNoKnownKind) {
  contacts.push_back(vertex_face(2, 1));
  contacts[0].feature_b = {static_cast<FeatureKind>(4), {0, none}};
  expect(ErrorCode::bad_index, {"contact 0"});
}
TEST_F(RefusedFrame, ContactWithAnInfiniteImpulse) {
  contacts.push_back(vertex_face(2, 1));
  contacts[0].impulse = INFINITY;
  expect(ErrorCode::not_finite, {"contact 0"});
}
TEST_F(RefusedFrame, ContactWithoutANormal) {
  contacts.push_back(vertex_face(2, 1));
  contacts[0].normal.x() = NAN;
  expect(ErrorCode::not_finite, {"contact 0"});
}

TEST(Recording, NothingIsWrittenAfterClose) {
  RecordingWriter writer(sample_meta(), PositionEncoding::f64);
  writer.close();
  expect_error(ErrorCode::invalid_argument, {"close()"}, [&] { writer.write_frame(0, {}, {}, {}); });
}

}  // namespace
}  // namespace carom::test
