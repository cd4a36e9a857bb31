# All of these are Debian packages (scripts/setup); nothing is downloaded here.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(hwy REQUIRED)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(assimp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Qhull REQUIRED)
find_package(Threads REQUIRED)
find_library(GMP_LIBRARY gmp REQUIRED)

# CAD files (STEP, IGES): read where OpenCASCADE is installed (scripts/setup cad).
option(CAROM_WITH_CAD "Read STEP and IGES where OpenCASCADE is found" ON)
if(CAROM_WITH_CAD)
  find_package(OpenCASCADE QUIET)
endif()
