# How every part of the tree is built: one static library per module, with the tests next to the sources.

# Compile options of every target. The warnings are not passed on to users of the installed library.
add_library(espalier_options INTERFACE)
target_include_directories(espalier_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_compile_features(espalier_options INTERFACE cxx_std_20)
set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # False warnings of g++ 12 about string concatenation, and about impossible sizes where it inlines assign and resize.
  list(APPEND warnings -Wno-restrict -Wno-stringop-overflow)
  if(ESPALIER_SANITIZE)
    list(APPEND warnings -Wno-maybe-uninitialized)  # false warnings in instrumented code
  endif()
endif()
target_compile_options(espalier_options INTERFACE "$<BUILD_INTERFACE:${warnings}>")
# Messages about broken contracts name sources by their path in the tree, so that builds are the same everywhere.
target_compile_options(espalier_options INTERFACE "$<BUILD_INTERFACE:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>")
target_compile_definitions(espalier_options INTERFACE ESPALIER_VERSION="${PROJECT_VERSION}")
# Vectors are at most 256 bits wide (linear/rows.h), and processors that have SSE4 without AVX2 are older than 2013: code for
# others would only cost compile time. SSE2 and AVX2 remain, chosen at run time.
target_compile_definitions(espalier_options INTERFACE "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3|HWY_AVX3_DL)")
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # The compiler's garbage collector waits until so much memory is in use: with 1.5 GB, large translation units take a tenth
  # less time than with 512 MB, and 2.1 GB instead of 1.6.
  cmake_host_system_information(RESULT megabytes QUERY TOTAL_PHYSICAL_MEMORY)
  cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)
  math(EXPR needed "2500 * ${processors} + 2000")
  if(megabytes GREATER_EQUAL needed)
    set(kilobytes 1572864)
  else()
    set(kilobytes 524288)
  endif()
  target_compile_options(espalier_options INTERFACE "$<BUILD_INTERFACE:--param=ggc-min-heapsize=${kilobytes}>")
endif()
if(ESPALIER_SANITIZE)
  if(ESPALIER_SANITIZE MATCHES undefined)
    # These checks take a third of the compile time, and find what the address sanitizer finds, too, or what x86 allows.
    set(unwatched -fno-sanitize=null,object-size,vptr,alignment,pointer-overflow)
  endif()
  set(sanitizing -fsanitize=${ESPALIER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all ${unwatched})
  target_compile_options(espalier_options INTERFACE ${sanitizing})
  target_link_options(espalier_options INTERFACE -fsanitize=${ESPALIER_SANITIZE})
endif()

# Code that takes little time when it runs (the command, what only arranges the work of others, experiments, tests) is
# compiled with less optimisation, in six tenths of the time.
# With -Og, g++ 12 believes that values inside std::optional are used uninitialised.
# What passes over the whole translation unit find out is of little use there, and takes a twentieth of the time.
set(cold_options $<$<CONFIG:RelWithDebInfo>:-Og> $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    $<$<CXX_COMPILER_ID:GNU>:-fno-ipa-modref> $<$<CXX_COMPILER_ID:GNU>:-fno-ipa-pure-const>
    $<$<CXX_COMPILER_ID:GNU>:-fno-ipa-reference> $<$<CXX_COMPILER_ID:GNU>:-fno-ipa-profile>)

# Precompiled headers: those that nearly every translation unit of the library includes (3 s to parse). Not used with a compiler
# cache, which works better without, nor with clang, which is used for fuzzing only.
if(ESPALIER_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/library_headers.cc CONTENT "\n")
  add_library(espalier_library_headers STATIC ${PROJECT_BINARY_DIR}/library_headers.cc)  # position-independent, as its users are
  target_link_libraries(espalier_library_headers PRIVATE espalier_options fmt::fmt nlohmann_json::nlohmann_json)
  target_precompile_headers(espalier_library_headers PRIVATE <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream>
                            <functional> <limits> <map> <memory> <numeric> <optional> <span> <string> <string_view> <thread>
                            <unordered_map> <utility> <variant> <vector> <fmt/format.h>
                            <nlohmann/json.hpp>)
endif()

if(ESPALIER_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  # GoogleTest's headers take longer to compile than most tests. Not used with a compiler cache, as above.
  if(ESPALIER_PCH)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cc CONTENT "int main() {}\n")
    add_executable(espalier_test_headers ${PROJECT_BINARY_DIR}/test_headers.cc)
    target_link_libraries(espalier_test_headers PRIVATE espalier_options GTest::gmock)
    target_compile_options(espalier_test_headers PRIVATE ${cold_options})
    target_precompile_headers(espalier_test_headers PRIVATE <algorithm> <functional> <map> <memory> <optional> <span>
                              <sstream> <string> <vector> <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()

# espalier_tests(name SOURCES... USES libraries...): one test program; ctest runs every case by itself.
function(espalier_tests name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  if(NOT ESPALIER_TESTS OR NOT ARG_SOURCES)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_USES} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE ESPALIER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE ${cold_options})
  if(ESPALIER_PCH)
    target_precompile_headers(${name} REUSE_FROM espalier_test_headers)
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()

# Sources that cannot share a translation unit with others (unity builds): those that Highway compiles once per kind of
# vector, and the two that include liblinear and libsvm, which use the same names for different things.
function(espalier_keep_apart)
  foreach(source ${ARGN})
    file(STRINGS ${source} per_target REGEX "<(hwy/foreach_target|linear|libsvm/svm)[.]h>")
    if(per_target)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
endfunction()

# espalier_prefer_hot_code(target [modules...]): of an inline function that several sources contain, the linker takes the first copy.
# The libraries that are compiled with full optimisation therefore come first, whole; what nothing uses is dropped again.
# `modules` are those that the target needs in addition to what every program does.
function(espalier_prefer_hot_code target)
  get_property(libraries GLOBAL PROPERTY espalier_hot_modules)
  # Most programs do without ensembles and users' own tasks; the shared library has the latter whole already.
  list(REMOVE_ITEM libraries espalier_own_task espalier_ensemble)
  list(APPEND libraries ${ARGN})
  set(files)
  foreach(library ${libraries})
    list(APPEND files $<TARGET_FILE:${library}>)
  endforeach()
  target_link_options(${target} PRIVATE -Wl,--whole-archive ${files} -Wl,--no-whole-archive -Wl,--gc-sections)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${files}")
endfunction()

# What the libraries of all modules have in common.
function(espalier_library_options target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 34)
  target_link_libraries(${target} PUBLIC espalier_options ${ARGN})
  if(TARGET espalier_library_headers)
    target_precompile_headers(${target} REUSE_FROM espalier_library_headers)
  endif()
endfunction()

# espalier_cold_library(name sources... USES libraries...): sources compiled with cold_options. They use the modules, and the
# modules use them.
function(espalier_cold_library name)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  add_library(espalier_${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  espalier_library_options(espalier_${name} ${ARG_USES})
  target_compile_options(espalier_${name} PRIVATE ${cold_options})
  set_property(GLOBAL APPEND PROPERTY espalier_modules ${name})
endfunction()

# espalier_common_cold_library(): the cold sources of all modules that are not APART, as espalier_cold. One library, because a
# compiler spends most of its time on what they have in common.
function(espalier_common_cold_library)
  foreach(what cold_sources cold_uses)
    get_property(${what} GLOBAL PROPERTY espalier_${what})
  endforeach()
  espalier_cold_library(cold ${cold_sources} USES ${cold_uses})
  # The linker reads the modules and this library again until nothing is missing: at most once per level of modules.
  set_target_properties(espalier_cold PROPERTIES UNITY_BUILD_BATCH_SIZE 60 LINK_INTERFACE_MULTIPLICITY 5)
endfunction()

# espalier_module(name [APART] [COLD paths...] USES modules and libraries...): library espalier_<name> from *.cc, tests from
# *_test.cc. COLD names the sources, by regular expressions over their paths in the module, that are compiled with
# cold_options: in espalier_cold, or, of modules that most programs do without (APART), in a library of their own.
function(espalier_module name)
  cmake_parse_arguments(ARG "APART" "" "COLD;USES" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/espalier/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cc)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${folder}/*_test.cc)
  list(FILTER sources EXCLUDE REGEX "/openfst_[a-z]+[.]cc$")  # compiled as C++17 in a separate library
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()
  espalier_keep_apart(${sources})
  set(cold ${sources})
  list(JOIN ARG_COLD "|" paths)
  list(FILTER cold INCLUDE REGEX "^${folder}/(${paths})[.]cc$")
  if(cold)
    list(REMOVE_ITEM sources ${cold})
  endif()
  # Cold sources and the others of a module use each other.
  set(uses ${ARG_USES})
  if(NOT ARG_APART)
    list(FILTER uses EXCLUDE REGEX "^espalier_[a-z]+$")  # other modules add themselves
  endif()
  if(sources)
    list(APPEND uses espalier_${name})
  endif()
  if(NOT ARG_APART)
    set_property(GLOBAL APPEND PROPERTY espalier_cold_sources ${cold})
    set_property(GLOBAL APPEND PROPERTY espalier_cold_uses ${uses})
    list(APPEND ARG_USES espalier_cold)
  elseif(cold)
    espalier_cold_library(${name}_cold ${cold} USES ${uses})
    list(APPEND ARG_USES espalier_${name}_cold)
  endif()
  if(sources)
    add_library(espalier_${name} STATIC ${sources})
    espalier_library_options(espalier_${name} ${ARG_USES})
    set_property(GLOBAL APPEND PROPERTY espalier_hot_modules espalier_${name})
  else()
    add_library(espalier_${name} INTERFACE)
    target_link_libraries(espalier_${name} INTERFACE espalier_options ${ARG_USES})
  endif()
  set_property(GLOBAL APPEND PROPERTY espalier_modules ${name})
  espalier_tests(${name}_test SOURCES ${tests} USES espalier_${name})
endfunction()
