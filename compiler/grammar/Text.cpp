// Debian's archive of ANTLR's runtime is made for executables; with what this file defines, linked before it,
// it can go into a shared library all the same.
#include "antlr4-runtime.h"

// Two inline functions of its headers convert texts and keep a converter for each thread at a place that only
// an executable can have. Nothing of ours calls them (ByteStream gives ANTLR its characters), yet ANTLR's
// parser refers to them: these stand for the archive's.
namespace antlrcpp {
template std::string utf32_to_utf8<UTF32String>(const UTF32String &);
extern UTF32String (*const keptConversion)(const char *, const char *);
UTF32String (*const keptConversion)(const char *, const char *) = utf8_to_utf32;
} // namespace antlrcpp

// What std::shared_ptr asks before it counts without atomic operations: a variable of libc, reached as only
// an executable may. "No" is right whatever the process does.
extern "C" __attribute__((visibility("hidden"))) char __libc_single_threaded = 0;
