# Flags of our own targets. Contraction is off so that every machine gets the same bits.
add_library(carom_compile_options INTERFACE)
target_compile_options(carom_compile_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wnon-virtual-dtor;-Woverloaded-virtual;-Wcast-qual;-Wformat=2;-Wundef>
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
  # GCC 12 with SLP vectorisation turns double -> float -> double into nothing (seen on arrays of
  # three); boxes and recordings rely on that rounding.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-fno-tree-slp-vectorize>
  # A folder compiled as one file: GCC takes the sources in it for headers.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>)

# Sanitizers go everywhere or nowhere: a half-instrumented program reports nonsense.
if(CAROM_SANITIZE)
  add_compile_options(-fsanitize=${CAROM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${CAROM_SANITIZE})
  if(CAROM_SANITIZE MATCHES thread)
    add_compile_definitions(CAROM_THREAD_SANITIZER)
  endif()
endif()

# ccache looks into a precompiled header only if told that its macros and dates may be taken on trust.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_PCH_INSTANTIATE_TEMPLATES OFF)
  add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang>>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# What nearly every test includes, read once: a third of the time of a build.
set(CAROM_COMMON_HEADERS <Eigen/Core> <Eigen/Geometry> <algorithm> <array> <cmath> <functional> <memory> <optional>
    <span> <string> <vector>)
