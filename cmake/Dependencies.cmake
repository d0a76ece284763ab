# SPDX-License-Identifier: Apache-2.0
# What the library links: THAW_DEPENDENCIES (CMake targets and files), and the same as pkg-config wants it
# (THAW_PC_REQUIRES, THAW_PC_LIBS). ThawConfig.cmake looks the PkgConfig targets up again under the same names.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(THAW_JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(THAW_ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(THAW_PNG REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(THAW_LWS IMPORTED_TARGET libwebsockets) # of the program only
if(NOT THAW_LWS_FOUND)
  message(STATUS "libwebsockets was not found (Debian: libwebsockets-dev): building without the server of thaw view")
endif()

set(THAW_DEPENDENCIES PkgConfig::THAW_JANSSON PkgConfig::THAW_ZLIB Threads::Threads m)
set(THAW_PC_REQUIRES "jansson zlib")
set(THAW_PC_LIBS "-pthread -lm")
set(THAW_LICENCE "Apache-2.0")

# Linked into every program of ours, but not forced on users of the static library.
add_library(thaw_blas INTERFACE)

if(THAW_WITH_CHOLMOD)
  find_library(THAW_CHOLMOD_LIBRARY cholmod)
  find_path(THAW_CHOLMOD_INCLUDE cholmod.h PATH_SUFFIXES suitesparse)
  if(THAW_CHOLMOD_LIBRARY AND THAW_CHOLMOD_INCLUDE)
    set(THAW_HAS_CHOLMOD ON)
  elseif(THAW_WITH_CHOLMOD STREQUAL "AUTO")
    message(STATUS "CHOLMOD was not found: building without it, and so without its solver to cross-check ours")
  else()
    message(FATAL_ERROR "THAW_WITH_CHOLMOD is ON, but libcholmod or cholmod.h was not found (Debian: libsuitesparse-dev)")
  endif()
endif()

# CHOLMOD's supernodal part is GPL 2 or later, and the Apache licence goes together with version 3 only.
if(THAW_HAS_CHOLMOD)
  message(NOTICE "Linking CHOLMOD (supernodal part: GPL 2 or later): the binaries of this build are under "
    "the GPL, version 3 or later, as a whole. -DTHAW_WITH_CHOLMOD=OFF gives binaries under the Apache licence.")
  set(THAW_LICENCE "GPL-3.0-or-later as linked with CHOLMOD, Apache-2.0 as source")
  list(PREPEND THAW_DEPENDENCIES ${THAW_CHOLMOD_LIBRARY})
  string(PREPEND THAW_PC_LIBS "-lcholmod ")

  # CHOLMOD asks for "libblas.so.3", whichever flavour the system points it to. The threaded flavours of OpenBLAS change
  # bits with the number of threads and crawl on busy cores, so our programs name the serial one, where it is installed,
  # and it is loaded first.
  find_path(THAW_OPENBLAS_SERIAL libblas.so.3 NO_DEFAULT_PATH
    PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial /usr/lib/openblas-serial)
  if(THAW_OPENBLAS_SERIAL)
    target_link_options(thaw_blas INTERFACE -Wl,--no-as-needed)
    foreach(name libopenblas.so.0 libblas.so.3 liblapack.so.3)
      target_link_libraries(thaw_blas INTERFACE ${THAW_OPENBLAS_SERIAL}/${name})
    endforeach()
  else()
    message(STATUS "The serial flavour of OpenBLAS (Debian: libopenblas0-serial) was not found: using the system's BLAS")
  endif()
endif()
