# embedded_sources: the C++ file with all that NVRTC reads, rebuilt when some of it changes.
set(functors_root ${CMAKE_CURRENT_SOURCE_DIR}/include)
set(kernels_root ${CMAKE_CURRENT_SOURCE_DIR}/backends/cuda)
file(GLOB device_files CONFIGURE_DEPENDS ${functors_root}/crossdock/functors/*.h ${kernels_root}/kernels/*.h
     ${kernels_root}/kernels/*.cuh)
set(embedded_sources ${CMAKE_CURRENT_BINARY_DIR}/embedded_sources.cpp)
add_custom_command(OUTPUT ${embedded_sources}
  COMMAND ${CMAKE_COMMAND} "-DROOTS=${functors_root};${kernels_root}" "-DFILES=${device_files}"
          -DOUTPUT=${embedded_sources} -P ${kernels_root}/embed.cmake
  DEPENDS ${device_files} ${kernels_root}/embed.cmake VERBATIM)
set_source_files_properties(${embedded_sources} PROPERTIES INCLUDE_DIRECTORIES ${kernels_root})
