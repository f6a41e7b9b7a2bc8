#include "table/utf8.h"

#include <gtest/gtest.h>

namespace throng {
namespace {

TEST(Utf8, TakesText) {
  for (const char* text : {"", "plain", "Zoë", "日本", "\xF0\x9F\x98\x80", "\xEF\xBB\xBFx"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
}

TEST(Utf8, RefusesTheRest) {
  for (const char* text : {"\xFF", "\xC3", "\xC3(", "\x80", "\xC0\xAF", "\xE0\x80\xAF",
                           "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "a\xE2\x82"}) {
    EXPECT_FALSE(is_utf8(text)) << testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace throng
