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
    "kernel",     "fn",         "let",        "var",       "if",       "else",     "for",       "in",
    "while",      "break",      "continue",   "return",    "true",     "false",    "(",         ")",
    "[",          "]",          "{",          "}",         ",",        ":",        ":+",        ".",
    "@",          "=",          "+=",         "*=",        "<<=",      "&&=",      "+",         "-",
    "*",          "/",          "%",          "&",         "|",        "^",        "<<",        ">>",
    "&&",         "||",         "==",         "!=",        "<",        "<=",       ">",         ">=",
    "!",          "~",          "->",         ";",         "\n",       "\"text\"", "unroll",    "range",
    "tile",       "tensor",     "ctx",        "block",     "thread",   "lane",     "warp",      "threads",
    "grid",       "x",          "y",          "z",         "autotune", "launch",   "require",   "aligned",
    "tensorcore", "pipeline",   "persistent", "host",      "f16",      "bf16",     "f32",       "f64",
    "f8e4m3",     "f8e5m2",     "i8",         "u8",        "i32",      "u32",      "i64",       "bool",
    "index",      "T",          "exp",        "sqrt",      "max",      "min",      "where",     "clamp",
    "cdiv",       "fma",        "pow",        "transpose", "iota",     "zeros",    "full",      "flat",
    "reshape",    "broadcast",  "cat",        "extent",    "rowsum",   "rowmax",   "rowargmax", "colsum",
    "sum",        "cumsum",     "cumprod",    "tril",      "triu",     "dot",      "dot_t",     "load",
    "store",      "atomic_add", "atomic_cas", "barrier",   "rand",     "bitcast",  "fill",      "softmax",
    "gelu",       "layer_norm", "program_id", "abs",       "round",    "acc",      "X",         "Y",
    "A",          "B",          "N",          "M"};

const Tokens kNumbers = {"0",
                         "1",
                         "2",
                         "3",
                         "-1",
                         "7",
                         "8",
                         "16",
                         "31",
                         "32",
                         "33",
                         "255",
                         "256",
                         "1024",
                         "65535",
                         "65536",
                         "2147483647",
                         "2147483648",
                         "4294967296",
                         "9223372036854775807",
                         "9223372036854775808",
                         "18446744073709551615",
                         "99999999999999999999",
                         "0.0",
                         "1.0",
                         "-0.5",
                         "1e30",
                         "1e39",
                         "1e400",
                         "inf",
                         "nan",
                         "0x7f",
                         "1_000"};

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
      bool number = std::isdigit(static_cast<unsigned char>(text[begin]));
      auto sign = [&] {
        return (text[i] == '-' || text[i] == '+') && (text[i - 1] == 'e' || text[i - 1] == 'E');
      };
      while (i < text.size() && (isWord(text[i]) || (number && (text[i] == '.' || sign()))))
        ++i;
    } else if (text[begin] == '"') {
      while (i < text.size() && text[i] != '"' && text[i] != '\n')
        ++i;
      i = std::min(i + 1, text.size());
    } else {
      static const Tokens longer = {"<<=", ">>=", "&&=", "||=", ":+", "+=", "-=", "*=", "/=", "%=",
                                    "<<",  ">>",  "&&",  "||",  "==", "!=", "<=", ">=", "->"};
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
    bool glued =
        out.empty() || out.back() == '\n' || t == "\n" || t == "<" || (out.back() == '<' && out.size() > 1);
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

bool isNumber(const std::string &t) { return std::isdigit(static_cast<unsigned char>(t[0])); }
bool isName(const std::string &t) { return std::isalpha(static_cast<unsigned char>(t[0])); }
bool isOneOf(const std::string &t, const Tokens &list) {
  return std::find(list.begin(), list.end(), t) != list.end();
}

bool beginsOperand(const Tokens &t, size_t at) {
  static const Tokens keywords = {"kernel", "fn", "let",   "var",   "if",       "else",
                                  "for",    "in", "while", "break", "continue", "return"};
  static const Tokens notAfter = {"kernel", "fn", "let", "var", "for", ".", "@", "<", ">", ":"};
  bool begins = isNumber(t[at]) || t[at] == "(" || (isName(t[at]) && !isOneOf(t[at], keywords));
  if (!begins || at == 0 || isOneOf(t[at - 1], notAfter))
    return false;
  return t[at] != "(" || !(isName(t[at - 1]) || t[at - 1] == ")" || t[at - 1] == "]");
}

/// An operand near `at`, with the brackets and members behind it; empty if there is none.
std::pair<size_t, size_t> expressionAt(const Tokens &t, size_t at) {
  for (size_t tries = 0; tries < t.size() && !beginsOperand(t, at); ++tries)
    at = (at + 1) % t.size();
  if (!beginsOperand(t, at))
    return {at, at};
  size_t end = at + (t[at] == "(" ? 0 : 1);
  while (end < t.size()) {
    if (t[end] == "." && end + 1 < t.size()) {
      end += 2;
      continue;
    }
    if (t[end] != "(" && t[end] != "[")
      break;
    int depth = 0;
    do {
      depth += t[end] == "(" || t[end] == "[" ? 1 : t[end] == ")" || t[end] == "]" ? -1 : 0;
      ++end;
    } while (depth > 0 && end < t.size());
  }
  return {at, end};
}

/// The statement near `at` that is part of a body; empty if there is none.
std::pair<size_t, size_t> bodyStatementAt(const Tokens &t, size_t at) {
  for (size_t tries = 0; tries < 8; ++tries) {
    auto r = statementAt(t, at);
    if (r.first < r.second && !isOneOf(t[r.first], {"kernel", "fn", "@", "}", "\n"}))
      return r;
    at = r.second < t.size() ? r.second : 0;
  }
  return {at, at};
}

Tokens slice(const Tokens &t, std::pair<size_t, size_t> r) {
  return Tokens(t.begin() + static_cast<std::ptrdiff_t>(r.first),
                t.begin() + static_cast<std::ptrdiff_t>(r.second));
}

void replace(Tokens &t, std::pair<size_t, size_t> r, const Tokens &by) {
  t.erase(t.begin() + static_cast<std::ptrdiff_t>(r.first),
          t.begin() + static_cast<std::ptrdiff_t>(r.second));
  t.insert(t.begin() + static_cast<std::ptrdiff_t>(r.first), by.begin(), by.end());
}

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
    if (isName(t[at]) && random.below(3) == 0 && beginsOperand(t, at)) {
      const std::string &other = t[random.below(t.size())];
      static const Tokens names = {"f16", "bf16", "f32",  "f64",   "i8",     "u8",  "i32",
                                   "u32", "i64",  "bool", "index", "f8e4m3", "X",   "Y",
                                   "N",   "acc",  "max",  "min",   "rowmax", "dot", "dot_t"};
      t[at] = beginsOperand(t, at) && isName(other) && random.below(2) ? other : random.pick(names);
      return;
    }
  }
}

void changeExpression(Tokens &t, const Tokens &other, Random &random) {
  static const Tokens operators = {"+",  "-",  "*",  "/", "%",  "&",  "|", "^",
                                   "<<", ">>", "==", "<", ">=", "&&", "||"};
  static const Tokens calls = {"exp",  "max", "sum", "rowmax", "rowsum", "transpose", "f32", "i32", "bf16",
                               "bool", "abs", "dot", "cumsum", "flat",   "tril",      "-",   "~",   "!"};
  auto at = expressionAt(t, random.below(t.size()));
  const Tokens &from = random.below(4) ? t : other;
  Tokens old = slice(t, at), by = slice(from, expressionAt(from, random.below(from.size())));
  switch (random.below(4)) {
  case 0: // f(old)
    by = old;
    by.insert(by.begin(), {random.pick(calls), "("});
    by.push_back(")");
    break;
  case 1: // (old op other)
    by.insert(by.begin(), random.pick(operators));
    by.insert(by.begin(), old.begin(), old.end());
    by.insert(by.begin(), "(");
    by.push_back(")");
    break;
  default:
    break;
  }
  replace(t, at, by);
}

void changeStatement(Tokens &t, const Tokens &other, Random &random) {
  auto from = bodyStatementAt(t, random.below(t.size()));
  Tokens text = slice(t, from), foreign = slice(other, bodyStatementAt(other, random.below(other.size())));
  size_t to = bodyStatementAt(t, random.below(t.size())).first;
  switch (random.below(5)) {
  case 0:
    replace(t, from, {});
    break;
  case 1:
    replace(t, {to, to}, text);
    break;
  case 2:
    replace(t, {to, to}, foreign);
    break;
  case 3: { // under a condition or in a loop
    static const std::vector<Tokens> heads = {{"if", "ctx", ".", "thread", "<", "3", "{", "\n"},
                                              {"for", "q", "in", "range", "(", "0", ",", "9", ")", "{", "\n"},
                                              {"while", "true", "{", "\n"},
                                              {"if", "true", "{", "break", "}", "else", "{", "\n"}};
    Tokens head = random.pick(heads);
    head.insert(head.end(), text.begin(), text.end());
    head.insert(head.end(), {"}", "\n"});
    replace(t, from, head);
    break;
  }
  default:
    replace(t, from, foreign);
  }
}

} // namespace

std::string mutate(std::string_view text, std::string_view other, Random &random) {
  Tokens t = split(text), o = split(other);
  if (o.empty())
    o = {"kernel", "k", "(", ")", "{", "}"};
  size_t changes = 1 + random.below(random.below(8) == 0 ? 8 : 2);
  for (size_t i = 0; i < changes; ++i) {
    if (t.empty())
      t = o;
    switch (random.below(12)) {
    case 0:
      changeToken(t, random);
      break;
    case 1:
    case 2:
    case 3:
      changeLeaf(t, random);
      break;
    case 4:
    case 5:
    case 6:
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
  if (!std::filesystem::is_directory(folder))
    return {};
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
