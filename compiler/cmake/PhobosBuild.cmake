# Flags and the three functions that every folder uses.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Dev)
endif()
# Dev: assertions on and just enough optimisation that the interpreter and the tests run at a useful speed.
set(CMAKE_CXX_FLAGS_DEV "-O1")
set(CMAKE_C_FLAGS_DEV "-O1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(PHOBOS_CCACHE ccache)
if(PHOBOS_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PHOBOS_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${PHOBOS_CCACHE})
endif()

find_program(PHOBOS_LLD ld.lld-22)
find_program(PHOBOS_MOLD mold)
if(PHOBOS_STATIC AND PHOBOS_LLD)
  add_link_options(--ld-path=${PHOBOS_LLD} -Wl,--icf=all)
elseif(PHOBOS_MOLD)
  add_link_options(--ld-path=${PHOBOS_MOLD})
elseif(PHOBOS_LLD)
  add_link_options(--ld-path=${PHOBOS_LLD})
endif()
if(PHOBOS_STATIC)
  add_compile_options(-ffunction-sections -fdata-sections)
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,--as-needed -s)
endif()
if(PHOBOS_SANITIZE)
  add_compile_options(-fsanitize=${PHOBOS_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PHOBOS_SANITIZE})
  add_library(phobos-sanitizer-options OBJECT ${CMAKE_CURRENT_LIST_DIR}/sanitizer_options.c)
  link_libraries($<BUILD_INTERFACE:$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:phobos-sanitizer-options>>)
endif()
if(PHOBOS_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link) # coverage counters everywhere; each fuzzer links the driver itself
endif()

# phobos_calls_generated_code(FILE ..): sources that call what was compiled at run time. The sanitizer's check of a function's type
# reads the bytes before the function, where code from memory may have no page.
function(phobos_calls_generated_code)
  if(PHOBOS_SANITIZE)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -fno-sanitize=function)
  endif()
endfunction()

set(PHOBOS_WARNINGS -Wall -Wextra -Wshadow -Wno-unused-parameter)

# phobos_library(NAME SOURCES a.cpp .. [DEPS target ..]): a static library `NAME`; headers are found from the repository's root.
function(phobos_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>)
  target_compile_options(${name} PRIVATE ${PHOBOS_WARNINGS})
  target_link_libraries(${name} PUBLIC ${ARG_DEPS})
endfunction()

# phobos_tool(NAME SOURCES .. [DEPS ..]): an installed executable.
function(phobos_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_options(${name} PRIVATE ${PHOBOS_WARNINGS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# phobos_test(NAME SOURCES .. [DEPS ..]): a GoogleTest binary that CTest runs as one test.
function(phobos_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_options(${name} PRIVATE ${PHOBOS_WARNINGS})
  target_compile_definitions(${name} PRIVATE PHOBOS_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PHOBOS_BIN_DIR="${PROJECT_BINARY_DIR}/bin")
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
