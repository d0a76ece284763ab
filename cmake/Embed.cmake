# SPDX-License-Identifier: Apache-2.0
# thaw_embed_text(TARGET FILE SYMBOL): FILE becomes part of TARGET as
#     const char SYMBOL[];        its bytes and a closing zero
#     const size_t SYMBOL_size;   how many, the zero not counted
# The C source is made when FILE changes, by running this same file as a script (-P).
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(READ "${INPUT}" bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(REPEAT "...." 28 line) # 28 escapes of four characters a line
  string(REGEX REPLACE "(${line})" "\\1\"\n    \"" bytes "${bytes}")
  file(SIZE "${INPUT}" size)
  file(WRITE "${OUTPUT}" "// Made from ${NAME}.\n#include <stddef.h>\n\nextern const char ${SYMBOL}[];\n"
    "extern const size_t ${SYMBOL}_size;\n\nconst size_t ${SYMBOL}_size = ${size};\nconst char ${SYMBOL}[] =\n    \"${bytes}\";\n")
  return()
endif()

set(THAW_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

function(thaw_embed_text target file symbol)
  set(input ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  if(NOT EXISTS ${input})
    message(FATAL_ERROR "${file} is missing; it becomes ${symbol} in ${target}")
  endif()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c)
  add_custom_command(OUTPUT ${output} DEPENDS ${input} ${THAW_EMBED_SCRIPT} VERBATIM COMMENT "Embedding ${file}"
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DNAME=${file} -DSYMBOL=${symbol} -P ${THAW_EMBED_SCRIPT})
  target_sources(${target} PRIVATE ${output})
endfunction()
