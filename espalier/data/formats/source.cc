#include "espalier/data/formats/source.h"

namespace espalier::data {
namespace {

class MemoryReader final : public Reader {
 public:
  MemoryReader(std::shared_ptr<const std::vector<Sequence>> sequences, std::string name)
      : sequences_(std::move(sequences)), name_(std::move(name)) {}
  Result<bool> next(Sequence& sequence) override {
    if (sequences_->empty()) return fail("{}: no sequences", name_);
    if (at_ == sequences_->size()) return false;
    sequence = (*sequences_)[at_++];
    return true;
  }
  std::string_view name() const override { return name_; }

 private:
  std::shared_ptr<const std::vector<Sequence>> sequences_;
  std::string name_;
  size_t at_ = 0;
};

}  // namespace

std::unique_ptr<Reader> Source::read_memory() const {
  ESPALIER_CHECK(in_memory());
  if (open_) return open_();
  return std::make_unique<MemoryReader>(sequences_, name_);
}

Result<std::unique_ptr<Reader>> open_source(const Source& source, const ReadOptions& options) {
  if (source.in_memory()) return source.read_memory();
  return open_reader(source.name(), options);
}

}  // namespace espalier::data
