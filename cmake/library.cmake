# The one library that other programs link: libespalier, shared and static, made of the modules. The shared one exports
# only the public API; the static one contains everything, and its users link the dependencies themselves
# (espalierConfig.cmake and espalier.pc name them).
get_property(modules GLOBAL PROPERTY espalier_modules)

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/library.cc CONTENT "// All code comes from the modules.\n")
add_library(espalier_shared SHARED ${PROJECT_BINARY_DIR}/library.cc)
target_link_libraries(espalier_shared PRIVATE espalier_report espalier_combine espalier_api espalier_own_task)
target_link_options(espalier_shared PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/public.symbols
                    -Wl,--no-undefined)
espalier_prefer_hot_code(espalier_shared espalier_ensemble espalier_cold)  # the latter has what espalier.h declares
set_target_properties(espalier_shared PROPERTIES
  # All of what implements the public headers, also where other modules name it.
  LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,espalier_combine_cold,espalier_report_cold,espalier_own_task"
  OUTPUT_NAME espalier VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/public.symbols LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
  EXPORT_NAME espalier)
target_include_directories(espalier_shared INTERFACE $<INSTALL_INTERFACE:include>)
target_compile_features(espalier_shared INTERFACE cxx_std_20)

# ar merges the modules' archives into one.
set(archive ${PROJECT_BINARY_DIR}/lib/libespalier.a)
set(script "create ${archive}\n")
foreach(module ${modules})
  get_target_property(type espalier_${module} TYPE)
  if(type STREQUAL STATIC_LIBRARY)
    string(APPEND script "addlib $<TARGET_FILE:espalier_${module}>\n")
    list(APPEND archives espalier_${module})
  endif()
endforeach()
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/libespalier.mri CONTENT "${script}save\nend\n")
add_custom_command(OUTPUT ${archive}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/lib
  COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
  COMMAND sh -c "${CMAKE_AR} -M <libespalier.mri"
  COMMAND ${CMAKE_STRIP} --strip-debug ${archive}
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
  DEPENDS ${archives} ${PROJECT_BINARY_DIR}/libespalier.mri COMMENT "Merging the modules into libespalier.a" VERBATIM)
add_custom_target(espalier_static DEPENDS ${archive})
add_custom_target(library DEPENDS espalier_shared espalier_static)

# The public headers as they are installed: exactly two, with their parts from espalier/public inside.
function(espalier_inline_header name out)
  file(READ ${PROJECT_SOURCE_DIR}/espalier/${name} text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/espalier/${name})
  string(REGEX REPLACE "#pragma once\n" "" text "${text}")
  set(result "")
  # Line by line, semicolons kept: a list would split at them.
  while(NOT text STREQUAL "")
    string(FIND "${text}" "\n" end)
    if(end EQUAL -1)
      set(line "${text}")
      set(text "")
    else()
      string(SUBSTRING "${text}" 0 ${end} line)
      math(EXPR next "${end} + 1")
      string(SUBSTRING "${text}" ${next} -1 text)
    endif()
    if(line MATCHES "^#include \"espalier/(public/[a-z_]+[.]h)\"")
      set(part ${CMAKE_MATCH_1})
      get_property(seen GLOBAL PROPERTY espalier_inlined)
      if(NOT part IN_LIST seen)
        set_property(GLOBAL APPEND PROPERTY espalier_inlined ${part})
        espalier_inline_header(${part} inlined)
        string(APPEND result "${inlined}")
      endif()
    else()
      string(APPEND result "${line}\n")
    endif()
  endwhile()
  set(${out} "${result}" PARENT_SCOPE)
endfunction()
function(espalier_installed_header name first_lines)
  espalier_inline_header(${name} whole)
  set(path ${PROJECT_BINARY_DIR}/include/espalier/${name})
  file(WRITE ${path}.new "#pragma once\n${first_lines}${whole}")
  file(COPY_FILE ${path}.new ${path} ONLY_IF_DIFFERENT)
endfunction()
set_property(GLOBAL PROPERTY espalier_inlined "")
espalier_installed_header(espalier.h "")
# What the two share is in the first.
espalier_installed_header(task.h "#include <espalier/espalier.h>\n")
