#include <algorithm>
#include <string>

#include "../backends/cuda/sha256.h"
#include "gtest/gtest.h"

namespace crossdock::cuda {
namespace {

std::string of(std::string_view text) { return hexadecimal(Sha256().add(text).digest()); }

// The examples of FIPS 180-2, appendix B.
TEST(Sha256, IsTheStandards) {
  EXPECT_EQ(of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(of(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, TakesItsInputInAnyPieces) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (std::size_t piece : {1, 3, 63, 64, 65, 128, 299}) {
    Sha256 hash;
    for (std::size_t at = 0; at < text.size(); at += piece) hash.add(std::string_view(text).substr(at, piece));
    EXPECT_EQ(hexadecimal(hash.digest()), of(text)) << piece;
  }
}

TEST(Sha256, FieldsDoNotRunTogether) {
  EXPECT_NE(Sha256().add_field("ab").add_field("c").digest(), Sha256().add_field("a").add_field("bc").digest());
}

}  // namespace
}  // namespace crossdock::cuda
