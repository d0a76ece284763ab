# SPDX-License-Identifier: Apache-2.0
# thaw_embed(TARGET FILE SYMBOL): compiles FILE into TARGET as `const char SYMBOL[]` (a zero byte behind it) and
# `const size_t SYMBOL_size`. The C file is made again whenever FILE changes.
function(thaw_embed target file symbol)
  get_filename_component(file ${file} ABSOLUTE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c)
  file(CONFIGURE OUTPUT ${source} CONTENT
    "#include <stddef.h>\nextern const char ${symbol}[];\nextern const size_t ${symbol}_size;\nconst char ${symbol}[] = {\n${bytes}0};\nconst size_t ${symbol}_size = ${size};\n")
  target_sources(${target} PRIVATE ${source})
endfunction()
