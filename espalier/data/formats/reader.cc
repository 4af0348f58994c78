#include "espalier/data/formats/reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "espalier/base/files/wait_scope.h"
#include "espalier/data/formats/columns_reader.h"
#include "espalier/data/formats/conllu_reader.h"
#include "espalier/data/formats/crfsuite_reader.h"
#include "espalier/data/formats/jsonl_reader.h"
#include "espalier/data/formats/letters_reader.h"
#include "espalier/data/formats/lines.h"
#include "espalier/data/formats/scores_reader.h"
#include "espalier/data/formats/text_reader.h"

namespace espalier::data {
namespace {

using MakeReader = Result<std::unique_ptr<Reader>> (*)(Lines, const ReadOptions&);

struct FormatEntry {
  Format format;
  std::string_view name;
  bool has_folds;
  MakeReader make;
};

constexpr std::array<FormatEntry, 6> kFormats = {{
    {Format::kColumns, "columns", false, make_columns_reader},
    {Format::kCrfsuite, "crfsuite", false, make_crfsuite_reader},
    {Format::kConllu, "conllu", false, make_conllu_reader},
    {Format::kLetters, "letters", true, make_letters_reader},
    {Format::kJsonLines, "jsonl", true, make_jsonl_reader},
    {Format::kScores, "scores", false, make_scores_reader},
}};

const FormatEntry& entry(Format format) {
  const auto it =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const auto& e) { return e.format == format; });
  ESPALIER_CHECK(it != kFormats.end());
  return *it;
}

/// What all formats share: folds are selected, and a file must contain at least one sequence.
class SelectingReader : public Reader {
 public:
  SelectingReader(std::unique_ptr<Reader> inner, const ReadOptions& options)
      : inner_(std::move(inner)), folds_(options.folds), allow_empty_(options.allow_empty) {}

  Result<bool> next(Sequence& sequence) override {
    while (true) {
      ESPALIER_ASSIGN(const bool more, inner_->next(sequence));
      if (!more) break;
      any_ = true;
      if (!folds_.empty()) {
        if (!sequence.fold())
          return fail("{}:{}: the sequence has no fold, but folds are selected", name(), sequence.line(0));
        if (std::find(folds_.begin(), folds_.end(), *sequence.fold()) == folds_.end()) continue;
      }
      any_selected_ = true;
      return true;
    }
    at_end_ = true;
    if (allow_empty_) return false;
    if (!any_) return fail("{}: the file has no sequences", name());
    if (!any_selected_) return fail("{}: no sequences in the selected folds", name());
    return false;
  }
  std::string_view name() const override { return inner_->name(); }
  bool would_wait() override { return inner_->would_wait(); }
  Status recover() override { return at_end_ ? Reader::recover() : inner_->recover(); }

 private:
  std::unique_ptr<Reader> inner_;
  std::vector<int> folds_;
  bool allow_empty_;
  bool at_end_ = false;
  bool any_ = false;
  bool any_selected_ = false;
};

/// Parses a number of a fold list; false if the text is not a number or too large.
bool parse_fold(std::string_view text, int& fold) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), fold);
  return code == std::errc() && end == text.data() + text.size() && fold >= 0 && fold <= 1'000'000;
}

}  // namespace

Result<Format> parse_format(std::string_view name) {
  std::string known;
  for (const FormatEntry& e : kFormats) {
    if (e.name == name) return e.format;
    known.append(known.empty() ? "" : ", ").append(e.name);
  }
  return fail("unknown format '{}'; there are {}", name, known);
}

std::string_view format_name(Format format) { return entry(format).name; }

std::optional<Format> format_of_name(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (path.ends_with(".jsonl") || path.ends_with(".ndjson")) return Format::kJsonLines;
  if (path.ends_with(".conllu")) return Format::kConllu;
  if (path.ends_with(".scores") || is_numpy_name(path)) return Format::kScores;
  if (path.ends_with(".crfsuite") || path.ends_with(".items")) return Format::kCrfsuite;
  return std::nullopt;
}

Result<std::optional<Format>> format_of_names(const std::vector<std::string>& paths) {
  std::optional<Format> found;
  for (size_t i = 0; i < paths.size(); ++i) {
    const auto format = format_of_name(paths[i]);
    if (i == 0) found = format;
    if (format != found)
      return fail("the names of {} and {} imply different formats; name the format, or convert one of them",
                  paths.front(), paths[i]);
  }
  return found;
}

Result<std::string> parse_separator(std::string_view text) {
  if (text == "tab" || text == "\\t") return std::string("\t");
  const bool one = text.size() == 1 && static_cast<unsigned char>(text[0]) < 0x80;
  if (!text.empty() && (!one || text[0] == '\n' || text[0] == '\r' || text[0] == '\0'))
    return fail("separator {}: expected one character, or tab", in_quotes(text));
  return std::string(text);
}

Result<std::vector<int>> parse_folds(std::string_view text) {
  std::vector<int> folds;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view part = text.substr(at, comma - at);
    const size_t dash = part.find('-');
    int first = 0;
    int last = 0;
    if (!parse_fold(part.substr(0, dash), first) ||
        !parse_fold(dash == part.npos ? part : part.substr(dash + 1), last) || last < first)
      return fail("folds '{}': expected numbers and ranges such as 0, 1-9 or 1,3,5-7", text);
    for (int fold = first; fold <= last; ++fold) folds.push_back(fold);
    at = comma + 1;
  }
  std::sort(folds.begin(), folds.end());
  folds.erase(std::unique(folds.begin(), folds.end()), folds.end());
  return folds;
}

Result<std::unique_ptr<Reader>> read_input(Input input, const ReadOptions& options) {
  const FormatEntry& format = entry(options.format);
  if (!options.folds.empty() && !format.has_folds)
    return fail("folds are selected, but the format {} has none", format.name);
  ESPALIER_ASSIGN(Encoding encoding, parse_encoding(options.encoding));
  if (options.unchecked && encoding == Encoding::kUtf8) encoding = Encoding::kUnchecked;
  if (options.format != Format::kColumns && !(options.separator.empty() && options.comment.empty()))
    return fail("a separator or a comment sign is given, but only columns have them, not the format {}",
                format.name);
  Lines lines(std::move(input), encoding);
  ESPALIER_ASSIGN(auto reader, options.text ? make_text_reader(std::move(lines), *options.text)
                                            : format.make(std::move(lines), options));
  return std::unique_ptr<Reader>(std::make_unique<SelectingReader>(std::move(reader), options));
}

Result<std::unique_ptr<Reader>> open_reader(const std::string& path, const ReadOptions& options) {
  if (options.format == Format::kScores && is_numpy_name(path)) {
    if (!options.folds.empty()) return fail("folds are selected, but scores have none");
    ESPALIER_ASSIGN(auto reader, open_numpy_scores(path, options));
    return std::unique_ptr<Reader>(std::make_unique<SelectingReader>(std::move(reader), options));
  }
  ESPALIER_ASSIGN(Input input, Input::open(path));
  return read_input(std::move(input), options);
}

Result<std::unique_ptr<Reader>> read_text(std::string_view text, std::string name,
                                          const ReadOptions& options) {
  return read_input(Input::from_memory(text, std::move(name)), options);
}

Result<std::vector<Sequence>> read_all(const std::vector<std::string>& paths, const ReadOptions& options) {
  std::vector<Sequence> all;
  Sequence sequence;
  for (const std::string& path : paths) {
    ESPALIER_ASSIGN(const auto reader, open_reader(path, options));
    while (true) {
      ESPALIER_ASSIGN(const bool more, reader->next(sequence));
      if (!more) break;
      if (WaitScope::wanted()) return fail("{}: stopped before everything was read", path);
      // A copy takes only the memory it needs; the buffer keeps its spare capacity for the next sequence.
      all.push_back(sequence);
    }
  }
  return all;
}

}  // namespace espalier::data
