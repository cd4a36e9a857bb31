#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "carom/io/recording.hpp"
#include "command.hpp"

// Recordings of runs with cuts.
namespace carom::cli {
namespace {

using Json = nlohmann::json;

TEST(CliRunCut, EveryStepWithACutIsRecordedWithItsFacesAndPieces) {
  const Folder folder;
  for (const std::string every : {"1", "4"}) {
    const Result run = call({"run", "liver-cut", "--steps", "88", "--every", every, "-o", folder / "l.carom"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const RecordingReader reader{std::filesystem::path(folder / "l.carom")};
    const RecordedFrame last = reader.read_frame(reader.frame_count() - 1);
    ASSERT_EQ(last.bodies.size(), 4U);
    std::size_t events = 0;
    std::vector<std::uint32_t> pieces;
    for (std::uint32_t frame = 0; frame < reader.frame_count(); ++frame) {
      for (const RecordedCut& cut : reader.read_cuts(frame).events) {
        ++events;
        EXPECT_EQ(cut.body, 1U);
        EXPECT_GT(cut.area, 0);
        EXPECT_LE(cut.step, frame * std::stoul(every));
        EXPECT_GT(cut.step + std::stoul(every), frame * std::stoul(every));
        pieces.insert(pieces.end(), cut.pieces.begin(), cut.pieces.end());
      }
    }
    EXPECT_EQ(events, 26U);
    EXPECT_EQ(pieces, std::vector<std::uint32_t>{3});
    const RecordedCuts cuts = reader.read_cuts(last.number);
    ASSERT_EQ(cuts.faces.size(), 2U) << "both halves";
    EXPECT_EQ(cuts.faces[0].triangles.size(), cuts.faces[1].triangles.size());

    const Json info = Json::parse(call({"info", folder / "l.carom", "--json", "-"}).out);
    ASSERT_EQ(info["cuts"].size(), events);
    EXPECT_EQ(info["cuts"].back()["body"], "liver");
    EXPECT_EQ(info["cuts"].back()["pieces"], Json({"liver-1"}));
    EXPECT_TRUE(contains(call({"info", folder / "l.carom"}).out, "in 26 steps, 1 piece came off"));
  }
}

TEST(CliRunCut, ContactsOfBodiesThatAreCutCanBeRecorded) {
  const Folder folder;
  const Result run = call({"run", "criss-cross", "--steps", "60", "-o", folder / "c.carom"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(call({"info", folder / "c.carom"}).exit_code, 0);
}

TEST(CliRunCut, WithoutCutsInfoSaysNothingOfThem) {
  const Folder folder;
  ASSERT_EQ(call({"run", "knot", "--steps", "1", "-o", folder / "k.carom"}).exit_code, 0);
  EXPECT_FALSE(Json::parse(call({"info", folder / "k.carom", "--json", "-"}).out).contains("cuts"));
}

}  // namespace
}  // namespace carom::cli
