#include "runtime/cpu/ObjectLoader.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

namespace phobos {

/// Lays the allocated sections out in one mapping, followed by one slot for each outside symbol (a jump and
/// its address, which also serves as the entry of a global offset table), applies the relocations, then makes
/// code executable and read-only.
class ObjectLinker {
public:
  ObjectLinker(std::string_view bytes, std::string &error) : bytes_(bytes), error_(error) {}

  std::unique_ptr<LoadedObject> link() {
    if (!readHeader() || !layOut())
      return nullptr;
    std::unique_ptr<LoadedObject> object(new LoadedObject);
    void *p = mmap(nullptr, total_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
      fail("out of memory for its code");
      return nullptr;
    }
    object->base_ = p;
    object->size_ = total_;
    base_ = static_cast<unsigned char *>(p);
    copySections();
    if (!resolveSymbols(*object) || !relocate() || !protect())
      return nullptr;
    return object;
  }

private:
  // A slot: `jmp *2(%rip)`, two bytes of padding, then the 8-byte address at offset 8.
  static constexpr size_t slotBytes = 16;

  bool fail(const std::string &what) {
    if (error_.empty())
      error_ = "object code: " + what;
    return false;
  }
  template <typename T> const T *at(uint64_t offset, uint64_t count = 1) {
    if (offset % alignof(T) != 0 || reinterpret_cast<uintptr_t>(bytes_.data()) % alignof(T) != 0)
      return nullptr;
    if (offset > bytes_.size() || count > (bytes_.size() - offset) / sizeof(T))
      return nullptr;
    return reinterpret_cast<const T *>(bytes_.data() + offset);
  }

  bool readHeader() {
    header_ = at<Elf64_Ehdr>(0);
    if (!header_ || std::memcmp(header_->e_ident, ELFMAG, SELFMAG) != 0 ||
        header_->e_ident[EI_CLASS] != ELFCLASS64 || header_->e_type != ET_REL ||
        header_->e_machine != EM_X86_64)
      return fail("not a relocatable x86-64 ELF object");
    if (header_->e_shentsize != sizeof(Elf64_Shdr) || header_->e_shnum == 0 ||
        !(sections_ = at<Elf64_Shdr>(header_->e_shoff, header_->e_shnum)))
      return fail("the section table is outside the file");
    for (unsigned i = 0; i < header_->e_shnum; ++i) {
      const Elf64_Shdr &s = sections_[i];
      if (s.sh_type != SHT_NOBITS && (s.sh_offset > bytes_.size() || s.sh_size > bytes_.size() - s.sh_offset))
        return fail("a section is outside the file");
    }
    for (unsigned i = 0; i < header_->e_shnum; ++i) {
      const Elf64_Shdr &s = sections_[i];
      if (s.sh_type == SHT_SYMTAB) {
        symbolCount_ = s.sh_size / sizeof(Elf64_Sym);
        symbols_ = at<Elf64_Sym>(s.sh_offset, symbolCount_);
        if (!symbols_ || s.sh_link >= header_->e_shnum)
          return fail("the symbol table is malformed");
        const Elf64_Shdr &names = sections_[s.sh_link];
        if (names.sh_type != SHT_STRTAB || names.sh_size == 0 ||
            bytes_[names.sh_offset + names.sh_size - 1] != 0)
          return fail("the symbol names are malformed");
        names_ = bytes_.substr(names.sh_offset, names.sh_size);
      }
    }
    return symbols_ ? true : fail("there is no symbol table");
  }

  bool layOut() {
    size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    offsets_.assign(header_->e_shnum, SIZE_MAX);
    // Code first, then what is only read, then data: protection goes by page.
    for (int group = 0; group < 3; ++group) {
      total_ = (total_ + page - 1) / page * page;
      groupStart_[group] = total_;
      if (group == 0)
        total_ += 64; // a caller built with -fsanitize=function reads what stands before a function
      for (unsigned i = 0; i < header_->e_shnum; ++i) {
        const Elf64_Shdr &s = sections_[i];
        int of = s.sh_flags & SHF_EXECINSTR ? 0 : s.sh_flags & SHF_WRITE ? 2 : 1;
        if (!(s.sh_flags & SHF_ALLOC) || of != group)
          continue;
        uint64_t align = std::max<uint64_t>(1, s.sh_addralign);
        if (align > page || (align & (align - 1)) || s.sh_size > (uint64_t(1) << 30))
          return fail("a section has an impossible size or alignment");
        total_ = (total_ + align - 1) / align * align;
        offsets_[i] = total_;
        total_ += s.sh_size;
      }
      if (group == 0) {
        total_ = (total_ + slotBytes - 1) / slotBytes * slotBytes;
        slots_ = total_;
        total_ += symbolCount_ * slotBytes;
      }
    }
    total_ = std::max(page, (total_ + page - 1) / page * page);
    return total_ <= (size_t(1) << 30) ? true : fail("it is larger than 1 GiB");
  }

  void copySections() {
    for (unsigned i = 0; i < header_->e_shnum; ++i)
      if (offsets_[i] != SIZE_MAX && sections_[i].sh_type != SHT_NOBITS)
        std::memcpy(base_ + offsets_[i], bytes_.data() + sections_[i].sh_offset, sections_[i].sh_size);
  }

  std::string_view nameOf(const Elf64_Sym &s) {
    return s.st_name < names_.size() ? std::string_view(names_.data() + s.st_name) : std::string_view();
  }

  template <typename F> static void *addressOf(F *function) { return reinterpret_cast<void *>(function); }

  /// What code may call outside: the memory functions, and what processors without FMA (before x86-64-v3) or
  /// rounding instructions (before x86-64-v2) have no instruction for.
  static void *outside(std::string_view name) {
    using Float = float(float);
    using Double = double(double);
    const std::pair<std::string_view, void *> known[] = {
        {"memcpy", addressOf<void *(void *, const void *, size_t)>(std::memcpy)},
        {"memmove", addressOf<void *(void *, const void *, size_t)>(std::memmove)},
        {"memset", addressOf<void *(void *, int, size_t)>(std::memset)},
        {"fmaf", addressOf<float(float, float, float)>(std::fma)},
        {"fma", addressOf<double(double, double, double)>(std::fma)},
        {"floorf", addressOf<Float>(std::floor)},
        {"floor", addressOf<Double>(std::floor)},
        {"ceilf", addressOf<Float>(std::ceil)},
        {"ceil", addressOf<Double>(std::ceil)},
        {"truncf", addressOf<Float>(std::trunc)},
        {"trunc", addressOf<Double>(std::trunc)},
        {"rintf", addressOf<Float>(std::rint)},
        {"rint", addressOf<Double>(std::rint)},
        {"nearbyintf", addressOf<Float>(std::nearbyint)},
        {"nearbyint", addressOf<Double>(std::nearbyint)},
        {"roundevenf", addressOf<Float>(std::rint)}, // the rounding mode is to nearest even
        {"roundeven", addressOf<Double>(std::rint)},
    };
    for (const auto &[symbol, address] : known)
      if (symbol == name)
        return address;
    return nullptr;
  }

  bool resolveSymbols(LoadedObject &object) {
    addresses_.assign(symbolCount_, 0);
    for (size_t i = 0; i < symbolCount_; ++i) {
      const Elf64_Sym &s = symbols_[i];
      uint64_t address = 0;
      if (s.st_shndx == SHN_UNDEF) {
        if (i == 0 || s.st_name == 0)
          continue;
        void *p = outside(nameOf(s));
        if (!p)
          return fail("it refers to '" + std::string(nameOf(s)) + "', which is not in it");
        address = reinterpret_cast<uint64_t>(p);
      } else if (s.st_shndx == SHN_ABS) {
        address = s.st_value;
      } else if (s.st_shndx < header_->e_shnum) {
        if (offsets_[s.st_shndx] == SIZE_MAX)
          continue; // of a section that is not loaded
        if (s.st_value > sections_[s.st_shndx].sh_size)
          return fail("a symbol lies outside its section");
        address = reinterpret_cast<uint64_t>(base_ + offsets_[s.st_shndx] + s.st_value);
        if (ELF64_ST_BIND(s.st_info) == STB_GLOBAL)
          object.symbols_.emplace_back(nameOf(s), reinterpret_cast<void *>(address));
      } else {
        return fail("a symbol has an unknown section");
      }
      addresses_[i] = address;
      unsigned char *slot = base_ + slots_ + i * slotBytes;
      static const unsigned char jump[8] = {0xff, 0x25, 0x02, 0, 0, 0, 0x66, 0x90};
      std::memcpy(slot, jump, 8);
      std::memcpy(slot + 8, &address, 8);
    }
    return true;
  }

  bool relocate() {
    for (unsigned i = 0; i < header_->e_shnum; ++i) {
      const Elf64_Shdr &s = sections_[i];
      if (s.sh_type == SHT_REL)
        return fail("it has relocations of an unknown form");
      if (s.sh_type != SHT_RELA || s.sh_info >= header_->e_shnum || offsets_[s.sh_info] == SIZE_MAX)
        continue;
      uint64_t count = s.sh_size / sizeof(Elf64_Rela);
      const auto *list = at<Elf64_Rela>(s.sh_offset, count);
      if (!list)
        return fail("a relocation table is malformed");
      for (uint64_t k = 0; k < count; ++k)
        if (!apply(list[k], sections_[s.sh_info], offsets_[s.sh_info]))
          return false;
    }
    return true;
  }

  bool apply(const Elf64_Rela &r, const Elf64_Shdr &section, size_t sectionOffset) {
    uint64_t index = ELF64_R_SYM(r.r_info), type = ELF64_R_TYPE(r.r_info);
    size_t width = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
    if (type == R_X86_64_NONE)
      return true;
    if (index >= symbolCount_ || section.sh_size < width || r.r_offset > section.sh_size - width)
      return fail("a relocation is outside its section");
    unsigned char *place = base_ + sectionOffset + r.r_offset;
    auto from = reinterpret_cast<uint64_t>(place);
    uint64_t slot = reinterpret_cast<uint64_t>(base_ + slots_ + index * slotBytes);
    uint64_t addend = static_cast<uint64_t>(r.r_addend), value = 0;
    switch (type) {
    case R_X86_64_64:
      value = addresses_[index] + addend;
      break;
    case R_X86_64_PC64:
      value = addresses_[index] + addend - from;
      break;
    case R_X86_64_PC32:
      value = addresses_[index] + addend - from;
      break;
    case R_X86_64_PLT32: // a call: through the slot where the target is outside the mapping
      value = (symbols_[index].st_shndx == SHN_UNDEF ? slot : addresses_[index]) + addend - from;
      break;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      value = slot + 8 + addend - from;
      break;
    default:
      return fail("it has a relocation of type " + std::to_string(type) +
                  ", which this loader does not know");
    }
    if (width == 4 && static_cast<int64_t>(value) != static_cast<int32_t>(value))
      return fail("a relocation does not reach its target");
    std::memcpy(place, &value, width);
    return true;
  }

  bool protect() {
    bool ok = groupStart_[1] == 0 || mprotect(base_, groupStart_[1], PROT_READ | PROT_EXEC) == 0;
    if (groupStart_[2] > groupStart_[1])
      ok &= mprotect(base_ + groupStart_[1], groupStart_[2] - groupStart_[1], PROT_READ) == 0;
    return ok ? true : fail("its code cannot be made executable on this system");
  }

  std::string_view bytes_;
  std::string &error_;
  const Elf64_Ehdr *header_ = nullptr;
  const Elf64_Shdr *sections_ = nullptr;
  const Elf64_Sym *symbols_ = nullptr;
  size_t symbolCount_ = 0;
  std::string_view names_;
  std::vector<size_t> offsets_;      ///< of each section in the mapping; SIZE_MAX: not loaded
  std::vector<uint64_t> addresses_;  ///< of each symbol
  size_t groupStart_[3] = {0, 0, 0}; ///< code, read-only, writable
  size_t slots_ = 0, total_ = 0;
  unsigned char *base_ = nullptr;
};

LoadedObject::~LoadedObject() {
  if (base_)
    munmap(base_, size_);
}

void *LoadedObject::symbol(std::string_view name) const {
  for (const auto &[n, address] : symbols_)
    if (n == name)
      return address;
  return nullptr;
}

std::unique_ptr<LoadedObject> LoadedObject::load(std::string_view bytes, std::string &error) {
  error.clear();
  // The tables are read in place, so the copy gives them their alignment.
  std::vector<uint64_t> aligned((bytes.size() + 7) / 8 + 1);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  return ObjectLinker(std::string_view(reinterpret_cast<const char *>(aligned.data()), bytes.size()), error)
      .link();
}

bool processorHas(const std::vector<std::string> &features, std::string &missing) {
  __builtin_cpu_init();
  for (const std::string &f : features) {
    bool has = false;
#define PHOBOS_HAS(NAME) {NAME, __builtin_cpu_supports(NAME) != 0} // the built-in wants a literal
    const std::pair<const char *, bool> known[] = {
        PHOBOS_HAS("sse4.2"),    PHOBOS_HAS("avx"),      PHOBOS_HAS("avx2"),     PHOBOS_HAS("fma"),
        PHOBOS_HAS("bmi"),       PHOBOS_HAS("bmi2"),     PHOBOS_HAS("avx512f"),  PHOBOS_HAS("avx512dq"),
        PHOBOS_HAS("avx512bw"),  PHOBOS_HAS("avx512vl"), PHOBOS_HAS("avx512cd"), PHOBOS_HAS("avx512vnni"),
        PHOBOS_HAS("avx512bf16")};
#undef PHOBOS_HAS
    for (const auto &[name, present] : known)
      if (f == name)
        has = present;
    if (!has) {
      missing = f;
      return false;
    }
  }
  return true;
}

} // namespace phobos
