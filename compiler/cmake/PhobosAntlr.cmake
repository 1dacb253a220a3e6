# phobos_antlr_parser(TARGET GRAMMAR.g4): the lexer and parser generated at build time, as a library.
find_program(PHOBOS_ANTLR antlr4 REQUIRED)
if(PHOBOS_STATIC)
  find_library(PHOBOS_ANTLR_ARCHIVE NAMES libantlr4-runtime.a REQUIRED)
  set(PHOBOS_ANTLR_LINK ${PHOBOS_ANTLR_ARCHIVE})
else()
  find_library(PHOBOS_ANTLR_RUNTIME NAMES antlr4-runtime REQUIRED)
  set(PHOBOS_ANTLR_LINK ${PHOBOS_ANTLR_RUNTIME})
endif()
find_path(PHOBOS_ANTLR_INCLUDE antlr4-runtime.h PATH_SUFFIXES antlr4-runtime REQUIRED)

function(phobos_antlr_parser target grammar)
  get_filename_component(base ${grammar} NAME_WE)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/antlr)
  set(files ${out}/${base}Lexer.cpp ${out}/${base}Lexer.h ${out}/${base}Parser.cpp ${out}/${base}Parser.h)
  add_custom_command(OUTPUT ${files}
    COMMAND ${PHOBOS_ANTLR} -Dlanguage=Cpp -no-listener -no-visitor -Xexact-output-dir -o ${out} ${CMAKE_CURRENT_SOURCE_DIR}/${grammar}
    DEPENDS ${grammar} COMMENT "ANTLR ${grammar}" VERBATIM)
  add_library(${target} STATIC ${files})
  target_include_directories(${target} SYSTEM PUBLIC ${PHOBOS_ANTLR_INCLUDE} ${out})
  target_compile_options(${target} PUBLIC -fno-char8_t PRIVATE -w)
  target_link_libraries(${target} PUBLIC ${PHOBOS_ANTLR_LINK} pthread)
endfunction()
