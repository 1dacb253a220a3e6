# cmake -DOUT=Stdlib.cpp -DFILES=a.pho,b.pho -P EmbedStdlib.cmake: the files' texts as a C++ function.
string(REPLACE "," ";" files "${FILES}")
set(body "")
foreach(file IN LISTS files)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND body "    {\"stdlib/${name}\", R\"phobos(${text})phobos\"},\n")
endforeach()
file(WRITE "${OUT}" "#include \"compiler/sema/Stdlib.h\"

namespace phobos::sema {

std::vector<std::pair<std::string, std::string>> stdlibSources() {
  return {
${body}  };
}

} // namespace phobos::sema
")
