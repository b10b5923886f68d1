#include "disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <string_view>
#include <utility>

#include "crossdock/runtime/environment.h"
#include "sha256.h"

namespace crossdock::cuda {
namespace {

constexpr std::string_view kMagic = "crossdock kernel 1\n";
constexpr std::string_view kSuffix = ".kernel", kUnfinished = ".part";
constexpr std::int64_t kMostNbytes = std::int64_t{256} << 20;  // of a file that can be a kernel's
constexpr std::time_t kDay_s = 24 * 3600, kHour_s = 3600;

class File {
 public:
  explicit File(int number) noexcept : number_(number) {}
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  explicit operator bool() const noexcept { return number_ >= 0; }
  int number() const noexcept { return number_; }

 private:
  int number_;
};

// Nobody else can have written it.
bool is_ours(const struct stat& status) noexcept {
  return status.st_uid == ::geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// The folder, -1 when it is not there or not ours alone.
int open_folder(const std::string& path) noexcept {
  if (path.empty()) return -1;
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat status{};
  if (folder >= 0 && ::fstat(folder, &status) == 0 && is_ours(status)) return folder;
  if (folder >= 0) ::close(folder);
  return -1;
}

void make_folders(const std::string& path) {
  for (std::size_t end = 1; end != path.npos;) {
    end = path.find('/', end + 1);
    ::mkdir(path.substr(0, end).c_str(), 0700);
  }
}

bool read_all(int file, std::string& text) noexcept {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::read(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

bool write_all(int file, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// A file: the magic words, SHA-256 of the rest, and the rest: key, entry and code, each after its length.
std::string pack(const std::string& key, const CachedKernel& kernel) {
  std::string body;
  const auto add = [&](const void* data, std::uint64_t nbytes) {
    body.append(reinterpret_cast<const char*>(&nbytes), sizeof nbytes);
    body.append(static_cast<const char*>(data), nbytes);
  };
  add(key.data(), key.size());
  add(kernel.entry.data(), kernel.entry.size());
  add(kernel.code.data(), kernel.code.size());
  const auto digest = Sha256().add(body).digest();
  std::string text(kMagic);
  text.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  return text + body;
}

// None when it is not what `pack` makes of that key.
std::optional<CachedKernel> unpack(const std::string& key, std::string_view text) {
  if (!text.starts_with(kMagic)) return std::nullopt;
  text.remove_prefix(kMagic.size());
  Sha256::Digest digest;
  if (text.size() < digest.size()) return std::nullopt;
  std::memcpy(digest.data(), text.data(), digest.size());
  text.remove_prefix(digest.size());
  if (Sha256().add(text).digest() != digest) return std::nullopt;
  std::string_view fields[3];
  for (auto& field : fields) {
    std::uint64_t nbytes = 0;
    if (text.size() < sizeof nbytes) return std::nullopt;
    std::memcpy(&nbytes, text.data(), sizeof nbytes);
    text.remove_prefix(sizeof nbytes);
    if (text.size() < nbytes) return std::nullopt;
    field = text.substr(0, nbytes);
    text.remove_prefix(nbytes);
  }
  if (!text.empty() || fields[0] != key || fields[1].empty() || fields[2].empty()) return std::nullopt;
  const auto* code = reinterpret_cast<const std::byte*>(fields[2].data());
  return CachedKernel{std::string(fields[1]), {code, code + fields[2].size()}};
}

// "used" is the time of modification, moved on at most once a day.
void touch(int file, const struct stat& status) noexcept {
  if (std::time(nullptr) - status.st_mtime > kDay_s) ::futimens(file, nullptr);
}

std::optional<CachedKernel> find_in(const std::string& folder_path, const std::string& key) {
  const File folder(open_folder(folder_path));
  if (!folder) return std::nullopt;
  // Not blocking: a pipe of that name would never open.
  const File file(
      ::openat(folder.number(), (key + std::string(kSuffix)).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  if (!file || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) || !is_ours(status))
    return std::nullopt;
  if (status.st_size <= 0 || status.st_size > kMostNbytes) return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  if (!read_all(file.number(), text)) return std::nullopt;
  auto kernel = unpack(key, text);
  if (kernel) touch(file.number(), status);
  return kernel;
}

// Whether it is there now, whole.
bool keep_in(const std::string& folder_path, const std::string& key, std::string_view text) {
  if (folder_path.empty()) return false;
  static std::atomic<unsigned> serial{0};
  make_folders(folder_path);
  const File folder(open_folder(folder_path));
  if (!folder) return false;
  const std::string unfinished =
      key + '.' + std::to_string(::getpid()) + '.' + std::to_string(serial.fetch_add(1)) + std::string(kUnfinished);
  bool whole = false;
  {
    // O_EXCL: what another container with the same process numbers is writing stays.
    const File file(
        ::openat(folder.number(), unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return false;
    whole = write_all(file.number(), text);
  }
  if (whole &&
      ::renameat(folder.number(), unfinished.c_str(), folder.number(), (key + std::string(kSuffix)).c_str()) == 0)
    return true;
  ::unlinkat(folder.number(), unfinished.c_str(), 0);
  return false;
}

struct Entry {
  std::time_t used_s;
  std::int64_t nbytes;
  std::string name;
};

// The kernels in a folder; unfinished files that nobody writes any more are removed on the way.
std::vector<Entry> list_kernels(int folder) {
  std::vector<Entry> found;
  const int again = ::dup(folder);
  DIR* list = again < 0 ? nullptr : ::fdopendir(again);
  if (!list) {
    if (again >= 0) ::close(again);
    return found;
  }
  ::rewinddir(list);
  while (const dirent* next = ::readdir(list)) {
    const std::string name = next->d_name;
    const bool unfinished = name.ends_with(kUnfinished);
    struct stat status{};
    if (!unfinished && !name.ends_with(kSuffix)) continue;
    if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    if (!unfinished)
      found.push_back({status.st_mtime, static_cast<std::int64_t>(status.st_size), name});
    else if (std::time(nullptr) - status.st_mtime > kHour_s)
      ::unlinkat(folder, name.c_str(), 0);
  }
  ::closedir(list);
  return found;
}

void trim_in(const std::string& folder_path, std::int64_t limit_nbytes) {
  const File folder(open_folder(folder_path));
  if (!folder) return;
  auto kernels = list_kernels(folder.number());
  std::int64_t total = 0;
  for (const auto& kernel : kernels) total += kernel.nbytes;
  if (total <= limit_nbytes) return;
  std::ranges::sort(kernels, {}, &Entry::used_s);
  const std::int64_t goal = limit_nbytes - limit_nbytes / 8;  // some room, so that this is not done for every file
  for (const auto& kernel : kernels) {
    if (total <= goal) break;
    if (::unlinkat(folder.number(), kernel.name.c_str(), 0) == 0) total -= kernel.nbytes;
  }
}

std::string standard_folder() {
  const auto value = [](const char* variable) {
    const char* text = std::getenv(variable);
    return std::string(text ? text : "");
  };
  if (auto chosen = value("CROSSDOCK_CACHE_DIR"); !chosen.empty()) return chosen + "/kernels";
  // A relative one counts as not set (XDG Base Directory Specification).
  if (auto caches = value("XDG_CACHE_HOME"); caches.starts_with('/')) return caches + "/crossdock/kernels";
  if (auto home = value("HOME"); home.starts_with('/')) return home + "/.cache/crossdock/kernels";
  return {};
}

}  // namespace

const DiskCache& DiskCache::standard() {
  static const DiskCache* one = new DiskCache(
      standard_folder(), positive_integer("CROSSDOCK_CACHE_MIB", std::int64_t{1} << 40).value_or(512) << 20);
  return *one;
}

std::optional<CachedKernel> DiskCache::find(const std::string& key) const noexcept {
  try {
    return find_in(folder_, key);
  } catch (const std::exception&) {  // no memory
    return std::nullopt;
  }
}

void DiskCache::keep(const std::string& key, const CachedKernel& kernel) const noexcept {
  // Looking at a full folder takes some hundredths of a second.
  static std::atomic<std::int64_t> kept_nbytes{0};
  try {
    const std::string text = pack(key, kernel);
    if (!keep_in(folder_, key, text)) return;
    const auto nbytes = static_cast<std::int64_t>(text.size()), step = std::max<std::int64_t>(limit_nbytes_ / 16, 1);
    const auto before = kept_nbytes.fetch_add(nbytes);
    if (before == 0 || before / step != (before + nbytes) / step) trim();
  } catch (const std::exception&) {  // no memory
  }
}

void DiskCache::trim() const noexcept {
  try {
    trim_in(folder_, limit_nbytes_);
  } catch (const std::exception&) {  // no memory
  }
}

}  // namespace crossdock::cuda
