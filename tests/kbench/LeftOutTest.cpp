// Elements that no block stores: what they hold is what was there before, whatever that was.
#include "kbench/verify/LeftOut.h"
#include "kbench/verify/Inputs.h"
#include <gtest/gtest.h>

using namespace phobos;
using namespace phobos::kbench;

namespace {

constexpr ScalarType types[] = {ScalarType::Bool, ScalarType::I8,  ScalarType::U8,     ScalarType::I32,
                                ScalarType::U32,  ScalarType::I64, ScalarType::Index,  ScalarType::F8E4M3,
                                ScalarType::F16,  ScalarType::F32, ScalarType::F8E5M2, ScalarType::BF16,
                                ScalarType::F64};

TEST(LeftOut, OneElementAmongMany) {
  for (ScalarType t : types) {
    HostArray first(t, {700, 600}), second(t, {700, 600}), stored(t, {1});
    poison(first);
    poisonOtherwise(second);
    const uint64_t a = first.getBits(0), b = second.getBits(0);
    ASSERT_NE(a, b) << name(t);
    // The kernel stores the second pattern and the first in turns; one element keeps what was there.
    for (int64_t i = 0; i < first.size(); ++i)
      if (i != 5 * 600 + 7)
        for (HostArray *array : {&first, &second})
          array->setBits(i, i % 2 ? a : b);
    const std::vector<bool> suspects = stillPoisoned(first);
    ASSERT_EQ(suspects.size(), size_t(700 * 600)) << name(t);
    EXPECT_EQ(leftOut(second, suspects, "Y"),
              "1 of 420000 elements of 'Y' are stored by no block, first 'Y[5, 7]'")
        << name(t);
    second.setBits(5 * 600 + 7, a);
    EXPECT_EQ(leftOut(second, suspects, "Y"), "") << name(t);
  }
}

TEST(LeftOut, NothingLooksSo) {
  HostArray array(ScalarType::F32, {1000});
  for (int64_t i = 0; i < array.size(); ++i)
    array.setFloat(i, double(i));
  EXPECT_TRUE(stillPoisoned(array).empty());
  EXPECT_TRUE(stillPoisoned(HostArray(ScalarType::F32, {0})).empty());
}

} // namespace
