#include "carom/live/input.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "carom/core/error.hpp"
#include "carom/io/scene.hpp"
#include "io/temp_folder.hpp"

namespace carom {
namespace {

using Eigen::Vector3d;

std::vector<LiveInput> all_inputs() {
  return {GrabInput{3, "a \"ball\"", {1.0 / 3, -1e-300, 0.1 + 0.2}, 17},
          GrabInput{0, "sheet", {0, 0, 0}},
          MoveInput{7, {5e-324, -0.0, 1e6}},
          TurnInput{1, {-0.0, 1.0 / 3, 2.0 / 3, -2.0 / 3}},
          ReleaseInput{2},
          GravityInput{{0, -1.62, 0}},
          StiffnessInput{0.1},
          ResetInput{},
          DriveInput{"probe", {0.1, 0.2, 0.3}, {0.5, 0.5, 0.5, 0.5}, {0, 1.0 / 7, 0}, 1600, 2.5}};
}

std::string error_of(std::string_view text) {
  try {
    parse_input(text, "message");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(LiveInput, SurvivesBitForBit) {
  for (const LiveInput& input : all_inputs()) {
    const std::string text = to_json(input);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(parse_input(text, "test"), input) << text;
    EXPECT_EQ(to_json(parse_input(text, "test")), text) << "-0 is not 0";
  }
}

TEST(LiveInput, WhatIsWrongIsNamed) {
  EXPECT_EQ(error_of(R"({"move": {"hand": 8, "target": [0, 0, 0]}})"),
            "message: move.hand: expected an integer of at most 7, got 8");
  EXPECT_NE(error_of(R"({"move": {"hand": 0, "target": [0, 0]}})").find("message: move.target:"), std::string::npos);
  EXPECT_NE(error_of(R"({"move": {"hand": 0}})").find("target"), std::string::npos);
  EXPECT_NE(error_of(R"({"turn": {"hand": 0, "rotation": [1, 0, 0]}})").find("message: turn.rotation:"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"shove": {"hand": 0}})").find("shove"), std::string::npos);
  EXPECT_NE(error_of(R"({"reset": true, "gravity": [0, 0, 0]})").find("one input"), std::string::npos);
  EXPECT_NE(error_of(R"({"stiffness": -1})").find("stiffness"), std::string::npos);
  EXPECT_NE(error_of(R"({"reset": false})").find("reset"), std::string::npos);
  EXPECT_NE(error_of("{}").find("grab"), std::string::npos) << "what it could have been";
  EXPECT_NE(error_of("[").find("message"), std::string::npos);
}

class InputFile : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return path_.string();
  }
  std::string error_of_file(const std::string& text) {
    write(text);
    try {
      read_input_record(path_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  test::TempFolder folder_;
  std::filesystem::path path_ = folder_.path() / "hand.input";
  std::string header_ = R"({"carom_input":1,"carom":"0.1.0","scene":"s","scene_hash":"0123456789abcdef"})"
                        "\n";
};

TEST_F(InputFile, ReadsBackWhatWasWritten) {
  const Scene scene = find_scene("tool-probe");
  InputWriter writer(path_, scene);
  std::uint64_t step = 0;
  for (const LiveInput& input : all_inputs()) writer.write({step += 3, input});
  InputRecord record = read_input_record(path_);
  EXPECT_FALSE(record.closed) << "a run that died can be read up to its last line";
  EXPECT_EQ(record.steps, step);
  writer.close(100, 0xabcdef);
  record = read_input_record(path_);
  EXPECT_TRUE(record.closed);
  EXPECT_EQ(record.steps, 100U);
  EXPECT_EQ(record.state_hash, "0000000000abcdef");
  EXPECT_EQ(record.scene, "tool-probe");
  EXPECT_EQ(record.scene_hash, hash_of(scene));
  ASSERT_EQ(record.inputs.size(), all_inputs().size());
  for (std::size_t i = 0; i < record.inputs.size(); ++i) EXPECT_EQ(record.inputs[i].input, all_inputs()[i]);
  EXPECT_THROW(writer.write({101, ResetInput{}}), Error);
}

TEST_F(InputFile, TheHashOfASceneIsThatOfWhatItSays) {
  Scene scene = find_scene("tool-probe");
  const std::string hash = hash_of(scene);
  scene.world.threads = 4;
  scene.steps = 7;
  EXPECT_EQ(hash_of(scene), hash);
  scene.world.dt = 0.01;
  EXPECT_NE(hash_of(scene), hash);
}

TEST_F(InputFile, ALineThatWasNotFinishedIsLeftOut) {
  write(header_ + "{\"step\":4,\"reset\":true}\n{\"step\":5,\"res");
  EXPECT_EQ(read_input_record(path_).inputs.size(), 1U);
}

TEST_F(InputFile, FaultsAreNamedWithTheirLine) {
  EXPECT_NE(error_of_file("").find("empty"), std::string::npos);
  EXPECT_NE(error_of_file("{}\n").find("hand.input:1"), std::string::npos);
  EXPECT_NE(error_of_file("CAROMREC\n").find("hand.input:1"), std::string::npos);
  EXPECT_NE(error_of_file(R"({"carom_input":2,"carom":"9","scene":"s","scene_hash":"0123456789abcdef"})"
                          "\n")
                .find("version 2"),
            std::string::npos);
  EXPECT_NE(error_of_file(header_ + "{\"step\":4,\"reset\":true}\n{\"step\":3,\"reset\":true}\n").find(":3: step 3"),
            std::string::npos);
  EXPECT_NE(error_of_file(header_ + "{\"step\":1.5,\"reset\":true}\n").find("step"), std::string::npos);
  EXPECT_NE(error_of_file(header_ + "{\"end\":{\"steps\":1,\"state_hash\":\"zz\"}}\n").find("state_hash"),
            std::string::npos);
  EXPECT_NE(error_of_file(header_ + "{\"end\":{\"steps\":1,\"state_hash\":\"0123456789abcdef\"}}\n"
                                    "{\"step\":4,\"reset\":true}\n")
                .find("after the end"),
            std::string::npos);
}

}  // namespace
}  // namespace carom
