// Memory of one device: a reservation that nobody can touch but while the device works.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace fake {

struct Block {
  std::byte* data;
  std::size_t nbytes;
  bool stream_ordered;
};

// Each allocation has pages of its own with an inaccessible one behind them. New memory is full of 0xFF: not a number
// in any floating-point format. Freed addresses are used again as late as possible.
class Memory {
 public:
  explicit Memory(std::int64_t size);

  std::byte* take(std::size_t nbytes, bool stream_ordered);  // null when there is no room
  bool give_back(std::byte* data);                           // false when nothing begins there
  void give_back_all();
  std::optional<Block> find(const void* address) const;  // the allocation around it
  bool owns(const void* address) const { return begin_ <= address && address < begin_ + reserved_; }
  std::int64_t size() const { return size_; }
  std::int64_t free_nbytes() const;

  void open();            // counted
  void close();           // counted; it stays open for what comes soon
  void close_for_good();  // unless it is opened by somebody

 private:
  void protect_all(int protection);
  void check_tail(const Block& block) const;

  std::int64_t size_, taken_ = 0;
  std::size_t reserved_;
  std::byte* begin_;
  std::size_t cursor_ = 0;
  std::map<std::byte*, Block> blocks_;
  int opened_ = 0;
  bool accessible_ = false;
  mutable std::mutex mutex_;
};

}  // namespace fake
