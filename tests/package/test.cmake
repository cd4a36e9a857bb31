# Installs the build tree SOURCE was built in (BUILD) and builds and runs an outside project on it.
set(WORK ${BUILD}/package-test)
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  message("${output}")
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/package -B ${WORK}/build -G Ninja -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/installed)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/outside)
execute_process(COMMAND ${WORK}/build/readme RESULT_VARIABLE result OUTPUT_VARIABLE output)
if(NOT result EQUAL 0 OR NOT output MATCHES "vertex-face [0-9]+ - [0-9]+, 0\\.0[0-9]+ m apart")
  message(FATAL_ERROR "the example of the README printed:\n${output}")
endif()
if(EXISTS ${WORK}/installed/bin/carom)
  run(${WORK}/installed/bin/carom --version)
endif()
