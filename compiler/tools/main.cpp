// The executable: everything it does is in libphobos.
extern "C" int phobos_tool_main(int argc, char **argv);

int main(int argc, char **argv) { return phobos_tool_main(argc, argv); }
