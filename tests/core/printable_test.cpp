#include "core/printable.hpp"

#include <gtest/gtest.h>

namespace carom {
namespace {

TEST(Printable, LeavesTextOfAnyLanguageAlone) {
  for (const std::string text : {"ball-0", "Kühler", "шестерня", "歯車", "🙂", "a \"quoted\" name"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesWhatATerminalObeys) {
  EXPECT_EQ(printable("r\x1b]0;title\x07"), "r\\x1b]0;title\\x07");
  EXPECT_EQ(printable("a\nb\rc\td"), "a\\nb\\rc\\td");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\x9b") << "CSI as one character of UTF-8";
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u202e") << "text from right to left";
  EXPECT_EQ(printable("\xe2\x81\xa9"), "\\u2069");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\x9b"), "\\x9b") << "CSI of terminals with eight bits";
  EXPECT_EQ(printable("K\xfchler"), "K\\xfchler") << "Latin-1";
  EXPECT_EQ(printable("\xc3"), "\\xc3") << "half a character";
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b") << "longer than need be";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half a surrogate pair";
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80") << "beyond the last character";
}

TEST(Printable, KeepsTheLinesOfATable) {
  EXPECT_EQ(printable_lines("a\tb\n\x1b[2J\n"), "a\tb\n\\x1b[2J\n");
}

}  // namespace
}  // namespace carom
