# Makes a C++ source that says what the code of each part of the tree was: cmake -DROOT=… -DOUT=code_parts.cc -P code_parts.cmake
# A part is a module (espalier/NAME), a folder of research/, or the files of research/ itself. Its code is a hash over the
# names and bytes of its headers and sources; tests are left out.
function(hash_of part)
  set(text "")
  foreach(file ${ARGN})
    file(SHA256 ${ROOT}/${file} hash)
    string(APPEND text "${file} ${hash}\n")
  endforeach()
  string(SHA256 whole "${text}")
  string(SUBSTRING ${whole} 0 16 whole)
  set(table "${table}    {\"${part}\", \"${whole}\"},\n" PARENT_SCOPE)
endfunction()

set(table "")
file(GLOB folders RELATIVE ${ROOT} ${ROOT}/espalier/* ${ROOT}/research/*)
foreach(folder ${folders})
  if(IS_DIRECTORY ${ROOT}/${folder})
    file(GLOB_RECURSE files RELATIVE ${ROOT} ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cc)
    list(FILTER files EXCLUDE REGEX "_test[.]cc$")
    if(files)
      list(SORT files)
      hash_of(${folder} ${files})
    endif()
  endif()
endforeach()
# What only shows results is not part of what makes them.
file(GLOB files RELATIVE ${ROOT} ${ROOT}/research/*.h ${ROOT}/research/*.cc)
list(FILTER files EXCLUDE REGEX "_test[.]cc$|/(page|report_json|schedule|code|experiments)[.](h|cc)$")
list(SORT files)
hash_of(research ${files})
file(WRITE ${OUT} "// Made by cmake/code_parts.cmake from the sources.
#include \"research/code.h\"

namespace espalier::research {
namespace {

constexpr CodePart kParts[] = {
${table}};

}  // namespace

std::span<const CodePart> code_parts() { return kParts; }

}  // namespace espalier::research
")
