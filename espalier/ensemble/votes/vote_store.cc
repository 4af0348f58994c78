#include "espalier/ensemble/votes/vote_store.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "espalier/data/folds.h"

namespace espalier::ensemble {
namespace {

constexpr size_t kStoreBlock = size_t{1} << 20;

/// What precedes the numbers of a sequence.
struct StoredHead {
  uint32_t tokens, target;
  uint8_t has_gold, has_probability, unused[6];
};
static_assert(sizeof(StoredHead) == 16);

template <typename T>
void append_array(const std::vector<T>& values, std::string& out) {
  out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

template <typename T>
const char* read_array(const char* from, size_t count, std::vector<T>& out) {
  out.resize(count);
  if (count > 0) std::memcpy(out.data(), from, count * sizeof(T));
  return from + count * sizeof(T);
}

}  // namespace

Status VoteStore::add(const TokenVotes& votes) {
  ESPALIER_CHECK(sequences_ == 0 || votes.experts == experts_);
  experts_ = votes.experts;
  const StoredHead head{static_cast<uint32_t>(votes.length()),
                        static_cast<uint32_t>(votes.target.size()),
                        !votes.gold.empty(),
                        !votes.probability.empty(),
                        {}};
  bytes_.append(reinterpret_cast<const char*>(&head), sizeof head);
  append_array(votes.gold, bytes_);
  append_array(votes.target, bytes_);
  append_array(votes.votes, bytes_);
  append_array(votes.probability, bytes_);
  ++sequences_;
  tokens_ += votes.length();
  if (in_memory()) return bytes_.size() > memory_ ? flush() : Status();
  return bytes_.size() > kStoreBlock ? flush() : Status();
}

Status VoteStore::open_file() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  std::string pattern = (folder / "espalier-votes-XXXXXX").string();
  const int descriptor = error ? -1 : ::mkstemp(pattern.data());
  if (descriptor < 0)
    return fail("{}: cannot be made for votes that are too many for memory: {}", pattern,
                system_message(errno));
  file_ = FileDescriptor(descriptor);
  ::unlink(pattern.c_str());
  return {};
}

Status VoteStore::flush() {
  if (in_memory()) ESPALIER_TRY(open_file());
  for (size_t done = 0; done < bytes_.size();) {
    const ssize_t wrote = ::write(file_.number(), bytes_.data() + done, bytes_.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return fail("temporary file of votes: {}", system_message(errno));
    done += static_cast<size_t>(wrote);
  }
  written_ += bytes_.size();
  bytes_ = {};
  return {};
}

Status VoteStore::finish() { return in_memory() ? Status() : flush(); }

Result<const char*> VoteStore::Cursor::take(size_t size) {
  if (store_->in_memory()) {
    if (offset_ == store_->bytes_.size()) return nullptr;
    const char* const at = store_->bytes_.data() + offset_;
    offset_ += size;
    return at;
  }
  if (end_ - begin_ < size) {
    if (begin_ == end_ && offset_ == store_->written_) return nullptr;
    if (end_ > begin_) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (buffer_.size() < std::max(size, kStoreBlock)) buffer_.resize(std::max(size, kStoreBlock));
    while (end_ < size) {
      const ssize_t got = ::pread(store_->file_.number(), buffer_.data() + end_, buffer_.size() - end_,
                                  static_cast<off_t>(offset_));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0)
        return fail("temporary file of votes: {}",
                    got < 0 ? system_message(errno) : std::string("it was cut off"));
      end_ += static_cast<size_t>(got);
      offset_ += static_cast<uint64_t>(got);
    }
  }
  const char* const at = buffer_.data() + begin_;
  begin_ += size;
  return at;
}

Result<bool> VoteStore::Cursor::next(TokenVotes& votes) {
  StoredHead head;
  ESPALIER_ASSIGN(const char* at, take(sizeof head));
  if (at == nullptr) return false;
  std::memcpy(&head, at, sizeof head);
  const size_t p = store_->experts_, tokens = head.tokens, gold = head.has_gold ? tokens : 0,
               probabilities = head.has_probability ? tokens * p : 0;
  ESPALIER_ASSIGN(
      at, take((gold + head.target + tokens * p) * sizeof(data::Label) + probabilities * sizeof(float)));
  votes.experts = p;
  at = read_array(at, gold, votes.gold);
  at = read_array(at, head.target, votes.target);
  at = read_array(at, tokens * p, votes.votes);
  read_array(at, probabilities, votes.probability);
  return true;
}

void StoreSource::select(int folds, int fold, bool inside, uint64_t seed) {
  folds_ = folds;
  fold_ = fold;
  inside_ = inside;
  seed_ = seed;
}

Result<bool> StoreSource::next(VoteView& view) {
  while (true) {
    ESPALIER_ASSIGN(const bool more, cursor_.next(tokens_));
    if (!more) return false;
    ++number_;
    if (folds_ == 0 || (data::fold_of(number_ - 1, folds_, seed_) == fold_) == inside_) break;
  }
  view = substructures_.encode(tokens_);
  return true;
}

Status StoreSource::rewind() {
  cursor_.rewind();
  number_ = 0;
  return {};
}

}  // namespace espalier::ensemble
