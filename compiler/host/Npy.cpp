#include "compiler/host/Npy.h"
#include "runtime/contract/Numeric.h"
#include "runtime/files/WriteFile.h"
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/stat.h>

namespace phobos {

static constexpr size_t kMaxHeaderBytes =
    1 << 20;                           ///< NumPy writes some hundred; what is longer is not an array of ours
static constexpr size_t kMaxRank = 32; ///< NumPy's own bound

namespace {
struct NpyType {
  std::string_view code;
  ScalarType elem;
};
/// Reads the Python dictionary literal of a header: string keys; values that are strings, True, False or
/// tuples of integers.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : text_(text) {}
  bool read(std::string &descr, bool &fortran, std::vector<int64_t> &shape, std::string &error);

private:
  void skipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }
  bool eat(char c) {
    skipSpace();
    if (at_ >= text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }
  bool eatWord(std::string_view word) {
    skipSpace();
    if (text_.substr(at_, word.size()) != word)
      return false;
    at_ += word.size();
    return true;
  }
  bool readString(std::string &out);
  bool readTuple(std::vector<int64_t> &out, std::string &error);

  std::string_view text_;
  size_t at_ = 0;
};
} // namespace

static constexpr NpyType kTypes[] = {
    {"b1", ScalarType::Bool}, {"i1", ScalarType::I8},  {"u1", ScalarType::U8},
    {"i4", ScalarType::I32},  {"u4", ScalarType::U32}, {"i8", ScalarType::I64},
    {"f2", ScalarType::F16},  {"f4", ScalarType::F32}, {"f8", ScalarType::F64},
};

bool HeaderReader::readString(std::string &out) {
  skipSpace();
  char quote = at_ < text_.size() ? text_[at_] : 0;
  if (quote != '\'' && quote != '"')
    return false;
  size_t end = text_.find(quote, at_ + 1);
  if (end == std::string_view::npos)
    return false;
  out = text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  return true;
}

bool HeaderReader::readTuple(std::vector<int64_t> &out, std::string &error) {
  if (!eat('('))
    return false;
  while (!eat(')')) {
    skipSpace();
    int64_t n = 0;
    auto [end, status] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), n);
    if (status == std::errc::result_out_of_range) {
      error = "an extent does not fit 64 bits";
      return false;
    }
    if (status != std::errc() || n < 0)
      return false;
    at_ = static_cast<size_t>(end - text_.data());
    eatWord("L"); // Python 2 wrote long integers so
    out.push_back(n);
    if (out.size() > kMaxRank) {
      error = "the array has more than " + std::to_string(kMaxRank) + " dimensions";
      return false;
    }
    if (eat(','))
      continue;
    if (!eat(')'))
      return false;
    break;
  }
  return true;
}

bool HeaderReader::read(std::string &descr, bool &fortran, std::vector<int64_t> &shape, std::string &error) {
  bool hasDescr = false, hasOrder = false, hasShape = false;
  error.clear();
  if (!eat('{'))
    return false;
  while (!eat('}')) {
    std::string key;
    if (!readString(key) || !eat(':'))
      return false;
    if (key == "descr" && !hasDescr) {
      hasDescr = true;
      if (!readString(descr)) {
        error = "its elements are records; an array of plain numbers is needed";
        return false;
      }
    } else if (key == "fortran_order" && !hasOrder) {
      hasOrder = true;
      fortran = eatWord("True");
      if (!fortran && !eatWord("False"))
        return false;
    } else if (key == "shape" && !hasShape) {
      hasShape = true;
      if (!readTuple(shape, error))
        return false;
    } else {
      return false;
    }
    if (eat(','))
      continue;
    if (!eat('}'))
      return false;
    break;
  }
  return hasDescr && hasOrder && hasShape;
}

/// The printable part of a header's text, for a message.
static std::string quoted(std::string_view s) {
  std::string out = "'";
  for (char c : s.substr(0, 24))
    out += c >= ' ' && c <= '~' ? c : '?';
  return out + "'";
}

bool parseNpyHeader(std::string_view bytes, NpyHeader &header, std::string &error) {
  if (bytes.size() < 10 || bytes.substr(0, 6) != std::string_view("\x93NUMPY", 6)) {
    error = "it is not a .npy file";
    return false;
  }
  unsigned version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) {
    error = "its format version is " + std::to_string(version) + "; 1 to 3 are known";
    return false;
  }
  size_t lengthBytes = version == 1 ? 2 : 4, start = 8 + lengthBytes, length = 0;
  if (bytes.size() < start) {
    error = "its header is cut off";
    return false;
  }
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(static_cast<unsigned char>(bytes[8 + i])) << (8 * i);
  if (length > kMaxHeaderBytes) {
    error = "its header claims " + std::to_string(length) + " bytes";
    return false;
  }
  if (bytes.size() < start + length) {
    error = "its header is cut off";
    return false;
  }
  std::string descr;
  bool fortran = false;
  header = {};
  if (!HeaderReader(bytes.substr(start, length)).read(descr, fortran, header.extents, error)) {
    if (error.empty())
      error = "its header is malformed";
    return false;
  }
  header.dataOffset = start + length;
  char order = descr.empty() ? 0 : descr[0];
  if (order == '>') {
    error = "it is big-endian; little-endian is needed";
    return false;
  }
  std::string_view code = descr;
  if (order == '<' || order == '|' || order == '=')
    code.remove_prefix(1);
  const NpyType *type = nullptr;
  for (const NpyType &t : kTypes)
    if (t.code == code)
      type = &t;
  if (!type) {
    error = "its element type " + quoted(descr) + " has no counterpart; b1 i1 u1 i4 u4 i8 f2 f4 f8 are read";
    return false;
  }
  header.elem = type->elem;
  if (fortran && header.extents.size() > 1) {
    error = "it is in Fortran order; C order is needed (numpy.ascontiguousarray)";
    return false;
  }
  return true;
}

namespace {
struct CloseFile {
  void operator()(FILE *f) const { std::fclose(f); }
};
using File = std::unique_ptr<FILE, CloseFile>;
} // namespace

std::optional<HostArray> readNpy(const std::string &path, std::string &error, NpyFault *fault) {
  NpyFault ignored;
  NpyFault &why = fault ? *fault : ignored;
  why = NpyFault::Unreadable;
  struct stat st{};
  File file(std::fopen(path.c_str(), "rb"));
  if (!file || fstat(fileno(file.get()), &st) != 0) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  if (!S_ISREG(st.st_mode)) {
    error = S_ISDIR(st.st_mode) ? "it is a directory" : "it is not a regular file";
    return std::nullopt;
  }
  uint64_t fileBytes = static_cast<uint64_t>(st.st_size);
  std::string head(std::min<uint64_t>(fileBytes, kMaxHeaderBytes + 16), '\0');
  head.resize(std::fread(head.data(), 1, head.size(), file.get()));
  why = NpyFault::Malformed;
  NpyHeader header;
  if (!parseNpyHeader(head, header, error))
    return std::nullopt;
  // The claim is compared with the file before anything is allocated.
  unsigned __int128 claimed = byteSize(header.elem);
  for (int64_t e : header.extents)
    claimed = std::min<unsigned __int128>(claimed * static_cast<uint64_t>(e),
                                          ~uint64_t(0)); // an extent of 0 still gives 0
  for (int64_t e : header.extents)
    claimed = e == 0 ? 0 : claimed;
  uint64_t have = fileBytes - std::min<uint64_t>(fileBytes, header.dataOffset);
  if (claimed != have) {
    error = "its header claims " + std::to_string(static_cast<uint64_t>(claimed)) +
            " bytes of data, but the file holds " + std::to_string(have);
    return std::nullopt;
  }
  why = NpyFault::TooLarge;
  std::optional<HostArray> array = HostArray::tryCreate(header.elem, header.extents, error);
  if (!array)
    return std::nullopt;
  why = NpyFault::Unreadable;
  if (std::fseek(file.get(), static_cast<long>(header.dataOffset), SEEK_SET) != 0 ||
      std::fread(array->data(), 1, array->bytes(), file.get()) != array->bytes()) {
    error = "it could not be read to its end";
    return std::nullopt;
  }
  if (header.elem == ScalarType::Bool) // any byte may be there; a bool in memory is 0 or 1
    for (int64_t i = 0; i < array->size(); ++i)
      array->setBits(i, array->getBits(i) != 0);
  return array;
}

bool writeNpy(const std::string &path, const HostArray &array, std::string &error) {
  ScalarType elem = array.elem();
  bool widen = isFloat(elem) && bitWidth(elem) < 32;
  ScalarType stored = widen ? ScalarType::F32 : elem == ScalarType::Index ? ScalarType::I64 : elem;
  std::string descr;
  for (const NpyType &t : kTypes)
    if (t.elem == stored)
      descr = (byteSize(stored) == 1 ? "|" : "<") + std::string(t.code);
  std::string shape;
  for (int64_t e : array.extents())
    shape += std::to_string(e) + ", ";
  if (array.extents().size() > 1)
    shape.resize(shape.size() - 2);
  else if (array.extents().size() == 1)
    shape.resize(shape.size() - 1); // (3,)
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  size_t total = (10 + text.size() + 1 + 63) / 64 * 64; // the data starts 64-byte aligned, as NumPy writes it
  text.resize(total - 10 - 1, ' ');
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 0xff);
  head += static_cast<char>(text.size() >> 8);
  head += text;

  FileReplacement file(path);
  bool ok = file.write(head.data(), head.size());
  if (ok && widen) {
    std::vector<float> chunk;
    for (int64_t i = 0; ok && i < array.size();) {
      chunk.clear();
      for (; i < array.size() && chunk.size() < 65536; ++i)
        chunk.push_back(static_cast<float>(array.getFloat(i)));
      ok = file.write(chunk.data(), chunk.size() * sizeof(float));
    }
  } else if (ok) {
    file.write(array.data(), array.bytes());
  }
  return file.commit(error);
}

std::optional<HostArray> convertForParameter(HostArray array, ScalarType elem) {
  ScalarType given = array.elem();
  if (given == elem)
    return array;
  bool rounds = isFloat(given) && isFloat(elem) && bitWidth(elem) < bitWidth(given);
  bool renames = given == ScalarType::I64 && elem == ScalarType::Index;
  if (!rounds && !renames)
    return std::nullopt;
  HostArray out(elem, array.extents());
  for (int64_t i = 0; i < array.size(); ++i)
    if (rounds)
      out.setFloat(i, array.getFloat(i));
    else
      out.setBits(i, array.getBits(i));
  return out;
}

} // namespace phobos
