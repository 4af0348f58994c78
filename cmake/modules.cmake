# How every part of the tree is built: one static library a folder, its tests beside the sources.

add_library(espalier_options INTERFACE)
target_include_directories(espalier_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(espalier_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # g++ 12 sees overlap in string concatenation where there is none
target_compile_definitions(espalier_options INTERFACE ESPALIER_VERSION="${PROJECT_VERSION}")
if(ESPALIER_SANITIZE)
  target_compile_options(espalier_options INTERFACE -fsanitize=${ESPALIER_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(espalier_options INTERFACE -fsanitize=${ESPALIER_SANITIZE})
endif()

if(ESPALIER_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# espalier_tests(name SOURCES... USES libraries...): one test program, every case known to ctest.
function(espalier_tests name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES" ${ARGN})
  if(NOT ESPALIER_TESTS OR NOT ARG_SOURCES)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_USES} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE ESPALIER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()

# espalier_module(name USES modules and libraries...): library espalier_<name> from *.cc, tests from *_test.cc.
function(espalier_module name)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/espalier/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
  file(GLOB tests CONFIGURE_DEPENDS ${folder}/*_test.cc)
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()
  if(sources)
    add_library(espalier_${name} STATIC ${sources})
    target_link_libraries(espalier_${name} PUBLIC espalier_options ${ARG_USES})
  else()
    add_library(espalier_${name} INTERFACE)
    target_link_libraries(espalier_${name} INTERFACE espalier_options ${ARG_USES})
  endif()
  espalier_tests(${name}_test SOURCES ${tests} USES espalier_${name})
endfunction()
