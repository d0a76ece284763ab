# SPDX-License-Identifier: Apache-2.0
# Target `coverage`: runs the tests and writes coverage/index.html into the build folder, with gcovr or, failing that, lcov.
find_program(THAW_GCOVR gcovr)
find_program(THAW_LCOV lcov)
find_program(THAW_GENHTML genhtml)
set(page ${CMAKE_BINARY_DIR}/coverage)
if(THAW_GCOVR)
  set(report ${THAW_GCOVR} --root ${PROJECT_SOURCE_DIR} --filter ${PROJECT_SOURCE_DIR}/src/ --filter ${PROJECT_SOURCE_DIR}/app/
    --html-details ${page}/index.html --print-summary ${CMAKE_BINARY_DIR})
elseif(THAW_LCOV AND THAW_GENHTML)
  set(report ${THAW_LCOV} --quiet --capture --directory ${CMAKE_BINARY_DIR} --output-file ${page}/all.info
    COMMAND ${THAW_LCOV} --quiet --extract ${page}/all.info "${PROJECT_SOURCE_DIR}/src/*" "${PROJECT_SOURCE_DIR}/app/*"
      --output-file ${page}/thaw.info
    COMMAND ${THAW_GENHTML} --quiet --output-directory ${page} ${page}/thaw.info
    COMMAND ${THAW_LCOV} --summary ${page}/thaw.info)
else()
  set(report ${CMAKE_COMMAND} -E echo "Install gcovr or lcov for a report. The raw counts are in ${CMAKE_BINARY_DIR}")
endif()
add_custom_target(coverage
  COMMAND find ${CMAKE_BINARY_DIR} -name "*.gcda" -delete # counts of older runs add up otherwise
  COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${CMAKE_BINARY_DIR} --output-on-failure -j2
  COMMAND ${CMAKE_COMMAND} -E make_directory ${page}
  COMMAND ${report}
  USES_TERMINAL VERBATIM)
