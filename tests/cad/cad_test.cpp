#include <gtest/gtest.h>

#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <Eigen/Geometry>
#include <IGESCAFControl_Writer.hxx>
#include <Interface_Static.hxx>
#include <STEPCAFControl_Writer.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gp_Ax2.hxx>
#include <iterator>
#include <numbers>

#include "carom/core/error.hpp"
#include "carom/io/mesh_file.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;

class CadFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("carom-cad-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// An assembly of a plate and two instances of one pin, 40 mm apart.
  Handle(TDocStd_Document) assembly() {
    Handle(TDocStd_Document) document;
    XCAFApp_Application::GetApplication()->NewDocument("BinXCAF", document);
    const Handle(XCAFDoc_ShapeTool) shapes = XCAFDoc_DocumentTool::ShapeTool(document->Main());
    const Handle(XCAFDoc_ColorTool) colors = XCAFDoc_DocumentTool::ColorTool(document->Main());
    const TDF_Label plate = shapes->AddShape(BRepPrimAPI_MakeBox(100, 60, 10).Shape(), Standard_False);
    TDataStd_Name::Set(plate, "plate");
    colors->SetColor(plate, Quantity_Color(1, 0, 0, Quantity_TOC_RGB), XCAFDoc_ColorSurf);
    const TDF_Label pin = shapes->AddShape(
        BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(30, 30, 5), gp_Dir(0, 0, 1)), 5, 40).Shape(), Standard_False);
    TDataStd_Name::Set(pin, "pin");
    const TDF_Label root = shapes->NewShape();
    TDataStd_Name::Set(root, "machine");
    shapes->AddComponent(root, plate, TopLoc_Location());
    shapes->AddComponent(root, pin, TopLoc_Location());
    gp_Trsf by;
    by.SetTranslation(gp_Vec(40, 0, 0));
    shapes->AddComponent(root, pin, TopLoc_Location(by));
    shapes->UpdateAssemblies();
    return document;
  }

  fs::path write_step(const char* unit) {
    const fs::path path = folder_ / "machine.step";
    STEPCAFControl_Writer writer;
    writer.SetNameMode(Standard_True);
    writer.SetColorMode(Standard_True);
    Interface_Static::SetCVal("write.step.unit", unit);
    EXPECT_TRUE(writer.Transfer(assembly(), STEPControl_AsIs));
    EXPECT_EQ(writer.Write(path.c_str()), IFSelect_RetDone);
    return path;
  }

  fs::path folder_;
};

double volume_of(const MeshFile& file, const std::string& name) {
  double volume = 0;
  for (std::size_t i = 0; i < file.mesh.triangles.size(); ++i) {
    if (file.object_names[static_cast<std::size_t>(file.object_of_triangle[i])] != name) continue;
    const auto corner = [&](std::size_t k) {
      return file.mesh.positions[static_cast<std::size_t>(file.mesh.triangles[i][k])];
    };
    volume += corner(0).cross(corner(1)).dot(corner(2)) / 6;
  }
  return volume;
}

TEST_F(CadFile, NamesInstancesUnitsAndColorsOfStep) {
  {
    const char* const unit = "MM";
    const MeshFile file = read_mesh_file(write_step(unit), {.chord = 1e-5});
    std::vector<std::string> names = file.object_names;
    std::sort(names.begin(), names.end());
    ASSERT_EQ(names, (std::vector<std::string>{"machine/pin", "machine/pin (2)", "machine/plate"})) << unit;
    EXPECT_NEAR(volume_of(file, "machine/plate"), 0.1 * 0.06 * 0.01, 1e-12) << unit;
    // Between the cylinder and the one that is a chord smaller.
    const auto cylinder = [](double radius) { return std::numbers::pi * radius * radius * 0.04; };
    for (const char* pin : {"machine/pin", "machine/pin (2)"}) {
      EXPECT_LE(volume_of(file, pin), cylinder(5e-3)) << unit;
      EXPECT_GE(volume_of(file, pin), cylinder(5e-3 - 2e-5)) << unit;
    }
    EXPECT_GT(file.chord_error, 0);
    EXPECT_LE(file.chord_error, 1e-5 * (1 + 1e-9)) << "in metres, as asked for";
    ASSERT_EQ(file.object_colors.size(), 3U);
    const auto plate = std::find(file.object_names.begin(), file.object_names.end(), "machine/plate");
    const auto& red = file.object_colors[static_cast<std::size_t>(plate - file.object_names.begin())];
    EXPECT_NEAR(red.x(), 1, 1e-3);
    EXPECT_NEAR(red.y(), 0, 1e-3);
  }
}

TEST_F(CadFile, TheUnitOfTheFileCounts) {
  const fs::path path = write_step("MM");
  std::ifstream in(path);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::string millimetre = "SI_UNIT(.MILLI.,.METRE.)";
  ASSERT_NE(text.find(millimetre), std::string::npos);
  for (std::size_t at = 0; (at = text.find(millimetre, at)) != std::string::npos;)
    text.replace(at, millimetre.size(), "SI_UNIT($,.METRE.)");
  std::ofstream(folder_ / "metres.step") << text;
  EXPECT_NEAR(volume_of(read_mesh_file(folder_ / "metres.step"), "machine/plate"), 100.0 * 60 * 10, 1e-6);
}

/// A folder may hold STEP and STL: the unit that is asked for is that of the STL, and of lengths that are shown.
TEST_F(CadFile, TheUnitOfOtherFilesDoesNotScaleStep) {
  const fs::path path = write_step("MM");
  const MeshFile file = read_mesh_file(path, {.unit = "mm", .chord = 0.01});
  EXPECT_NEAR(volume_of(file, "machine/plate"), 0.1 * 0.06 * 0.01, 1e-12);
  EXPECT_LE(file.chord_error, 1e-5 * (1 + 1e-9)) << "in metres, asked for in millimetres";
  EXPECT_GT(file.chord_error, 1e-7);
}

TEST_F(CadFile, TheChordalToleranceHolds) {
  const fs::path path = write_step("MM");
  for (const double chord : {1e-3, 1e-4}) {
    const MeshFile file = read_mesh_file(path, {.chord = chord});
    // The middle of an edge of the pin's side is no farther from the cylinder.
    double deepest = 0;
    for (std::size_t i = 0; i < file.mesh.triangles.size(); ++i) {
      if (file.object_names[static_cast<std::size_t>(file.object_of_triangle[i])] != "machine/pin") continue;
      for (std::size_t k = 0; k < 3; ++k) {
        const Eigen::Vector3d p = file.mesh.positions[static_cast<std::size_t>(file.mesh.triangles[i][k])];
        const Eigen::Vector3d q = file.mesh.positions[static_cast<std::size_t>(file.mesh.triangles[i][(k + 1) % 3])];
        const auto radius = [](const Eigen::Vector3d& v) { return std::hypot(v.x() - 0.03, v.y() - 0.03); };
        if (radius(p) < 4.999e-3 || radius(q) < 4.999e-3) continue;
        if (std::abs(p.z() - q.z()) < 1e-9) continue;  // across an end face
        deepest = std::max(deepest, 5e-3 - radius(0.5 * (p + q)));
      }
    }
    EXPECT_LE(deepest, file.chord_error * (1 + 1e-9));
    EXPECT_LE(file.chord_error, chord * (1 + 1e-9));
  }
}

TEST_F(CadFile, SolidsOfIges) {
  const fs::path path = folder_ / "machine.iges";
  IGESCAFControl_Writer writer;
  ASSERT_TRUE(writer.Transfer(assembly()));
  ASSERT_TRUE(writer.Write(path.c_str()));
  const MeshFile file = read_mesh_file(path, {.weld = 1e-9});
  EXPECT_GE(file.object_names.size(), 1U);
  Eigen::Vector3d low = file.mesh.positions[0];
  Eigen::Vector3d high = low;
  for (const Eigen::Vector3d& p : file.mesh.positions) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  EXPECT_NEAR((low - Eigen::Vector3d(0, 0, 0)).norm(), 0, 1e-9);
  EXPECT_NEAR((high - Eigen::Vector3d(0.1, 0.06, 0.045)).norm(), 0, 1e-9);
}

TEST_F(CadFile, WhatIsDamagedIsNamed) {
  const fs::path path = folder_ / "bad.step";
  std::ofstream(path) << "ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\n#1=BROKEN(";
  try {
    read_mesh_file(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("bad.step"), std::string::npos) << error.what();
  }
  EXPECT_THROW(read_mesh_file(folder_ / "missing.step"), Error);
}

}  // namespace
}  // namespace carom
