#include "espalier/ensemble/votes/vote_store.h"

#include <cstring>

#include "espalier/data/folds.h"

namespace espalier::ensemble {
namespace {

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
  if (in_memory()) {
    if (bytes_.size() <= memory_) return {};
    ESPALIER_ASSIGN(file_, ScratchFile::make("votes"));
  }
  ESPALIER_TRY(file_->append(bytes_));
  bytes_.clear();
  return {};
}

Status VoteStore::finish() { return in_memory() ? Status() : file_->flush(); }

Result<const char*> VoteStore::Cursor::take(size_t size) {
  if (!store_->in_memory()) {
    if (!in_file_) in_file_.emplace(*store_->file_, 0, store_->file_->size());
    return in_file_->take(size);
  }
  if (offset_ == store_->bytes_.size()) return nullptr;
  const char* const at = store_->bytes_.data() + offset_;
  offset_ += size;
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
