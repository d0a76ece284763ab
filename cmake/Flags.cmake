# SPDX-License-Identifier: Apache-2.0
# thaw_flags: what everything of ours is compiled with. Never -ffast-math, and no contraction into fused operations:
# the same source must give the same bits on every processor.
include(CheckCCompilerFlag)
add_library(thaw_flags INTERFACE)
target_compile_options(thaw_flags INTERFACE -Wall -Wextra -Wshadow -Wpointer-arith
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes> -ffp-contract=off -fno-math-errno)

# Adds a flag where the compiler knows it.
function(thaw_flag flag)
  string(MAKE_C_IDENTIFIER "THAW_HAS${flag}" known)
  check_c_compiler_flag(${flag} ${known})
  if(${known})
    target_compile_options(thaw_flags INTERFACE ${flag})
  endif()
endfunction()

thaw_flag(-Wno-psabi) # ThawLanes is passed only between functions of one build
thaw_flag(-fno-semantic-interposition)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 13)
  thaw_flag(-fno-ipa-modref) # gcc 12.2 at -O1 and -O2 drops stores into an array that is passed on (seen in map/test_part)
endif()
if(THAW_NATIVE)
  thaw_flag(-march=native)
  thaw_flag(-mprefer-vector-width=512)
endif()
target_compile_definitions(thaw_flags INTERFACE $<$<CONFIG:Debug>:THAW_ASSERTIONS>) # base/assert.h
if(THAW_WERROR)
  target_compile_options(thaw_flags INTERFACE -Werror)
  if(THAW_NATIVE)
    # What the optimiser's flow analysis warns of depends on the processor's instructions: a build for one of them must
    # not fail for that. The portable build holds it.
    thaw_flag(-Wno-error=maybe-uninitialized)
    thaw_flag(-Wno-error=array-bounds)
    thaw_flag(-Wno-error=stringop-overflow)
  endif()
endif()
if(THAW_SANITIZE)
  target_compile_options(thaw_flags INTERFACE -fsanitize=${THAW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(thaw_flags INTERFACE -fsanitize=${THAW_SANITIZE})
  thaw_flag(-Wno-maybe-uninitialized) # instrumented code leads gcc astray here; the release has this warning
endif()
if(THAW_COVERAGE)
  target_compile_options(thaw_flags INTERFACE --coverage)
  target_link_options(thaw_flags INTERFACE --coverage)
endif()
