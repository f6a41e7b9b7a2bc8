#include "pages/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "table/random.h"

namespace throng::pages {
namespace {

using Json = nlohmann::ordered_json;

bool is_harmless(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char character) {
    return character >= 0x20 && character < 0x7F && character != '<' && character != '>' &&
           character != '&';
  });
}

TEST(Page, NoValueEndsTheElement) {
  for (const std::string value :
       {"</script>", "</SCRIPT ><script>alert(1)</script>", "<!--", "<!--<script>", "-->", "]]>",
        "&lt;/script&gt;", "\xE2\x80\xA8\xE2\x80\xA9", "\"}];alert(1)//", "\\", "\\u003c", "'",
        "THRONG-CONTENT", "\xF0\x9F\x98\x80", ""}) {
    const Json content = {{value, value}, {"list", {value, 1, nullptr}}};
    const std::string text = escaped(content);
    EXPECT_TRUE(is_harmless(text)) << text;
    EXPECT_EQ(Json::parse(text), content) << text;
  }
}

TEST(Page, BytesThatAreNoTextAreReplaced) {
  const std::string text = escaped({{"a", "\xFF<\xC3"}});
  EXPECT_TRUE(is_harmless(text)) << text;
  EXPECT_EQ(Json::parse(text)["a"], "\xEF\xBF\xBD<\xEF\xBF\xBD");
}

TEST(Page, RandomBytesNeverEndTheElement) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    std::string value;
    for (std::size_t i = random.below(40); i > 0; --i)
      value += static_cast<char>(random.below(256));
    EXPECT_TRUE(is_harmless(escaped({{value, {value}}}))) << "seed " << seed;
  }
}

TEST(Page, FillsTheOnePlace) {
  EXPECT_EQ(fill("<a>THRONG-CONTENT</a>", {{"b", "THRONG-CONTENT"}}),
            R"(<a>{"b":"THRONG-CONTENT"}</a>)");
  EXPECT_THROW(fill("<a></a>", Json::object()), std::logic_error);
  EXPECT_THROW(fill("THRONG-CONTENT THRONG-CONTENT", Json::object()), std::logic_error);
}

// Whichever way it was built, it says which.
TEST(Page, IsOneFileThatAsksForNothing) {
  if (!are_built_in()) {
    EXPECT_THROW(write_page("status", Json::object()), std::logic_error);
    return;
  }
  const std::string page = write_page("status", {{"publication", "</script>"}});
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  EXPECT_NE(page.find(R"("report":{"publication":"\u003c/script\u003e"})"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(page.find("Apache License"), std::string::npos);
  EXPECT_EQ(page.find(" src="), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
}

}  // namespace
}  // namespace throng::pages
