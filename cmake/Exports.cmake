# SPDX-License-Identifier: Apache-2.0
# The shared library shows exactly the functions that include/thaw declares. They are read off the headers into a linker
# version script, so the headers need no export macro and an internal function cannot leak.
file(GLOB THAW_HEADERS CONFIGURE_DEPENDS include/thaw/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${THAW_HEADERS})
set(THAW_PUBLIC_FUNCTIONS)
foreach(header ${THAW_HEADERS})
  file(STRINGS ${header} lines REGEX "^[^/]*thaw_[a-z0-9_]+\\(")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "thaw_[a-z0-9_]+\\(" name "${line}")
    string(REPLACE "(" "" name "${name}")
    list(APPEND THAW_PUBLIC_FUNCTIONS ${name})
  endforeach()
endforeach()
list(SORT THAW_PUBLIC_FUNCTIONS)
list(REMOVE_DUPLICATES THAW_PUBLIC_FUNCTIONS)
list(JOIN THAW_PUBLIC_FUNCTIONS "\n" names)
file(CONFIGURE OUTPUT public_functions.txt CONTENT "${names}\n") # for tests/install
list(JOIN THAW_PUBLIC_FUNCTIONS ";\n    " names)
file(CONFIGURE OUTPUT thaw.map CONTENT "THAW_${PROJECT_VERSION_MAJOR} {\n  global:\n    ${names};\n  local: *;\n};\n")

# Before 1.0 a minor version may break the binary interface, so it belongs to the soname.
set_target_properties(thaw_shared PROPERTIES OUTPUT_NAME thaw VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/thaw.map)
target_link_options(thaw_shared PRIVATE -Wl,--version-script=${CMAKE_CURRENT_BINARY_DIR}/thaw.map
  -Wl,-Bsymbolic-functions)
target_link_libraries(thaw_shared PRIVATE thaw_blas)
if(THAW_SANITIZE OR THAW_COVERAGE)
  target_link_libraries(thaw_shared PRIVATE thaw_flags)
else()
  target_link_options(thaw_shared PRIVATE -Wl,-z,defs)
endif()
