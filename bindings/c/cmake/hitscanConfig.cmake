# The targets hitscan::hitscan (shared) and hitscan::static of an installed hitscan.

get_filename_component(_hitscan_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET hitscan::hitscan)
  add_library(hitscan::hitscan SHARED IMPORTED)
  set_target_properties(hitscan::hitscan PROPERTIES
    IMPORTED_LOCATION "${_hitscan_prefix}/lib/${CMAKE_SHARED_LIBRARY_PREFIX}hitscan${CMAKE_SHARED_LIBRARY_SUFFIX}"
    IMPORTED_SONAME "libhitscan.so.0"
    INTERFACE_INCLUDE_DIRECTORIES "${_hitscan_prefix}/include")

  add_library(hitscan::static STATIC IMPORTED)
  set_target_properties(hitscan::static PROPERTIES
    IMPORTED_LOCATION "${_hitscan_prefix}/lib/libhitscan.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_hitscan_prefix}/include")
  if(UNIX AND NOT APPLE)
    set_target_properties(hitscan::static PROPERTIES INTERFACE_LINK_LIBRARIES "pthread;dl;m;rt;gcc_s")
  endif()
endif()

unset(_hitscan_prefix)
