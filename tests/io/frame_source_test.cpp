#include "io/recording/frame_source.hpp"

#include <gtest/gtest.h>

#include "carom/io/replay.hpp"
#include "io/mesh/mesh_folder.hpp"
#include "sample_recording.hpp"
#include "temp_folder.hpp"

namespace carom::test {
namespace {

using Names = std::vector<std::string>;

std::string triangle_at(double x) {
  return "v " + std::to_string(x) + " 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
}

TEST(NaturalOrder, CountsAsPeopleDo) {
  EXPECT_TRUE(io::natural_less("frame_2", "frame_10"));
  EXPECT_FALSE(io::natural_less("frame_10", "frame_2"));
  EXPECT_TRUE(io::natural_less("frame_002", "frame_10"));
  EXPECT_TRUE(io::natural_less("a9b1", "a10b0"));
  EXPECT_TRUE(io::natural_less("a1b9", "a1b10"));
  EXPECT_TRUE(io::natural_less("a", "a0"));
  EXPECT_TRUE(io::natural_less("99999999999999999999998", "99999999999999999999999"));
  EXPECT_FALSE(io::natural_less("7", "7"));
  EXPECT_NE(io::natural_less("01", "1"), io::natural_less("1", "01"));
}

TEST(FrameSource, AFolderOfNumberedMeshes) {
  const TempFolder folder;
  for (const int i : {10, 2, 1}) folder.file("frame_" + std::to_string(i) + ".obj", triangle_at(i));
  folder.file("frame_11.obj", triangle_at(11) + "f 3 2 1\n");
  folder.file("readme_1.txt", "not a mesh");
  folder.file("reference.ply", "a mesh without a number");
  std::filesystem::create_directory(folder / "frame_3.obj");
  const auto source = open_frames(folder.path());
  ASSERT_EQ(source->frame_count(), 4u);
  EXPECT_EQ(source->warning(), "");
  FrameSurface surface;
  std::vector<Eigen::Vector3d> positions;
  EXPECT_TRUE(source->read(0, surface, positions));
  EXPECT_EQ(positions[0].x(), 1);
  EXPECT_EQ(surface.vertex_count, 3u);
  EXPECT_EQ(surface.triangles.size(), 1u);
  EXPECT_EQ(surface.object_names, Names{"frame_1"});
  EXPECT_FALSE(source->read(1, surface, positions));
  EXPECT_EQ(positions[0].x(), 2);
  EXPECT_FALSE(source->read(2, surface, positions));
  EXPECT_EQ(positions[0].x(), 10);
  EXPECT_TRUE(source->read(3, surface, positions));
  EXPECT_EQ(surface.triangles.size(), 2u);
  EXPECT_TRUE(source->read(0, surface, positions));
  expect_error(ErrorCode::bad_index, {"no frame 4"}, [&] { source->read(4, surface, positions); });
}

TEST(FrameSource, AFolderOfTwoTypes) {
  const TempFolder folder;
  folder.file("f1.obj", triangle_at(0));
  folder.file("f2.ply", "");
  expect_error(ErrorCode::bad_format, {folder.path().string(), "f1.obj", "f2.ply"},
               [&] { open_frames(folder.path()); });
}

TEST(FrameSource, AFolderOfNothing) {
  const TempFolder folder;
  folder.file("mesh.obj", triangle_at(0));
  expect_error(ErrorCode::bad_format, {folder.path().string(), "number"}, [&] { open_frames(folder.path()); });
}

TEST(FrameSource, OneMesh) {
  const TempFolder folder;
  const auto source = open_frames(folder.file("a.obj", "o p\n" + triangle_at(4) + "o q\nv 0 0 0\nf 4 4 4\n"));
  ASSERT_EQ(source->frame_count(), 1u);
  FrameSurface surface;
  std::vector<Eigen::Vector3d> positions;
  EXPECT_TRUE(source->read(0, surface, positions));
  EXPECT_EQ(surface.object_names, (Names{"p", "q"}));
  EXPECT_EQ(surface.object_of_triangle, (std::vector<Index>{0, 1}));
  EXPECT_EQ(positions[0].x(), 4);
}

TEST(FrameSource, AReplayIsKnownByItsContent) {
  const TempFolder folder;
  const std::vector<Triangle> triangles{{0, 1, 2}, {3, 4, 5}, {1, 0, 2}};
  const std::vector<Index> objects{40, 7, 40};
  std::vector<Eigen::Vector3d> written(6, {1, 2, 3});
  ReplayWriter writer(folder / "anything.bin", 6, triangles, objects);
  writer.write_frame(written);
  written[5].z() = 8;
  writer.write_frame(written);
  const auto source = open_frames(folder / "anything.bin");
  ASSERT_EQ(source->frame_count(), 2u);
  FrameSurface surface;
  std::vector<Eigen::Vector3d> positions;
  EXPECT_TRUE(source->read(1, surface, positions));
  EXPECT_EQ(positions, written);
  EXPECT_EQ(surface.vertex_count, 6u);
  EXPECT_EQ(surface.triangles, triangles);
  EXPECT_EQ(surface.object_of_triangle, (std::vector<Index>{1, 0, 1}));
  EXPECT_EQ(surface.object_names, (Names{"object 7", "object 40"}));
  EXPECT_FALSE(source->read(0, surface, positions));
}

TEST(FrameSource, ARecordingHasItsBodiesEndToEnd) {
  const TempFolder folder;
  const auto source = open_frames(folder.file("run", sample_bytes()));
  ASSERT_EQ(source->frame_count(), 6u);
  EXPECT_EQ(source->warning(), "");
  FrameSurface surface;
  std::vector<Eigen::Vector3d> positions;
  EXPECT_TRUE(source->read(0, surface, positions));
  EXPECT_EQ(surface.vertex_count, 7u);
  EXPECT_EQ(surface.triangles, (std::vector<Triangle>{{0, 1, 2}, {3, 4, 5}, {5, 4, 6}}));
  EXPECT_EQ(surface.object_of_triangle, (std::vector<Index>{0, 1, 1}));
  EXPECT_EQ(surface.object_names, (Names{"floor", "cloth"}));
  EXPECT_FALSE(source->read(1, surface, positions));
  EXPECT_EQ(positions[3], Eigen::Vector3d(0, 1.0 / 3, 0));
  EXPECT_TRUE(source->read(2, surface, positions));  // the guest comes
  EXPECT_EQ(surface.object_names, (Names{"floor", "guest", "cloth"}));
  EXPECT_EQ(surface.triangles[1], (Triangle{4, 5, 6}));
  EXPECT_EQ(surface.object_of_triangle, (std::vector<Index>{0, 2, 2}));
  EXPECT_TRUE(source->read(3, surface, positions));  // the cloth is cut
  EXPECT_EQ(surface.triangles[2], (Triangle{8, 9, 7}));
  EXPECT_TRUE(source->read(4, surface, positions));  // the guest leaves
  EXPECT_FALSE(source->read(5, surface, positions));
}

TEST(FrameSource, ADamagedRecordingWarns) {
  const TempFolder folder;
  auto bytes = sample_bytes();
  bytes.pop_back();
  const auto source = open_frames(folder.file("run.carom", bytes));
  EXPECT_EQ(source->frame_count(), 6u);
  EXPECT_NE(source->warning().find("run.carom: ends inside its index"), std::string::npos) << source->warning();
}

TEST(FrameSource, WhatItDoesNotKnow) {
  const TempFolder folder;
  expect_error(ErrorCode::io, {"none.obj", "No such file"}, [&] { open_frames(folder / "none.obj"); });
  expect_error(ErrorCode::unknown_name, {"a.txt", ".carom", ".replay", ".obj", "folders"},
               [&] { open_frames(folder.file("a.txt", "hello")); });
  expect_error(ErrorCode::bad_format, {"a.carom", "not a Carom recording"},
               [&] { open_frames(folder.file("a.carom", "hello, hello")); });
  expect_error(ErrorCode::bad_format, {"a.replay", "CRPL"}, [&] { open_frames(folder.file("a.replay", "hello")); });
}

}  // namespace
}  // namespace carom::test
