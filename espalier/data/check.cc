#include "espalier/data/check.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "espalier/base/hash.h"
#include "espalier/base/text/counted.h"
#include "espalier/base/text/text.h"
#include "espalier/data/attribute_values.h"
#include "espalier/data/label_set.h"

namespace espalier::data {
namespace {

/// Sequences between two reports of progress.
constexpr uint64_t kReportEvery = 4096;

/// The label without blanks and in lower case, to find labels that are meant to be the same.
std::string folded(std::string_view label) {
  std::string kept;
  for (const char c : label)
    if (c != ' ' && c != '\t') kept.push_back(c);
  std::string lower;
  to_lower(kept, lower);
  return lower;
}

std::string join(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += fmt::format("{}'{}'", text.empty() ? "" : ", ", item);
  return text;
}

/// Gathers the report, a sequence at a time.
class Checker {
 public:
  Checker(bool check_utf8, bool any_bytes) : check_utf8_(check_utf8), any_bytes_(any_bytes) {}

  Status add(const Sequence& s, const std::string& file) {
    ++report_.sequences;
    report_.tokens += s.length();
    report_.columns = std::max(report_.columns, s.columns());
    if (s.length() == 1) ++report_.one_token;
    if (s.length() > report_.longest_length) {
      report_.longest_length = s.length();
      report_.longest = {file, s.line(0), counted(s.length(), "token")};
    }
    labels_.clear();
    for (size_t r = 0; r < s.length(); ++r) {
      report_.attributes += s.attribute_count(r);
      labels_.push_back(s.has_labels() ? s.label(r) : kUnknownLabelText);
      check_text(s, r, file);
    }
    ESPALIER_TRY(count_labels(s, file));
    detector_.add(labels_);
    check_schemes(s, file);
    check_duplicate(s, file);
    largest_value_.look_at(s, file);
    return {};
  }

  const DataReport& report() const { return report_; }

  DataReport finish() {
    report_.scheme = detector_.scheme();
    for (size_t i = 0; i < kSchemes.size(); ++i)
      if (kSchemes[i] == report_.scheme) report_.broken_labels = std::move(broken_[i]);
    for (const auto& [label, count] : counts_) {
      report_.labels.push_back({label, count});
      if (count == 1) report_.labels_seen_once.push_back(label);
    }
    std::stable_sort(report_.labels.begin(), report_.labels.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
    find_suspicious();
    return std::move(report_);
  }

 private:
  void check_text(const Sequence& s, size_t r, const std::string& file) {
    constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
    const std::string_view raw = s.raw(r);
    size_t bad = 0;
    if (!any_bytes_ && raw.find('\0') != raw.npos) {
      report_.encoding.add(file, s.line(r), "a zero byte; UTF-16 looks like this");
    } else if (check_utf8_ && !valid_utf8(raw, &bad)) {
      report_.encoding.add(file, s.line(r),
                           fmt::format("byte {} of the line (0x{:02X}) is not UTF-8", bad + 1,
                                       static_cast<unsigned char>(raw[bad])));
    } else if (raw.find(kReplacement) != raw.npos) {
      report_.replaced.add(file, s.line(r),
                           "U+FFFD, which an earlier conversion leaves in place of what it cannot read");
    }
  }

  Status count_labels(const Sequence& s, const std::string& file) {
    for (size_t r = 0; r < labels_.size(); ++r) {
      if (labels_[r] == kUnknownLabelText) {
        ++report_.unknown_labels;
        continue;
      }
      auto it = counts_.find(labels_[r]);
      if (it == counts_.end()) it = counts_.emplace(labels_[r], 0).first;
      ++it->second;
      if (counts_.size() >= kNoLabel)
        return fail("{}:{}: more than {} different labels; is the label column right?", file, s.line(r),
                    kNoLabel - 1);
    }
    return {};
  }

  /// The scheme is only known at the end, so findings are kept for each scheme that is still possible.
  void check_schemes(const Sequence& s, const std::string& file) {
    if (plain_) return;
    for (const std::string_view label : labels_) {
      if (label == kUnknownLabelText || parse_label(label)) continue;
      plain_ = true;
      return;
    }
    for (size_t i = 0; i < kSchemes.size(); ++i) {
      size_t repairs = 0;
      spans(labels_, kSchemes[i], spans_, &repairs);
      if (repairs == 0) continue;
      Findings& findings = broken_[i];
      if (findings.first.size() == Findings::kKept) {
        ++findings.count;
        continue;
      }
      const std::vector<std::string> wanted = encode(spans_, labels_.size(), kSchemes[i]);
      size_t r = 0;
      while (r + 1 < labels_.size() && (labels_[r] == wanted[r] || labels_[r] == kUnknownLabelText)) ++r;
      findings.add(file, s.line(r),
                   fmt::format("{} after {}, where {} would have {}", labels_[r],
                               r == 0 ? std::string_view("the beginning") : labels_[r - 1],
                               scheme_name(kSchemes[i]), wanted[r]));
    }
  }

  /// Sequences are compared by 64-bit hashes of their observations and of their labels.
  void check_duplicate(const Sequence& s, const std::string& file) {
    uint64_t input = s.length();
    uint64_t output = 0;
    for (size_t r = 0; r < s.length(); ++r) {
      for (size_t c = 0; c < s.columns(); ++c)
        if (c != s.label_column()) input = hash_bytes(s.cell(r, c), input);
      for (size_t i = 0; i < s.attribute_count(r); ++i) {
        const Attribute a = s.attribute(r, i);
        input = hash_combine(hash_bytes(a.name, input), std::bit_cast<uint32_t>(a.value));
      }
      input = hash_combine(input, s.attribute_count(r));
      output = hash_bytes(labels_[r], output);
    }
    const auto [it, fresh] = seen_.emplace(input, output);
    if (fresh) return;
    const bool same = it->second == output;
    Findings& findings = same ? report_.duplicates : report_.contradictions;
    findings.add(file, s.line(0), same ? "seen before" : "seen before with other labels");
  }

  void find_suspicious() {
    std::map<std::string, std::vector<std::string>> alike;
    for (const auto& [label, count] : counts_) {
      alike[folded(label)].push_back(label);
      if (label.find_first_of(" \t") != label.npos)
        report_.suspicious.push_back(fmt::format("label '{}' contains blanks", label));
    }
    for (const auto& [key, group] : alike)
      if (group.size() > 1)
        report_.suspicious.push_back(fmt::format("labels {} differ only by case or blanks", join(group)));
    const uint64_t labelled = report_.tokens - report_.unknown_labels;
    if (std::string remark = too_many_labels(counts_.size(), labelled); !remark.empty())
      report_.suspicious.push_back(std::move(remark));
    if (std::string remark = largest_value_.remark(); !remark.empty())
      report_.suspicious.push_back(std::move(remark));
    if (counts_.size() == 1)
      report_.suspicious.push_back(fmt::format("every label is '{}'", counts_.begin()->first));
    if (labelled == 0) report_.suspicious.push_back("no token has a known label");
    if (report_.sequences == 1 && report_.tokens > 1000)
      report_.suspicious.push_back(
          "one sequence holds everything: are the blank lines between sequences missing?");
  }

  bool check_utf8_;
  bool any_bytes_;  ///< zero bytes are allowed, too
  DataReport report_;
  std::map<std::string, uint64_t, std::less<>> counts_;
  SchemeDetector detector_;
  LargestValue largest_value_;
  bool plain_ = false;
  std::array<Findings, kSchemes.size()> broken_;
  std::unordered_map<uint64_t, uint64_t> seen_;
  std::vector<std::string_view> labels_;
  std::vector<Span> spans_;
};

}  // namespace

std::string too_many_labels(size_t labels, uint64_t tokens) {
  constexpr size_t kFew = 20, kMany = 1000;
  if (labels < kMany && (labels <= kFew || labels * 4 <= tokens)) return {};
  return fmt::format("{} different labels on {} tokens: is the label column right?", labels, tokens);
}

Result<DataReport> check_data(const std::vector<std::string>& paths, const ReadOptions& options,
                              const Monitor& monitor) {
  ReadOptions reading = options;
  const bool check_utf8 = options.encoding == "utf-8" || options.encoding == "utf8";
  reading.unchecked = check_utf8;
  Checker checker(check_utf8, options.encoding == "bytes");
  Sequence sequence;
  for (const std::string& path : paths) {
    ESPALIER_ASSIGN(const auto reader, open_reader(path, reading));
    while (!monitor.stop_requested()) {
      ESPALIER_ASSIGN(const bool more, reader->next(sequence));
      if (!more) break;
      ESPALIER_TRY(checker.add(sequence, path));
      if (checker.report().sequences % kReportEvery == 0) {
        Progress progress;
        progress.phase = "reading";
        progress.done = static_cast<double>(checker.report().sequences);
        monitor.report(progress);
      }
    }
  }
  return checker.finish();
}

}  // namespace espalier::data
