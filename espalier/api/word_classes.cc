// make_word_classes: classes of words from unlabelled text. Tested in apps/tests/word_lists_test.sh; the
// algorithm in espalier/data/word_clustering_test.cc.
#include <algorithm>
#include <iterator>
#include <set>

#include "espalier/api/public_monitor.h"
#include "espalier/base/files/input.h"
#include "espalier/base/parallel.h"
#include "espalier/base/text/format.h"
#include "espalier/base/text/text.h"
#include "espalier/data/word_clustering.h"
#include "espalier/public/tools.h"

namespace espalier {

Result<WordClasses> make_word_classes(const std::vector<std::string>& files,
                                      const WordClassOptions& options) {
  if (options.classes < 2) return fail("{} classes: there are at least 2", options.classes);
  if (options.least_count < 1 || options.rounds < 1) return fail("least_count and rounds are at least 1");
  const api::PublicMonitor monitor(options.on_progress, options.stop);
  data::WordBigrams text;
  std::vector<std::string_view> words;
  for (const std::string& file : files) {
    ESPALIER_ASSIGN(Input input, Input::open(file));
    std::string_view line;
    while (true) {
      ESPALIER_ASSIGN(const bool more, input.next_line(line));
      if (!more) break;
      if (!valid_utf8(line)) return fail("{}:{}: this is not UTF-8 text", input.name(), input.line_number());
      words.clear();
      while (!line.empty()) {
        const size_t end = std::min(line.find_first_of(" \t"), line.size());
        if (end > 0) words.push_back(line.substr(0, end));
        line.remove_prefix(std::min(end + 1, line.size()));
      }
      text.add(words);
      if (input.line_number() % 4096 != 0) continue;
      if (monitor.monitor().stop_requested()) return fail("stopped before the classes were complete");
      Progress progress;
      progress.phase = "reading";
      progress.done = static_cast<double>(input.line_number());
      monitor.monitor().report(progress);
    }
  }
  data::ClusteringOptions how;
  how.classes = options.classes;
  how.least_count = options.least_count;
  how.rounds = options.rounds;
  const auto classes = data::cluster_words(text, how, Workers(options.threads), monitor.monitor());
  if (!classes.ok())
    return fail("{}: {}", files.empty() ? "no file" : files.front(), classes.error().message);
  WordClasses out;
  std::set<uint32_t> used;
  for (const data::ClassedWord& word : *classes) {
    append_format(out.text, "{}\t{}\n", word.word, word.its_class);
    used.insert(word.its_class);
  }
  out.words = classes->size();
  out.classes = used.size();
  out.tokens = text.tokens();
  return out;
}

}  // namespace espalier
