# All of these are Debian packages (scripts/setup); nothing is downloaded here.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(hwy REQUIRED)
find_package(fmt REQUIRED)
find_package(ZLIB REQUIRED)
find_package(assimp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
