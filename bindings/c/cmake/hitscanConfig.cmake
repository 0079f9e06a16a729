# The targets hitscan::hitscan (shared) and hitscan::static of an installed hitscan. Where there is no shared library, as
# for musl, hitscan::hitscan is the static one.

get_filename_component(_hitscan_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(WIN32)
  set(_hitscan_shared "${_hitscan_prefix}/bin/hitscan.dll")
  set(_hitscan_needs "kernel32;ntdll;userenv;ws2_32;dbghelp")
elseif(APPLE)
  set(_hitscan_shared "${_hitscan_prefix}/lib/libhitscan.0.dylib")
  set(_hitscan_needs "")
else()
  set(_hitscan_shared "${_hitscan_prefix}/lib/libhitscan.so.0")
  set(_hitscan_needs "pthread;dl;m;rt;gcc_s")
endif()

if(NOT TARGET hitscan::static)
  add_library(hitscan::static STATIC IMPORTED)
  set_target_properties(hitscan::static PROPERTIES
    IMPORTED_LOCATION "${_hitscan_prefix}/lib/${CMAKE_STATIC_LIBRARY_PREFIX}hitscan${CMAKE_STATIC_LIBRARY_SUFFIX}"
    INTERFACE_INCLUDE_DIRECTORIES "${_hitscan_prefix}/include")

  if(EXISTS "${_hitscan_shared}")
    add_library(hitscan::hitscan SHARED IMPORTED)
    set_target_properties(hitscan::hitscan PROPERTIES
      IMPORTED_LOCATION "${_hitscan_shared}"
      INTERFACE_INCLUDE_DIRECTORIES "${_hitscan_prefix}/include")
    if(WIN32)
      set_target_properties(hitscan::hitscan PROPERTIES IMPORTED_IMPLIB "${_hitscan_prefix}/lib/hitscan.dll.lib")
    elseif(APPLE)
      set_target_properties(hitscan::hitscan PROPERTIES IMPORTED_SONAME "@rpath/libhitscan.0.dylib")
    else()
      set_target_properties(hitscan::hitscan PROPERTIES IMPORTED_SONAME "libhitscan.so.0")
    endif()
  else()
    # musl has its threads in libc; the unwinder is in the library.
    set(_hitscan_needs "")
    add_library(hitscan::hitscan ALIAS hitscan::static)
  endif()

  set_target_properties(hitscan::static PROPERTIES INTERFACE_LINK_LIBRARIES "${_hitscan_needs}")
endif()

unset(_hitscan_prefix)
unset(_hitscan_shared)
unset(_hitscan_needs)
