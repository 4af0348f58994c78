# Makes a C++ source of the files of the service's page: cmake -DFOLDER=server/page -DOUT=page_files.cc -P embed.cmake
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
set(arrays "")
set(table "")
set(number 0)
foreach(file ${files})
  if(file MATCHES "[.]html$")
    set(type "text/html; charset=utf-8")
  elseif(file MATCHES "[.]css$")
    set(type "text/css; charset=utf-8")
  elseif(file MATCHES "[.]js$")
    set(type "text/javascript; charset=utf-8")
  elseif(file MATCHES "[.]svg$")
    set(type "image/svg+xml")
  elseif(file MATCHES "[.]png$")
    set(type "image/png")
  elseif(file MATCHES "[.]json$")
    set(type "application/json")
  else()
    message(FATAL_ERROR "${FOLDER}/${file}: what its media type is, is not known")
  endif()
  file(READ ${FOLDER}/${file} bytes HEX)
  file(SHA256 ${FOLDER}/${file} hash)
  string(SUBSTRING ${hash} 0 32 hash)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  # String literals one after the other are one; short ones keep compilers quick.
  string(REGEX REPLACE "(................................................................................................................................................................)" "\\1\"\n    \"" bytes "${bytes}")
  string(APPEND arrays "constexpr char kFile${number}[] =\n    \"${bytes}\";\n")
  string(APPEND table "    {\"${file}\", \"${type}\", \"\\\"${hash}\\\"\", {kFile${number}, sizeof(kFile${number}) - 1}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "// Made by cmake/embed.cmake from the files of the page.
#include \"server/service.h\"

namespace espalier::server {
namespace {
${arrays}
constexpr PageFile kFiles[] = {
${table}};
}  // namespace

std::span<const PageFile> page_files() { return kFiles; }

}  // namespace espalier::server
")
