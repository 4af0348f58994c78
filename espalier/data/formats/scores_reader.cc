#include "espalier/data/formats/scores_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "espalier/base/files/mapped_file.h"
#include "espalier/base/files/zip_archive.h"
#include "espalier/base/text/counted.h"
#include "espalier/base/text/format.h"
#include "espalier/base/text/text.h"
#include "espalier/data/formats/label_column.h"
#include "espalier/data/formats/lines_reader.h"
#include "espalier/data/formats/numpy_file.h"
#include "espalier/data/label_set.h"

namespace espalier::data {
namespace {

void split_cells(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  for (size_t at = 0; (at = line.find_first_not_of(" \t", at)) != line.npos;) {
    const size_t end = std::min(line.find_first_of(" \t", at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = end;
  }
}

Status check_score_labels(const std::vector<std::string>& labels) {
  if (labels.empty()) return fail("scores need the names of their labels");
  std::set<std::string_view> seen;
  bool numbers = true;
  for (const std::string& label : labels) {
    if (label.empty() || label == kUnknownLabelText || label.find_first_of(" \t\r\n") != label.npos)
      return fail("{} cannot be the name of a label", in_quotes(label));
    if (!seen.insert(label).second) return fail("the label {} occurs twice", in_quotes(label));
    numbers &= parse_number(label).ok();
  }
  if (numbers) return fail("the first line must name the labels; it has nothing but numbers");
  return {};
}

/// An error if a file has scores of other labels than those that a model was trained on (none: any will do).
/// The columns may be in another order.
Status check_same_labels(const std::vector<std::string>& labels, const std::vector<std::string>& trained) {
  if (trained.empty() || std::set(labels.begin(), labels.end()) == std::set(trained.begin(), trained.end()))
    return {};
  return fail("scores of {}, but the model was trained on scores of {}", joined(labels, ", "),
              joined(trained, ", "));
}

/// The score as it is stored, or NaN if it cannot be one.
float stored_score(double value, bool training) {
  if (value == -INFINITY) return training ? NAN : kImpossibleScore;
  const auto narrow = static_cast<float>(value);
  return std::isfinite(narrow) ? std::max(narrow, kImpossibleScore) : NAN;
}

double score_of_text(std::string_view text) {
  if (text == "-inf" || text == "-Infinity" || text == "-infinity") return -INFINITY;
  const auto number = parse_number(text);
  return number.ok() ? *number : NAN;
}

constexpr std::string_view kWhatScoresAre = "a finite number, or -inf where labels are not learned";

class ScoresReader final : public LinesReader {
 public:
  ScoresReader(Lines lines, const ReadOptions& options)
      : LinesReader(std::move(lines)),
        labels_required_(options.labels_required),
        trained_(options.score_labels) {}

  Result<bool> next(Sequence& sequence) override {
    sequence.clear();
    std::string_view line;
    while (true) {
      ESPALIER_ASSIGN(const bool more, next_line(sequence, line));
      if (!more) break;
      if (labels_.empty()) {
        ESPALIER_TRY(read_header(line));
        sequence.add_extra_line(line);  // a writer puts it back
        continue;
      }
      if (sequence.text_bytes() + line.size() + name_bytes_ > Sequence::kMaxTextBytes)
        return lines_.error(
            "the sequence is longer than 2 GiB; are the blank lines between sequences missing?");
      ESPALIER_TRY(add_row(line, sequence));
    }
    return !sequence.empty();
  }
  Status recover() override {
    if (labels_.empty()) return fail("{}: the first line does not name labels", name());
    return LinesReader::recover();
  }

 private:
  Status read_header(std::string_view line) {
    split_cells(line, cells_);
    std::vector<std::string> labels(cells_.begin(), cells_.end());
    auto status = check_score_labels(labels);
    if (status.ok()) status = check_same_labels(labels, trained_);
    if (!status.ok()) return lines_.error("{}", status.error().message);
    for (const std::string& label : labels) name_bytes_ += label.size();
    labels_ = std::move(labels);
    return {};
  }

  Status add_row(std::string_view line, Sequence& sequence) {
    split_cells(line, cells_);
    const size_t K = labels_.size();
    if (!labelled_) labelled_ = cells_.size() == K + 1;
    if (cells_.size() != K + *labelled_)
      return lines_.error("expected {}{}, found {}", counted(K, "score"), *labelled_ ? " and a label" : "",
                          counted(cells_.size(), "cell"));
    if (labels_required_ && !*labelled_)
      return lines_.error("a label after the {} is missing", counted(K, "score"));
    sequence.begin_row(line, lines_.number());
    for (size_t k = 0; k < K; ++k) {
      const float value = stored_score(score_of_text(cells_[k]), labels_required_);
      if (std::isnan(value)) return lines_.error("{} is not {}", in_quotes(cells_[k]), kWhatScoresAre);
      sequence.add_attribute(labels_[k], value);
    }
    if (*labelled_) {
      if (parse_number(cells_[K]).ok() &&
          std::find(labels_.begin(), labels_.end(), cells_[K]) == labels_.end())
        return lines_.error("the cell after {} is the number {}, not a label; the first line names {}",
                            counted(K, "score"), in_quotes(cells_[K]), counted(K, "label"));
      sequence.set_label(cells_[K]);
    }
    return {};
  }

  bool labels_required_;
  std::vector<std::string> trained_;  ///< the labels of the model that reads them, or none
  std::vector<std::string> labels_;
  size_t name_bytes_ = 0;
  std::optional<bool> labelled_;  ///< whether rows end in a label; as the first one
  std::vector<std::string_view> cells_;
};

/// The arrays of a .npy or .npz file, one sequence after another.
class NumpyScores final : public Reader {
 public:
  NumpyScores(std::string name, const ReadOptions& options)
      : name_(std::move(name)), labels_(options.score_labels) {}

  Status start(std::string_view bytes) {
    if (!ZipArchive::recognise(bytes)) {
      if (labels_.empty())
        return fail(
            "{}: the labels of its columns are not named; name them, or save a .npz file with an array "
            "called labels",
            name_);
      ESPALIER_TRY(check_score_labels(labels_));
      return add_array(bytes, name_);
    }
    const std::vector<std::string> trained = labels_;
    ESPALIER_ASSIGN(archive_, ZipArchive::open(bytes, name_));
    for (const ZipArchive::Member& member : archive_->members())
      if (member.name == "labels.npy") ESPALIER_TRY(read_labels(member));
    if (labels_.empty()) return fail("{}: there is no array called labels", name_);
    auto status = check_score_labels(labels_);
    if (status.ok()) status = check_same_labels(labels_, trained);
    if (!status.ok()) return fail("{}: {}", name_, status.error().message);
    return {};
  }
  const std::vector<std::string>& labels() const { return labels_; }
  void keep(MappedFile file) { file_ = std::move(file); }

  Result<bool> next(Sequence& sequence) override {
    sequence.clear();
    while (!array_ || sequence_ == sequences_ || length_ == 0) {
      ESPALIER_ASSIGN(const bool more, next_array());
      if (!more) return false;
    }
    const size_t K = labels_.size();
    if (length_ > Sequence::kMaxTextBytes / (16 * K))
      return fail("{}: a sequence of {} is too long", name_, counted(length_, "token"));
    if (first_) sequence.add_extra_line(joined(labels_, " "));
    first_ = false;
    for (size_t t = 0; t < length_; ++t) {
      const size_t at = (sequence_ * length_ + t) * K;
      row_.clear();
      for (size_t k = 0; k < K; ++k)
        append_format(row_, "{}{}", k == 0 ? "" : " ", static_cast<float>(array_->number(at + k)));
      sequence.begin_row(row_, t + 1);
      for (size_t k = 0; k < K; ++k) {
        const float value = stored_score(array_->number(at + k), false);
        if (std::isnan(value))
          return fail("{}: token {}, label {}: the score is {}", name_, t + 1, labels_[k],
                      array_->number(at + k));
        sequence.add_attribute(labels_[k], value);
      }
    }
    ++sequence_;
    return true;
  }
  std::string_view name() const override { return name_; }

 private:
  Status read_labels(const ZipArchive::Member& member) {
    ESPALIER_ASSIGN(const std::string bytes, archive_->read(member));
    ESPALIER_ASSIGN(const NumpyArray texts, parse_numpy(bytes, name_ + ": labels"));
    if (texts.kind == 'f' || texts.shape.size() != 1)
      return fail("{}: the array called labels is not a list of texts", name_);
    if (texts.size() >= kNoLabel) return fail("{}: more than 65,534 labels", name_);
    labels_.clear();
    for (size_t i = 0; i < texts.size(); ++i) labels_.push_back(texts.text(i));
    return {};
  }

  Result<bool> next_array() {
    array_.reset();
    while (archive_ && member_ < archive_->members().size()) {
      const ZipArchive::Member& member = archive_->members()[member_++];
      if (member.name == "labels.npy") continue;
      ESPALIER_ASSIGN(unpacked_, archive_->read(member));
      ESPALIER_TRY(add_array(unpacked_, name_ + ": " + member.name));
      return true;
    }
    return false;
  }

  Status add_array(std::string_view bytes, const std::string& name) {
    ESPALIER_ASSIGN(NumpyArray array, parse_numpy(bytes, name));
    const size_t dimensions = array.shape.size();
    if (array.kind != 'f' || dimensions < 2 || dimensions > 3)
      return fail("{}: expected floats, tokens × labels or sequences × tokens × labels", name);
    if (array.shape.back() != labels_.size())
      return fail("{}: {} of scores for {}", name, counted(array.shape.back(), "column"),
                  counted(labels_.size(), "label"));
    length_ = array.shape[dimensions - 2];
    sequences_ = dimensions == 3 ? array.shape[0] : 1;
    sequence_ = 0;
    array_ = std::move(array);
    return {};
  }

  std::string name_;
  std::vector<std::string> labels_;
  std::optional<MappedFile> file_;
  std::optional<ZipArchive> archive_;
  size_t member_ = 0;
  std::string unpacked_;
  std::optional<NumpyArray> array_;
  size_t sequences_ = 0, length_ = 0, sequence_ = 0;
  bool first_ = true;
  std::string row_;
};

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

Result<std::unique_ptr<NumpyScores>> start_numpy(std::string_view bytes, std::string name,
                                                 const ReadOptions& options) {
  if (options.labels_required)
    return fail("{}: files of numpy have no labels to learn from or to compare with; use the text form",
                name);
  auto reader = std::make_unique<NumpyScores>(std::move(name), options);
  ESPALIER_TRY(reader->start(bytes));
  return reader;
}

}  // namespace

Result<std::unique_ptr<Reader>> make_scores_reader(Lines lines, const ReadOptions& options) {
  ESPALIER_TRY(resolve_label_column(options, 1));
  return std::unique_ptr<Reader>(std::make_unique<ScoresReader>(std::move(lines), options));
}

bool is_numpy_name(std::string_view path) { return path.ends_with(".npy") || path.ends_with(".npz"); }

Result<std::unique_ptr<Reader>> open_numpy_scores(const std::string& path, const ReadOptions& options) {
  ESPALIER_ASSIGN(MappedFile file, MappedFile::open(path));
  ESPALIER_ASSIGN(auto reader, start_numpy(text_of(file), path, options));
  reader->keep(std::move(file));  // its bytes stay where they are
  return std::unique_ptr<Reader>(std::move(reader));
}

Result<std::unique_ptr<Reader>> read_numpy_scores(std::string_view bytes, std::string name,
                                                  const ReadOptions& options) {
  ESPALIER_ASSIGN(auto reader, start_numpy(bytes, std::move(name), options));
  return std::unique_ptr<Reader>(std::move(reader));
}

namespace {

Result<std::vector<std::string>> labels_of_archive(std::string_view bytes, const std::string& name) {
  ReadOptions options;
  options.labels_required = false;
  ESPALIER_ASSIGN(const auto reader, start_numpy(bytes, name, options));
  return reader->labels();
}

/// Of the text form.
Result<std::vector<std::string>> labels_of_lines(Input input, Encoding encoding, const std::string& path) {
  Lines lines(std::move(input), encoding);
  std::string_view line;
  std::vector<std::string_view> cells;
  while (true) {
    ESPALIER_ASSIGN(const bool more, lines.next(line));
    if (!more) return fail("{}: there is no line that names the labels", path);
    if (is_blank(line)) continue;
    split_cells(line, cells);
    std::vector<std::string> labels(cells.begin(), cells.end());
    const auto status = check_score_labels(labels);
    if (!status.ok()) return lines.error("{}", status.error().message);
    return labels;
  }
}

}  // namespace

bool is_numpy_scores(std::string_view bytes) { return is_numpy(bytes) || ZipArchive::recognise(bytes); }

Result<std::vector<std::string>> labels_of_scores(const std::string& path, const std::string& encoding) {
  if (path.ends_with(".npy")) return std::vector<std::string>();
  if (is_numpy_name(path)) {
    ESPALIER_ASSIGN(const MappedFile file, MappedFile::open(path));
    return labels_of_archive(text_of(file), path);
  }
  ESPALIER_ASSIGN(const Encoding known, parse_encoding(encoding));
  ESPALIER_ASSIGN(Input input, Input::open(path));
  return labels_of_lines(std::move(input), known, path);
}

Result<std::vector<std::string>> labels_of_scores_in(std::string_view bytes, const std::string& name) {
  if (is_numpy(bytes)) return std::vector<std::string>();
  if (ZipArchive::recognise(bytes)) return labels_of_archive(bytes, name);
  return labels_of_lines(Input::from_memory(bytes, name), Encoding::kUtf8, name);
}

}  // namespace espalier::data
