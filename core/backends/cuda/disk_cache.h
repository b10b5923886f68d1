// DiskCache: compiled kernels in a folder, shared by all processes of one user, without locks: files appear whole, by
// being renamed, and what is not whole or not ours counts as absent. It never throws: a folder that cannot be used is
// an empty one that keeps nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace crossdock::cuda {

struct CachedKernel {
  std::string entry;
  std::vector<std::byte> code;
};

class DiskCache {
 public:
  // `folder` is made when something is kept, for this user alone; "" keeps nothing. Above `limit_nbytes` the files
  // that were not used for longest are removed.
  DiskCache(std::string folder, std::int64_t limit_nbytes) : folder_(std::move(folder)), limit_nbytes_(limit_nbytes) {}
  // CROSSDOCK_CACHE_DIR, or crossdock in XDG_CACHE_HOME or ~/.cache; in it `kernels`; at most CROSSDOCK_CACHE_MIB
  // (512). As the environment was when first asked for.
  static const DiskCache& standard();

  const std::string& folder() const noexcept { return folder_; }
  // `key`: letters and digits.
  std::optional<CachedKernel> find(const std::string& key) const noexcept;
  void keep(const std::string& key, const CachedKernel& kernel) const noexcept;
  // Removes the oldest files above the limit, and what writers that died have left; `keep` calls it now and then.
  void trim() const noexcept;

 private:
  std::string folder_;
  std::int64_t limit_nbytes_;
};

}  // namespace crossdock::cuda
