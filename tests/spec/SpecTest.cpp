// Runs every section of tests/spec/*.rules on the interpreter and the CPU target, and checks that each rule
// of spec/ has a test.
#include "compiler/driver/Compile.h"
#include "compiler/driver/Execute.h"
#include "compiler/sema/Check.h"
#include "tests/spec/Section.h"
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <set>

using namespace phobos;
using namespace phobos::testing;
namespace fs = std::filesystem;

namespace {

void setElement(HostArray &a, int64_t i, const std::string &text) {
  if (text == "iota")
    isFloat(a.elem()) ? a.setFloat(i, double(i)) : a.setInt(i, i);
  else if (isFloat(a.elem()))
    a.setFloat(i, std::strtod(text.c_str(), nullptr));
  else if (a.elem() == ScalarType::Bool)
    static_cast<uint8_t *>(a.data())[i] = // the byte as it stands
        text == "true"    ? 1
        : text == "false" ? 0
                          : uint8_t(std::stoi(text));
  else
    a.setInt(i, std::stoll(text));
}

HostArray arrayOf(const TensorText &t) {
  HostArray a(t.elem, t.extents);
  for (int64_t i = 0; i < a.size(); ++i)
    setElement(a, i, t.values[t.values.size() == 1 ? 0 : size_t(i)]);
  return a;
}

/// What an output holds before the kernel runs, where the section does not say.
HostArray poisoned(const TensorText &t) {
  HostArray a(t.elem, t.extents);
  for (int64_t i = 0; i < a.size(); ++i)
    isFloat(t.elem) ? a.setFloat(i, std::nan("")) : a.setInt(i, -1);
  return a;
}

bool sameFloat(double got, double expected, double tolerance) {
  if (std::isnan(got) || std::isnan(expected))
    return std::isnan(got) && std::isnan(expected);
  if (tolerance == 0 || std::isinf(got) || std::isinf(expected))
    return got == expected && std::signbit(got) == std::signbit(expected);
  return std::fabs(got - expected) <= tolerance * std::max(1.0, std::fabs(expected));
}

std::string rendered(const Diagnostics &diags, const SourceManager &sources) {
  return renderText(diags, sources);
}

class SectionTest : public ::testing::Test {
public:
  explicit SectionTest(const Section &section) : s(section) {}

  void TestBody() override {
    Diagnostics diags;
    auto loaded = driver::loadText(s.file + ".pho", s.program, {}, diags);
    Point overrides;
    std::string pointError;
    ASSERT_TRUE(parsePoint(s.point, overrides, pointError)) << pointError;
    std::unique_ptr<sema::TypedKernel> kernel;
    for (const auto &k : loaded->file->kernels) {
      auto checked = driver::checkAt(*loaded, *k, overrides, diags);
      if (!kernel)
        kernel = std::move(checked);
    }
    diags.sortByPlace();
    compareMessages(diags, s.messages, loaded->sources);
    if (s.expectsError() || HasFailure())
      return;
    ASSERT_TRUE(kernel);
    if (!s.refusedCode.empty())
      return checkRefused(*kernel, loaded->sources);
    run(*kernel, "interp", loaded->sources);
    if (!s.isChecked)
      run(*kernel, "cpu", loaded->sources);
  }

private:
  void compareMessages(const Diagnostics &diags, const std::vector<ExpectedMessage> &expected,
                       const SourceManager &sources) {
    EXPECT_EQ(diags.all().size(), expected.size()) << rendered(diags, sources);
    for (size_t i = 0; i < std::min(diags.all().size(), expected.size()); ++i) {
      const Diagnostic &d = diags.all()[i];
      const ExpectedMessage &e = expected[i];
      EXPECT_EQ(info(d.id).code, e.code) << rendered(diags, sources);
      if (d.range.isValid())
        EXPECT_EQ(sources.file(d.range.file).lineColumn(d.range.begin).line, e.line)
            << rendered(diags, sources);
      std::string text = d.message + " " + d.help.value_or("");
      for (const DiagnosticNote &n : d.notes)
        text += " " + n.message;
      for (const std::string &w : e.words)
        EXPECT_NE(text.find(w), std::string::npos) << "no '" << w << "' in: " << text;
    }
  }

  void checkRefused(const sema::TypedKernel &kernel, const SourceManager &sources) {
    Diagnostics diags;
    EXPECT_FALSE(driver::prepare("cpu", kernel, sources, {}, diags));
    ASSERT_EQ(diags.errorCount(), 1u) << rendered(diags, sources);
    EXPECT_EQ(info(diags.all()[0].id).code, s.refusedCode);
    std::string text = s.refusedCode + rendered(diags, sources);
    for (const std::string &w : s.refusedWords)
      EXPECT_NE(text.find(w), std::string::npos) << "no '" << w << "' in: " << text;
  }

  bool makeArguments(const Contract &contract, driver::HostArguments &arguments) {
    for (const ContractParam &p : contract.params) {
      arguments.arrays.emplace_back();
      arguments.scalars.emplace_back();
      if (p.isTensor) {
        bool isIn = s.in.count(p.name);
        if (!isIn && !s.out.count(p.name)) {
          ADD_FAILURE() << "the section has no array for '" << p.name << "'";
          return false;
        }
        arguments.arrays.back() = isIn ? arrayOf(s.in.at(p.name)) : poisoned(s.out.at(p.name));
      } else if (!s.scalars.count(p.name)) {
        ADD_FAILURE() << "the section sets no '" << p.name << "'";
        return false;
      } else if (isFloat(p.elem)) {
        arguments.scalars.back().f = std::strtod(s.scalars.at(p.name).c_str(), nullptr);
      } else {
        arguments.scalars.back().i = std::stoll(s.scalars.at(p.name));
      }
    }
    return true;
  }

  bool bind(const Contract &contract, driver::HostArguments &arguments, BoundLaunch &launch) {
    std::vector<TensorShape> shapes(contract.params.size());
    std::vector<const TensorShape *> tensors;
    for (size_t i = 0; i < contract.params.size(); ++i) {
      const HostArray &a = arguments.arrays[i];
      TensorShape &t = shapes[i];
      t.elem = a.elem();
      t.extents = a.extents();
      t.strides.assign(t.extents.size(), 1);
      for (size_t k = t.extents.size(); k-- > 1;)
        t.strides[k - 1] = t.strides[k] * std::max<int64_t>(t.extents[k], 1);
      t.data = a.data();
      tensors.push_back(contract.params[i].isTensor ? &t : nullptr);
    }
    BindOptions options;
    options.grid = s.grid;
    std::string error;
    bool ok = bindLaunch(contract, tensors, options, launch, error);
    EXPECT_EQ(ok, s.launchWords.empty()) << error;
    for (const std::string &w : s.launchWords)
      EXPECT_NE(error.find(w), std::string::npos) << "no '" << w << "' in: " << error;
    return ok;
  }

  void run(const sema::TypedKernel &kernel, const std::string &target, const SourceManager &sources) {
    Contract contract = driver::contractOf(kernel);
    driver::HostArguments arguments;
    BoundLaunch launch;
    if (!makeArguments(contract, arguments) || !bind(contract, arguments, launch))
      return;
    Diagnostics diags;
    interp::Options options;
    options.check = s.isChecked;
    auto executable = driver::prepare(target, kernel, sources, options, diags);
    ASSERT_TRUE(executable) << target << ": " << rendered(diags, sources);
    bool ok = executable->run(arguments, launch, diags);
    diags.sortByPlace();
    compareMessages(diags, s.findings, sources);
    ASSERT_EQ(ok, !diags.hasErrors()) << target << ": " << rendered(diags, sources);
    for (size_t i = 0; i < contract.params.size(); ++i)
      if (s.out.count(contract.params[i].name))
        compare(arguments.arrays[i], arrayOf(s.out.at(contract.params[i].name)), contract.params[i].name,
                target);
  }

  void compare(const HostArray &got, const HostArray &expected, const std::string &name,
               const std::string &target) {
    for (int64_t i = 0; i < got.size(); ++i) {
      bool same = isFloat(got.elem()) ? sameFloat(got.getFloat(i), expected.getFloat(i), s.tolerance)
                                      : got.getInt(i) == expected.getInt(i);
      auto text = [&](const HostArray &a) {
        return isFloat(a.elem()) ? std::to_string(a.getFloat(i)) : std::to_string(a.getInt(i));
      };
      if (!same) {
        ADD_FAILURE() << target << ": " << name << ", element " << i << ", is " << text(got) << ", expected "
                      << text(expected);
        return;
      }
    }
  }

  const Section &s;
};

std::string readAll(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// [grammar.decl.3]
class SeveralKernels : public ::testing::Test {
public:
  void TestBody() override {
    Diagnostics diags;
    auto loaded = driver::loadText(
        "two.pho", "kernel a(X: tensor<f32>[1]) { X[0] = 1.0 }\nkernel b(X: tensor<f32>[1]) { X[0] = 2.0 }\n",
        {}, diags);
    EXPECT_FALSE(driver::selectKernel(*loaded->file, "", diags));
    ASSERT_EQ(diags.all().size(), 1u);
    EXPECT_NE(diags.all()[0].message.find("a, b"), std::string::npos) << diags.all()[0].message;
    const ast::Kernel *b = driver::selectKernel(*loaded->file, "b", diags);
    ASSERT_TRUE(b);
    EXPECT_EQ(b->name.text, "b");
  }
};

/// Every `**[area.name.1]**` of spec/ is named by a file of tests/ (in brackets or in a section's first
/// line).
class Coverage : public ::testing::Test {
public:
  void TestBody() override {
    const fs::path root(PHOBOS_SOURCE_DIR);
    std::set<std::string> named;
    const std::regex name("[a-z]+(-[a-z]+)?(\\.[a-z-]+)*\\.[0-9]+");
    for (const auto &entry : fs::recursive_directory_iterator(root / "tests")) {
      if (!entry.is_regular_file() || entry.file_size() > (1u << 20))
        continue;
      std::string extension = entry.path().extension();
      if (extension != ".rules" && extension != ".cpp" && extension != ".pho" && extension != ".mlir" &&
          extension != ".py")
        continue;
      std::string text = readAll(entry.path());
      for (std::sregex_iterator m(text.begin(), text.end(), name), end; m != end; ++m)
        named.insert(m->str());
    }
    const std::regex rule("\\*\\*\\[([a-z0-9.-]+)\\]\\*\\*");
    size_t rules = 0;
    for (const auto &entry : fs::directory_iterator(root / "spec")) {
      std::string text = readAll(entry.path());
      for (std::sregex_iterator m(text.begin(), text.end(), rule), end; m != end; ++m, ++rules)
        EXPECT_TRUE(named.count((*m)[1]))
            << "no test names the rule [" << (*m)[1] << "] of " << entry.path().filename();
    }
    EXPECT_GT(rules, 100u);
  }
};

} // namespace

int main(int argc, char **argv) {
  ::testing::InitGoogleTest(&argc, argv);
  std::vector<Section> sections;
  std::string problem;
  std::vector<fs::path> files(argv + 1, argv + argc); // those alone, or all of tests/spec
  if (files.empty())
    for (const auto &entry : fs::directory_iterator(fs::path(PHOBOS_SOURCE_DIR) / "tests/spec"))
      if (entry.path().extension() == ".rules")
        files.push_back(entry.path());
  for (const fs::path &file : files)
    for (Section &s : readSections(file, problem))
      sections.push_back(std::move(s));
  if (!problem.empty()) {
    std::fprintf(stderr, "%s", problem.c_str());
    return 1;
  }
  for (const Section &s : sections) {
    std::string title = s.rules.front() + "_line" + std::to_string(s.line);
    ::testing::RegisterTest(("Spec_" + s.file).c_str(), title.c_str(), nullptr, nullptr, s.file.c_str(),
                            int(s.line), [&s]() -> ::testing::Test * { return new SectionTest(s); });
  }
  ::testing::RegisterTest("Spec", "SeveralKernels", nullptr, nullptr, __FILE__, __LINE__,
                          []() -> ::testing::Test * { return new SeveralKernels; });
  ::testing::RegisterTest("Spec", "Coverage", nullptr, nullptr, __FILE__, __LINE__,
                          []() -> ::testing::Test * { return new Coverage; });
  return RUN_ALL_TESTS();
}
