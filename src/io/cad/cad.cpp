/// CAD files, by OpenCASCADE: the only folder that sees it. Without that library reading one is refused by name.
#include "core/check.hpp"
#include "io/mesh/mesh_parse.hpp"

#ifndef CAROM_HAS_CAD

namespace carom::io {

bool has_cad() {
  return false;
}

MeshFile import_cad(const std::string& path, const std::string&, const CadOptions&) {
  fail(ErrorCode::unsupported,
       "{}: this build reads no CAD files; install OpenCASCADE (scripts/setup cad) and build again", path);
}

}  // namespace carom::io

#else

#include <BRepBndLib.hxx>
#include <BRepMesh_IncrementalMesh.hxx>
#include <BRep_Tool.hxx>
#include <Bnd_Box.hxx>
#include <IGESCAFControl_Reader.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Poly_Triangulation.hxx>
#include <Quantity_Color.hxx>
#include <STEPCAFControl_Reader.hxx>
#include <Standard_Failure.hxx>
#include <TCollection_AsciiString.hxx>
#include <TDF_LabelSequence.hxx>
#include <TDataStd_Name.hxx>
#include <TDocStd_Document.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Face.hxx>
#include <XCAFApp_Application.hxx>
#include <XCAFDoc_ColorTool.hxx>
#include <XCAFDoc_DocumentTool.hxx>
#include <XCAFDoc_LengthUnit.hxx>
#include <XCAFDoc_ShapeTool.hxx>
#include <array>
#include <map>
#include <mutex>
#include <optional>

#include "io/mesh/mesh_builder.hpp"

namespace carom::io {
namespace {

/// Chordal tolerance where none is asked for, as a fraction of the diagonal of a part, and the angle between triangles
/// of a curved face in radians.
constexpr double default_chord = 1e-3;
constexpr double chord_angle = 0.35;
/// Levels of sub-assemblies: files decide how deep they go.
constexpr int max_levels = 64;
constexpr double millimetre = 1e-3;  ///< OpenCASCADE converts what it reads to millimetres

/// OpenCASCADE keeps parameters of reading in tables of the process.
std::mutex& library_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::string name_of(const TDF_Label& label) {
  Handle(TDataStd_Name) name;
  if (!label.FindAttribute(TDataStd_Name::GetID(), name)) return {};
  return TCollection_AsciiString(name->Get()).ToCString();
}

class CadImport {
 public:
  CadImport(const std::string& path, const CadOptions& options)
      : path_(path), options_(options), builder_(path, triangle_limit(options.max_triangles, 0)) {}

  MeshFile run(const Handle(TDocStd_Document) & document) {
    shapes_ = XCAFDoc_DocumentTool::ShapeTool(document->Main());
    colors_ = XCAFDoc_DocumentTool::ColorTool(document->Main());
    TDF_LabelSequence roots;
    shapes_->GetFreeShapes(roots);
    for (Standard_Integer i = 1; i <= roots.Length(); ++i) visit(roots.Value(i), "", TopLoc_Location(), {}, 0);
    MeshFile file = builder_.take();
    file.chord_error = chord_error_;
    for (const std::string& name : file.object_names) {
      const auto color = color_of_.find(name);
      file.object_colors.push_back(color == color_of_.end() ? Eigen::Vector3f(-1, -1, -1) : color->second);
      const auto lost = lost_.find(name);
      if (!lost_.empty()) file.lost_faces.push_back(lost == lost_.end() ? 0 : lost->second);
    }
    return file;
  }

 private:
  using Color = std::optional<Eigen::Vector3f>;

  Color color_of(const TDF_Label& label, const Color& inherited) const {
    Quantity_Color color;
    for (const XCAFDoc_ColorType type : {XCAFDoc_ColorSurf, XCAFDoc_ColorGen}) {
      if (colors_->GetColor(label, type, color))
        return Eigen::Vector3f(static_cast<float>(color.Red()), static_cast<float>(color.Green()),
                               static_cast<float>(color.Blue()));
    }
    return inherited;
  }

  void visit(const TDF_Label& label, const std::string& parent, const TopLoc_Location& place, const Color& inherited,
             int level) {
    require(level < max_levels, ErrorCode::unsupported, "{}: assemblies are nested more than {} levels deep", path_,
            max_levels);
    TDF_Label definition = label;
    TopLoc_Location here = place;
    Color color = color_of(label, inherited);
    std::string name = name_of(label);
    if (XCAFDoc_ShapeTool::IsReference(label)) {
      here = place * XCAFDoc_ShapeTool::GetLocation(label);
      XCAFDoc_ShapeTool::GetReferredShape(label, definition);
      color = color_of(definition, color);
      // An instance that the file does not name is called like the part.
      const std::string part = name_of(definition);
      if (name.empty() || name.starts_with("=>") || name.starts_with("NAUO")) name = part;
    }
    if (name.empty()) name = default_object_name(path_);
    const std::string full = parent.empty() ? name : parent + "/" + name;
    if (XCAFDoc_ShapeTool::IsAssembly(definition)) {
      TDF_LabelSequence components;
      XCAFDoc_ShapeTool::GetComponents(definition, components);
      for (Standard_Integer i = 1; i <= components.Length(); ++i)
        visit(components.Value(i), full, here, color, level + 1);
      return;
    }
    add_shape(XCAFDoc_ShapeTool::GetShape(definition).Moved(here), full, color);
  }

  /// Solids, then shells and faces that belong to none.
  void add_shape(const TopoDS_Shape& shape, const std::string& name, const Color& color) {
    triangulate(shape);
    std::size_t count = 0;
    for (TopExp_Explorer solid(shape, TopAbs_SOLID); solid.More(); solid.Next()) ++count;
    std::size_t number = 0;
    for (TopExp_Explorer solid(shape, TopAbs_SOLID); solid.More(); solid.Next())
      add_object(solid.Current(), count > 1 ? fmt::format("{}#{}", name, ++number) : name, color, TopAbs_SHAPE);
    if (TopExp_Explorer(shape, TopAbs_FACE, TopAbs_SOLID).More())
      add_object(shape, count > 0 ? name + "#surface" : name, color, TopAbs_SOLID);
  }

  void triangulate(const TopoDS_Shape& shape) {
    Bnd_Box box;
    BRepBndLib::Add(shape, box);
    if (box.IsVoid()) return;
    const double size = std::sqrt(box.SquareExtent());
    const double chord = options_.chord > 0 ? options_.chord / millimetre : default_chord * size;
    BRepMesh_IncrementalMesh(shape, chord, Standard_False, chord_angle, Standard_False);
  }

  void add_object(const TopoDS_Shape& shape, const std::string& name, const Color& color, TopAbs_ShapeEnum avoid) {
    const int again = ++seen_[name];
    const std::string unique = again > 1 ? fmt::format("{} ({})", name, again) : name;
    if (color) color_of_[unique] = *color;
    builder_.begin_object(unique);
    for (TopExp_Explorer face(shape, TopAbs_FACE, avoid); face.More(); face.Next()) {
      if (!add_face(TopoDS::Face(face.Current()))) ++lost_[unique];
    }
  }

  /// False if the face could not be cut into triangles.
  bool add_face(const TopoDS_Face& face) {
    TopLoc_Location place;
    const Handle(Poly_Triangulation) triangles = BRep_Tool::Triangulation(face, place);
    if (triangles.IsNull()) return false;
    chord_error_ = std::max(chord_error_, millimetre * triangles->Deflection());
    const bool turned = (face.Orientation() == TopAbs_REVERSED) != place.Transformation().IsNegative();
    const auto vertex = [&](Standard_Integer i) {
      const gp_Pnt p = triangles->Node(i).Transformed(place.Transformation());
      return builder_.vertex(millimetre * Eigen::Vector3d(p.X(), p.Y(), p.Z()));
    };
    for (Standard_Integer i = 1; i <= triangles->NbTriangles(); ++i) {
      Standard_Integer a = 0;
      Standard_Integer b = 0;
      Standard_Integer c = 0;
      triangles->Triangle(i).Get(a, b, c);
      const Triangle t{vertex(a), vertex(turned ? c : b), vertex(turned ? b : c)};
      if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) builder_.triangle(t);
    }
    return true;
  }

  const std::string& path_;
  const CadOptions& options_;
  MeshBuilder builder_;
  Handle(XCAFDoc_ShapeTool) shapes_;
  Handle(XCAFDoc_ColorTool) colors_;
  std::map<std::string, int> seen_;
  std::map<std::string, Eigen::Vector3f> color_of_;
  std::map<std::string, std::size_t> lost_;  ///< faces, by object
  double chord_error_ = 0;
};

template <class Reader>
void transfer(Reader& reader, const std::string& path, Handle(TDocStd_Document) document) {
  reader.SetNameMode(Standard_True);
  reader.SetColorMode(Standard_True);
  require(reader.ReadFile(path.c_str()) == IFSelect_RetDone, ErrorCode::bad_format, "{}: is damaged or no CAD file",
          path);
  require(reader.Transfer(document), ErrorCode::bad_format, "{}: holds no shape that can be read", path);
}

}  // namespace

bool has_cad() {
  return true;
}

MeshFile import_cad(const std::string& path, const std::string& extension, const CadOptions& options) {
  const std::lock_guard lock(library_mutex());
  Message::DefaultMessenger()->ChangePrinters().Clear();  // errors are told as exceptions
  try {
    const Handle(XCAFApp_Application) application = XCAFApp_Application::GetApplication();
    Handle(TDocStd_Document) document;
    application->NewDocument("BinXCAF", document);
    if (extension == ".step" || extension == ".stp") {
      STEPCAFControl_Reader reader;
      transfer(reader, path, document);
    } else {
      IGESCAFControl_Reader reader;
      transfer(reader, path, document);
    }
    MeshFile file = CadImport(path, options).run(document);
    application->Close(document);
    require(!file.mesh.triangles.empty(), ErrorCode::bad_mesh, "{}: has no faces", path);
    file.unit = 1;  // read as millimetres whatever the file says, and taken to metres above
    file.unit_told_by = ToldBy::file;
    return file;
  } catch (const Standard_Failure& failure) {
    fail(ErrorCode::bad_format, "{}: {}", path,
         failure.GetMessageString() != nullptr ? failure.GetMessageString() : "is damaged");
  }
}

}  // namespace carom::io

#endif
