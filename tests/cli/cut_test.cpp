#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "carom/io/mesh_file.hpp"
#include "command.hpp"

namespace carom::cli {
namespace {

const std::string tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

TEST(CliCut, PiecesOfAPlaneAreClosedFilesWithTheirVolumes) {
  const Folder folder;
  write_text(folder / "part.obj", tetrahedron);
  const Result result =
      call({"cut", folder / "part.obj", "--plane", "0,0,2,1", "-o", folder / "pieces", "--to", "ply", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["pieces"].size(), 2U);
  EXPECT_NEAR(json["pieces"][0]["volume"].get<double>(), 7.0 / 48, 1e-15);
  EXPECT_NEAR(json["pieces"][1]["volume"].get<double>(), 1.0 / 48, 1e-15);
  EXPECT_NEAR(json["cut_area"].get<double>(), 1.0 / 8, 1e-15);
  for (const char* name : {"pieces/part-1.ply", "pieces/part-2.ply"})
    EXPECT_TRUE(inspect(read_mesh_file(folder / name).mesh).clean()) << name;
}

TEST(CliCut, BladesComeFromAFile) {
  const Folder folder;
  write_text(folder / "part.obj", tetrahedron);
  write_text(folder / "path.csv", "# two poses\n-1,-1.1,0.5, -1,2,0.5\n\n2,-1,0.5, 2.3,2,0.5\n");
  const Result result = call({"cut", folder / "part.obj", "--blade", folder / "path.csv", "-o", folder / "pieces"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NEAR(inspect(read_mesh_file(folder / "pieces/part-2.obj").mesh).volume, 1.0 / 48, 1e-15);
}

TEST(CliCut, WhatIsWrongIsNamed) {
  const Folder folder;
  write_text(folder / "part.obj", tetrahedron);
  write_text(folder / "short.csv", "0,0,0, 1,0,0\n");
  write_text(folder / "odd.csv", "0,0,0, 1,0,0\n0,1,0, 1,x,0\n");
  const auto error = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"cut", folder / "part.obj", "-o", folder / "pieces"});
    const Result result = call(arguments);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_TRUE(contains(error({}), "either --plane or --blade"));
  EXPECT_TRUE(contains(error({"--plane", "1,2,3"}), "nx,ny,nz,d"));
  EXPECT_TRUE(contains(error({"--plane", "0,0,0,1"}), "normal"));
  EXPECT_TRUE(contains(error({"--blade", folder / "short.csv"}), "short.csv: 1 rows"));
  EXPECT_TRUE(contains(error({"--blade", folder / "odd.csv"}), "line 2: a number is 'x'"));
}

}  // namespace
}  // namespace carom::cli
