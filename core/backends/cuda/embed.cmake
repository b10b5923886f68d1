# Writes the files that NVRTC reads into a C++ file, as strings.
# Run as: cmake -DROOTS=... -DFILES=... -DOUTPUT=... -P embed.cmake; a file's name is its path in the root it is in.
set(entries "")
foreach(file ${FILES})
  foreach(root ${ROOTS})
    cmake_path(IS_PREFIX root "${file}" NORMALIZE inside)
    if(inside)
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${root}" OUTPUT_VARIABLE name)
      break()
    endif()
  endforeach()
  file(SHA256 "${file}" sha256)
  file(READ "${file}" text)
  string(FIND "${text}" ")crossdock\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${file} holds what ends the string it would become")
  endif()
  string(APPEND entries "    {\"${name}\", \"${sha256}\", R\"crossdock(${text})crossdock\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made by embed.cmake.
#include \"sources.h\"

namespace crossdock::cuda {
namespace {

constexpr Source kSources[] = {
${entries}};

}  // namespace

std::span<const Source> sources() noexcept { return kSources; }

}  // namespace crossdock::cuda
")
