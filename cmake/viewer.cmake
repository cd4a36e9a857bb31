# Builds the web page with npm and puts it into the library as bytes.
find_program(NPM npm REQUIRED)
set(VIEWER_DIR ${PROJECT_SOURCE_DIR}/viewer)
set(VIEWER_BUILD_DIR ${PROJECT_BINARY_DIR}/viewer)
set(CAROM_VIEWER_PAGE ${VIEWER_BUILD_DIR}/index.html)
file(GLOB_RECURSE VIEWER_SOURCES CONFIGURE_DEPENDS ${VIEWER_DIR}/src/* ${VIEWER_DIR}/index.html)
set(VIEWER_CONFIG ${VIEWER_DIR}/package.json ${VIEWER_DIR}/package-lock.json ${VIEWER_DIR}/vite.config.js)

# The packages are shared by all presets; the stamp is beside them so that they are installed once.
add_custom_command(OUTPUT ${VIEWER_DIR}/node_modules/.carom-installed
  COMMAND ${NPM} ci --no-audit --no-fund --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch ${VIEWER_DIR}/node_modules/.carom-installed
  DEPENDS ${VIEWER_DIR}/package.json ${VIEWER_DIR}/package-lock.json
  WORKING_DIRECTORY ${VIEWER_DIR} COMMENT "Installing the viewer's packages")
add_custom_command(OUTPUT ${CAROM_VIEWER_PAGE}
  COMMAND ${NPM} run --silent build -- --outDir ${VIEWER_BUILD_DIR} --emptyOutDir --logLevel warn
  DEPENDS ${VIEWER_SOURCES} ${VIEWER_CONFIG} ${VIEWER_DIR}/node_modules/.carom-installed
  WORKING_DIRECTORY ${VIEWER_DIR} COMMENT "Building the viewer")

configure_file(${PROJECT_SOURCE_DIR}/src/io/recording/viewer_page.S.in ${VIEWER_BUILD_DIR}-page.S @ONLY)
set_source_files_properties(${VIEWER_BUILD_DIR}-page.S PROPERTIES OBJECT_DEPENDS ${CAROM_VIEWER_PAGE})
target_sources(carom PRIVATE ${VIEWER_BUILD_DIR}-page.S)
target_compile_definitions(carom PRIVATE CAROM_HAS_VIEWER)
