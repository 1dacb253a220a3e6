// In every binary of a sanitizer build. LLVM's arena allocators poison and unpoison memory in code that is
// inlined from its headers, so under the sanitizer here, but LLVM's own libraries are built without: what
// they allocate from an arena that our code made stays poisoned although it is in use.
const char *__asan_default_options(void) { return "allow_user_poisoning=0"; }

/* nvJitLink keeps some of what it allocates for the PTX that it is given, though its handle is destroyed. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void) {
  return "leak:libnvJitLink\n";
}
