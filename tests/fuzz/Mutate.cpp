#include "tests/fuzz/Mutate.h"
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace phobos::test {

namespace {

using Tokens = std::vector<std::string>;

const Tokens kWords = {
    "kernel", "fn", "let", "var", "if", "else", "for", "in", "while", "break", "continue", "return", "true", "false", "(", ")", "[", "]",
    "{", "}", ",", ":", ":+", ".", "@", "=", "+=", "*=", "<<=", "&&=", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||", "==",
    "!=", "<", "<=", ">", ">=", "!", "~", "->", ";", "\n", "\"text\"", "unroll", "range", "tile", "tensor", "ctx", "block", "thread", "lane",
    "warp", "threads", "grid", "x", "y", "z", "autotune", "launch", "require", "aligned", "tensorcore", "pipeline", "persistent", "host",
    "f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2", "i8", "u8", "i32", "u32", "i64", "bool", "index", "T", "exp", "sqrt", "max", "min",
    "where", "clamp", "cdiv", "fma", "pow", "transpose", "iota", "zeros", "full", "flat", "reshape", "broadcast", "cat", "extent", "rowsum",
    "rowmax", "rowargmax", "colsum", "sum", "cumsum", "cumprod", "tril", "triu", "dot", "dot_t", "load", "store", "atomic_add", "atomic_cas",
    "barrier", "rand", "bitcast", "fill", "softmax", "gelu", "layer_norm", "program_id", "abs", "round", "acc", "X", "Y", "A", "B", "N", "M"};

const Tokens kNumbers = {"0", "1", "2", "3", "-1", "7", "8", "16", "31", "32", "33", "255", "256", "1024", "65535", "65536", "2147483647",
                         "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615",
                         "99999999999999999999", "0.0", "1.0", "-0.5", "1e30", "1e39", "1e400", "inf", "nan", "0x7f", "1_000"};

/// Words, numbers, operators and newlines; comments and spaces are dropped.
Tokens split(std::string_view text) {
  Tokens out;
  auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t i = 0; i < text.size();) {
    if (text[i] == ' ' || text[i] == '\t' || text[i] == '\r') {
      ++i;
      continue;
    }
    size_t begin = i++;
    if (text.substr(begin).starts_with("//")) {
      while (i < text.size() && text[i] != '\n')
        ++i;
      continue;
    }
    if (isWord(text[begin])) {
      while (i < text.size() && (isWord(text[i]) || (text[i] == '.' && std::isdigit(static_cast<unsigned char>(text[begin])))))
        ++i;
    } else if (text[begin] == '"') {
      while (i < text.size() && text[i] != '"' && text[i] != '\n')
        ++i;
      i = std::min(i + 1, text.size());
    } else {
      static const Tokens longer = {"<<=", ">>=", "&&=", "||=", ":+", "+=", "-=", "*=", "/=", "%=", "<<", ">>", "&&", "||", "==", "!=", "<=", ">=", "->"};
      for (const std::string &op : longer)
        if (text.substr(begin).starts_with(op)) {
          i = begin + op.size();
          break;
        }
    }
    out.emplace_back(text.substr(begin, i - begin));
  }
  return out;
}

std::string joined(const Tokens &tokens) {
  std::string out;
  for (const std::string &t : tokens) {
    bool glued = out.empty() || out.back() == '\n' || t == "\n" || t == "<" || (out.back() == '<' && out.size() > 1);
    out += (glued ? "" : " ") + t;
  }
  return out;
}

/// The statement around token `at`: its line, and all of its block where it opens one.
std::pair<size_t, size_t> statementAt(const Tokens &t, size_t at) {
  size_t begin = std::min(at, t.size()), end = begin;
  while (begin > 0 && t[begin - 1] != "\n")
    --begin;
  int depth = 0;
  for (end = begin; end < t.size(); ++end) {
    depth += t[end] == "{" ? 1 : t[end] == "}" ? -1 : 0;
    if (t[end] == "\n" && depth <= 0)
      break;
  }
  return {begin, std::min(end + 1, t.size())};
}

/// Tokens from `at` that close every bracket they open, up to a comma, a newline or a closing bracket.
std::pair<size_t, size_t> expressionAt(const Tokens &t, size_t at) {
  int depth = 0;
  size_t end = at;
  for (; end < t.size() && end < at + 40; ++end) {
    bool closes = t[end] == ")" || t[end] == "]";
    if (depth == 0 && (closes || t[end] == "," || t[end] == "\n" || t[end] == "{" || t[end] == "}"))
      break;
    depth += t[end] == "(" || t[end] == "[" ? 1 : closes ? -1 : 0;
  }
  return {at, std::max(end, std::min(at + 1, t.size()))};
}

Tokens slice(const Tokens &t, std::pair<size_t, size_t> r) {
  return Tokens(t.begin() + static_cast<std::ptrdiff_t>(r.first), t.begin() + static_cast<std::ptrdiff_t>(r.second));
}

void replace(Tokens &t, std::pair<size_t, size_t> r, const Tokens &by) {
  t.erase(t.begin() + static_cast<std::ptrdiff_t>(r.first), t.begin() + static_cast<std::ptrdiff_t>(r.second));
  t.insert(t.begin() + static_cast<std::ptrdiff_t>(r.first), by.begin(), by.end());
}

bool isNumber(const std::string &t) { return std::isdigit(static_cast<unsigned char>(t[0])); }
bool isName(const std::string &t) { return std::isalpha(static_cast<unsigned char>(t[0])); }

void changeToken(Tokens &t, Random &random) {
  size_t at = random.below(t.size());
  switch (random.below(5)) {
  case 0:
    std::swap(t[at], t[random.below(t.size())]);
    break;
  case 1:
    t.insert(t.begin() + static_cast<std::ptrdiff_t>(at), t[at]);
    break;
  case 2:
    t.erase(t.begin() + static_cast<std::ptrdiff_t>(at));
    break;
  case 3:
    t[at] = random.pick(kWords);
    break;
  default:
    t.insert(t.begin() + static_cast<std::ptrdiff_t>(at), random.pick(kWords));
  }
}

/// A name for a name, a number for a number: the text stays likely to parse.
void changeLeaf(Tokens &t, Random &random) {
  for (size_t tries = 0, at = random.below(t.size()); tries < t.size(); ++tries, at = (at + 1) % t.size()) {
    if (isNumber(t[at])) {
      t[at] = random.pick(kNumbers);
      return;
    }
    if (isName(t[at]) && random.below(3) == 0) {
      const std::string &other = t[random.below(t.size())];
      t[at] = isName(other) ? other : random.pick(kWords);
      return;
    }
  }
}

void changeExpression(Tokens &t, const Tokens &other, Random &random) {
  auto at = expressionAt(t, random.below(t.size()));
  const Tokens &from = random.below(2) ? t : other;
  Tokens by = slice(from, expressionAt(from, random.below(from.size())));
  if (random.below(4) == 0) {
    by = slice(t, at);
    by.insert(by.begin(), "(");
    if (random.below(2))
      by.insert(by.begin(), random.pick(kWords));
    by.push_back(")");
  }
  replace(t, at, by);
}

void changeStatement(Tokens &t, const Tokens &other, Random &random) {
  auto from = statementAt(t, random.below(t.size()));
  Tokens text = slice(t, from);
  size_t to = statementAt(t, random.below(t.size())).first;
  switch (random.below(4)) {
  case 0:
    replace(t, from, {});
    break;
  case 1:
    replace(t, {to, to}, text);
    break;
  case 2:
    replace(t, {to, to}, slice(other, statementAt(other, random.below(other.size()))));
    break;
  default:
    replace(t, from, slice(other, statementAt(other, random.below(other.size()))));
  }
}

} // namespace

std::string mutate(std::string_view text, std::string_view other, Random &random) {
  Tokens t = split(text), o = split(other);
  if (o.empty())
    o = {"kernel", "k", "(", ")", "{", "}"};
  size_t changes = 1 + random.below(random.below(4) == 0 ? 8 : 3);
  for (size_t i = 0; i < changes; ++i) {
    if (t.empty())
      t = o;
    switch (random.below(6)) {
    case 0:
      changeToken(t, random);
      break;
    case 1: case 2:
      changeLeaf(t, random);
      break;
    case 3:
      changeStatement(t, o, random);
      break;
    default:
      changeExpression(t, o, random);
    }
  }
  return joined(t);
}

std::vector<std::string> readPrograms(const std::string &folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".pho")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> out;
  for (const auto &p : paths) {
    std::ifstream in(p, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    out.push_back(text.str());
  }
  return out;
}

} // namespace phobos::test
