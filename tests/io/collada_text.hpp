#pragma once

#include <string>

namespace carom::test {

/// A COLLADA file of one geometry "g", a triangle with corners (0,0,0) (1,2,3) (0,1,0), with the given asset, other
/// libraries and nodes of the scene.
inline std::string collada_text(const std::string& asset, const std::string& nodes, const std::string& libraries = "") {
  return R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>)" +
         asset + R"(</asset>
<library_geometries><geometry id="g" name="plate"><mesh>
<source id="p"><float_array id="pa" count="9">0 0 0 1 2 3 0 1 0</float_array><technique_common>
<accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
)" + libraries +
         R"(<library_visual_scenes><visual_scene id="s">)" + nodes + R"(</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>
)";
}

inline const std::string collada_node = R"(<node id="n"><instance_geometry url="#g"/></node>)";

}  // namespace carom::test
