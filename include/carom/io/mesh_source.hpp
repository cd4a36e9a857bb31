#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "carom/mesh/garment.hpp"
#include "carom/mesh/generate.hpp"
#include "carom/mesh/mesh.hpp"

/// Meshes as data: how they are made, not their vertices.
namespace carom {

/// Sources of a mesh: generators with their numbers, or a file (relative to the scene's file).
struct BoxSource {
  Eigen::Vector3d size{1, 1, 1};
  int segments = 1;
};
struct IcosphereSource {
  double radius = 1;
  int subdivisions = 3;
};
struct TorusSource {
  double radius = 1;
  double tube_radius = 0.4;
  int around = 40;
  int across = 20;
};
struct TrefoilSource {
  double radius = 1;
  double height = 0.5;
  double tube_radius = 0.2;
  int along = 165;
  int across = 12;
};
struct SheetSource {
  double size_x = 1;
  double size_z = 1;
  int segments_x = 20;
  int segments_z = 20;
};
struct RollSource {
  double inner_radius = 0.2;
  double gap = 0.02;
  double turns = 4;
  double width = 1;
  int along = 100;
  int across = 20;
};
struct RibbonSource {
  std::vector<Eigen::Vector3d> path;  ///< m, points of the middle line
  double width = 0.1;                 ///< m
  int along = 100;
  int across = 4;
};
struct ExtrusionSource {
  std::vector<Eigen::Vector2d> outline;  ///< m, corners (x, y)
  double length = 1;                     ///< m, along z
};
struct RevolutionSource {
  std::vector<Eigen::Vector2d> profile;  ///< m, corners (radius, y)
  int around = 40;
};
/// Figure that wears cloth; the animation `walk` of a scripted body moves it.
struct FigureSource {
  double height = 1.75;  ///< m
  int around = 24;
};
/// Panels of a shirt, not sewn; see shirt_seams().
struct ShirtSource : ShirtPattern {};
struct FileSource {
  std::filesystem::path path;
  std::string up = "as-is";   ///< as MeshReadOptions::up
  std::string unit = "file";  ///< as MeshReadOptions::unit
};

/// Placement of a mesh, a place, a turn and a stretch: applied as scale, then rotation, then position.
struct Placement {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();        ///< m
  Eigen::Vector3d rotation_axis = Eigen::Vector3d::UnitY();  ///< any length but zero
  double rotation_degrees = 0;
  Eigen::Vector3d scale = Eigen::Vector3d::Ones();  ///< positive
};

/// Mesh as data: what makes it, and where it goes.
struct MeshSource {
  std::variant<BoxSource, IcosphereSource, TorusSource, TrefoilSource, SheetSource, RollSource, ExtrusionSource,
               RevolutionSource, RibbonSource, FigureSource, ShirtSource, FileSource>
      shape;
  std::vector<Dent> dents;  ///< applied in order, before the placement
  Placement placement;
};

/// Mesh of a source; all objects of a file become one. Throws Error that names the field or the file.
TriangleMesh build(const MeshSource& source);

}  // namespace carom
