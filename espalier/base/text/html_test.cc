#include "espalier/base/text/html.h"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(Html, MarkupBecomesText) {
  EXPECT_EQ(html_escaped("<script>alert(\"a\" & 'b')</script>"),
            "&lt;script&gt;alert(&quot;a&quot; &amp; &#39;b&#39;)&lt;/script&gt;");
}

TEST(Html, OtherTextStays) {
  EXPECT_EQ(html_escaped("Süß 漢字\tx\n"), "Süß 漢字\tx\n");
  EXPECT_EQ(html_escaped(""), "");
}

TEST(Html, WhatNoDocumentMayHoldIsReplaced) {
  EXPECT_EQ(html_escaped(std::string_view("a\0b\x1b[31m\x7f", 9)), "a�b�[31m�");
  EXPECT_EQ(html_escaped("a\xff"
                         "b\xc3"),
            "a�b�");
  EXPECT_EQ(html_escaped("\xEF\xBF\xBF"), "�");
}

}  // namespace
}  // namespace espalier
