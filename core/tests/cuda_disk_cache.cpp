#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "../backends/cuda/disk_cache.h"
#include "gtest/gtest.h"
#include "in_child.h"

namespace crossdock::cuda {
namespace {

namespace fs = std::filesystem;

CachedKernel kernel(char letter, std::size_t nbytes = 1000) {
  return {std::string("_Z4fill") + letter, std::vector<std::byte>(nbytes, static_cast<std::byte>(letter))};
}

class CudaDiskCache : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "crossdock-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string folder() const { return (root_ / "deep" / "kernels").string(); }
  DiskCache cache(std::int64_t limit_nbytes = 1 << 20) const { return {folder(), limit_nbytes}; }
  fs::path file(const std::string& key) const { return fs::path(folder()) / (key + ".kernel"); }
  std::string content(const std::string& key) const {
    std::ifstream in(file(key), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void overwrite(const std::string& key, const std::string& text) const {
    std::ofstream(file(key), std::ios::binary | std::ios::trunc) << text;
  }
  void set_age(const std::string& name, int hours) const {
    fs::last_write_time(fs::path(folder()) / name, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }
  std::size_t count() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder()), {})); }

  fs::path root_;
};

bool holds(const std::optional<CachedKernel>& found, const CachedKernel& wanted) {
  return found && found->entry == wanted.entry && found->code == wanted.code;
}

TEST_F(CudaDiskCache, GivesBackWhatItKeeps) {
  EXPECT_FALSE(cache().find("aa"));
  cache().keep("aa", kernel('a'));
  cache().keep("bb", kernel('b', 1));
  EXPECT_TRUE(holds(cache().find("aa"), kernel('a')));
  EXPECT_TRUE(holds(cache().find("bb"), kernel('b', 1)));
  EXPECT_FALSE(cache().find("cc"));
  cache().keep("aa", kernel('c'));
  EXPECT_TRUE(holds(cache().find("aa"), kernel('c')));
  EXPECT_EQ(count(), 2u);  // nothing unfinished is left
}

TEST_F(CudaDiskCache, IsForItsUserAlone) {
  ::umask(0);
  cache().keep("aa", kernel('a'));
  ::umask(022);
  EXPECT_EQ(fs::status(folder()).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(file("aa")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(CudaDiskCache, EveryDamageCountsAsAbsentAndIsMended) {
  cache().keep("aa", kernel('a', 100));
  const std::string whole = content("aa");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    overwrite("aa", whole.substr(0, length));
    EXPECT_FALSE(cache().find("aa")) << length << " bytes";
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 16);
    overwrite("aa", changed);
    EXPECT_FALSE(cache().find("aa")) << "byte " << at;
  }
  overwrite("aa", whole + "x");
  EXPECT_FALSE(cache().find("aa"));
  overwrite("aa", std::string(100000, '\xff'));
  EXPECT_FALSE(cache().find("aa"));
  cache().keep("aa", kernel('a'));
  EXPECT_TRUE(holds(cache().find("aa"), kernel('a')));
}

TEST_F(CudaDiskCache, AFileOfAnotherKeyIsNotTaken) {
  cache().keep("aa", kernel('a'));
  fs::copy(file("aa"), file("bb"));
  EXPECT_FALSE(cache().find("bb"));
}

TEST_F(CudaDiskCache, WhatIsNoPlainFileOfOursIsNotRead) {
  cache().keep("aa", kernel('a'));
  fs::rename(file("aa"), root_ / "elsewhere");
  fs::create_symlink(root_ / "elsewhere", file("aa"));
  EXPECT_FALSE(cache().find("aa"));
  fs::remove(file("aa"));
  ASSERT_EQ(::mkfifo(file("aa").c_str(), 0600), 0);
  EXPECT_FALSE(cache().find("aa"));  // and nobody waits for a writer
  fs::remove(file("aa"));
  fs::create_directory(file("aa"));
  EXPECT_FALSE(cache().find("aa"));
  cache().keep("aa", kernel('a'));  // cannot be: nothing happens
  EXPECT_EQ(count(), 1u);
  fs::remove(file("aa"));
  fs::rename(root_ / "elsewhere", file("aa"));
  EXPECT_TRUE(cache().find("aa"));
  fs::permissions(file("aa"), fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(cache().find("aa"));
}

TEST_F(CudaDiskCache, AFolderThatOthersWriteToIsNotUsed) {
  cache().keep("aa", kernel('a'));
  fs::permissions(folder(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(cache().find("aa"));
  cache().keep("bb", kernel('b'));
  EXPECT_FALSE(fs::exists(file("bb")));
}

TEST_F(CudaDiskCache, AForeignOwnersFileIsNotTaken) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  cache().keep("aa", kernel('a'));
  ASSERT_EQ(::chown(file("aa").c_str(), 12345, 12345), 0);
  EXPECT_FALSE(cache().find("aa"));
  cache().keep("aa", kernel('b'));
  EXPECT_TRUE(holds(cache().find("aa"), kernel('b')));
  ASSERT_EQ(::chown(folder().c_str(), 12345, 12345), 0);
  EXPECT_FALSE(cache().find("aa"));
}

TEST_F(CudaDiskCache, WithoutAFolderNothingIsKept) {
  for (const std::string& bad : {std::string(), std::string("/proc/no/kernels"), std::string("/dev/null/kernels")}) {
    const DiskCache none(bad, 1 << 20);
    none.keep("aa", kernel('a'));
    EXPECT_FALSE(none.find("aa")) << bad;
    none.trim();
  }
}

TEST_F(CudaDiskCache, TheOldestGoFirst) {
  for (char letter = 'a'; letter < 'k'; ++letter) {
    cache().keep(std::string(1, letter), kernel(letter, 1000));
    set_age(std::string(1, letter) + ".kernel", 'z' - letter);
  }
  cache(20000).trim();
  EXPECT_EQ(count(), 10u);
  cache(6000).trim();  // each is some more than 1000; an eighth is left free
  EXPECT_EQ(count(), 4u);
  for (char letter = 'a'; letter < 'k'; ++letter)
    EXPECT_EQ(fs::exists(file(std::string(1, letter))), letter > 'f') << letter;
}

TEST_F(CudaDiskCache, UseKeepsYoung) {
  cache().keep("aa", kernel('a'));
  cache().keep("bb", kernel('b'));
  set_age("aa.kernel", 100);
  set_age("bb.kernel", 50);
  EXPECT_TRUE(cache().find("aa"));
  cache(1500).trim();
  EXPECT_TRUE(cache().find("aa"));
  EXPECT_FALSE(cache().find("bb"));
}

TEST_F(CudaDiskCache, TrimmingRemovesItsOwnLeftoversAlone) {
  cache().keep("aa", kernel('a'));
  for (const char* name : {"aa.1.0.part", "bb.1.0.part", "notes.txt"}) std::ofstream(fs::path(folder()) / name) << "x";
  set_age("aa.1.0.part", 2);
  set_age("notes.txt", 1000);
  cache(1).trim();
  EXPECT_FALSE(fs::exists(file("aa")));
  EXPECT_FALSE(fs::exists(fs::path(folder()) / "aa.1.0.part"));
  EXPECT_TRUE(fs::exists(fs::path(folder()) / "bb.1.0.part"));  // somebody may be writing it
  EXPECT_TRUE(fs::exists(fs::path(folder()) / "notes.txt"));
}

// Everything that is found is whole, whoever writes and removes at the same time.
bool hammer(const DiskCache& cache, int rounds) {
  bool good = true;
  for (int round = 0; round < rounds; ++round) {
    const char letter = static_cast<char>('a' + round % 5);
    const std::string key(1, letter);
    cache.keep(key, kernel(letter, 5000));
    if (auto found = cache.find(key)) good = good && holds(found, kernel(letter, 5000));
    if (round % 16 == 0) cache.trim();
  }
  return good;
}

TEST_F(CudaDiskCache, ThreadsShareIt) {
  bool good[4] = {};
  std::vector<std::thread> threads;
  for (bool& one : good) threads.emplace_back([&] { one = hammer(cache(12000), 200); });
  for (auto& thread : threads) thread.join();
  for (bool one : good) EXPECT_TRUE(one);
  EXPECT_LE(count(), 5u);
}

TEST_F(CudaDiskCache, ProcessesShareIt) {
  bool child = false;
  const pid_t other = ::fork();
  if (other == 0) ::_exit(hammer(cache(12000), 200) ? 0 : 1);
  const bool parent = hammer(cache(12000), 200);
  int status = -1;
  child = ::waitpid(other, &status, 0) == other && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  EXPECT_TRUE(parent);
  EXPECT_TRUE(child);
  EXPECT_LE(count(), 5u);
}

}  // namespace
}  // namespace crossdock::cuda
