#include "research/searn/searn_columns.h"

#include <algorithm>
#include <map>

#include "research/searn/answer_columns.h"

namespace espalier::research {

Result<std::vector<data::ClassedWord>> classed_words(const Corpus& sentences, size_t classes,
                                                     const Request& request) {
  data::WordBigrams text;
  for (size_t s = 0; s < sentences.size(); ++s) {
    const Sequence sentence = sentences[s];
    std::vector<std::string_view> words;
    for (const auto& row : sentence.rows) words.push_back(row.front());
    text.add(words);
  }
  data::ClusteringOptions options;
  options.classes = classes;
  return data::cluster_words(text, options, Workers(request.threads), request.monitor);
}

namespace {

/// Classes of the words of a corpus, as training takes them.
Result<NamedText> classes_of(const Corpus& sentences, size_t classes, const Request& request) {
  ESPALIER_ASSIGN(const auto words, classed_words(sentences, classes, request));
  NamedText out{"classes", {}};
  for (const data::ClassedWord& word : words) out.text += fmt::format("{}\t{}\n", word.word, word.its_class);
  return out;
}

/// All IOB2 labels that chunks of a corpus's types may have, in order.
std::vector<std::string> labels_in(const Corpus& sentences) {
  std::vector<std::string> labels;
  for (size_t s = 0; s < sentences.size(); ++s)
    for (const std::string& label : sentences[s].labels)
      for (const char* prefix : {"B", "I"}) labels.push_back(label == "O" ? label : prefix + label.substr(1));
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

/// Learns from some sentences and adds to the means what the models say of others, sentence `numbers[i]` of
/// which is in means[numbers[i]].
Status ask(const Request& request, const std::vector<Answerer>& answerers, const Corpus& from,
           const Corpus& about, const std::vector<size_t>& numbers, const std::vector<std::string>& labels,
           std::vector<AnswerMeans>& means) {
  const Corpus asked = about.subset(numbers);
  std::map<size_t, NamedText> classes;  // by their number
  for (const Answerer& answerer : answerers) {
    ESPALIER_ASSIGN(TrainOptions options,
                    train_options(request, learner_with(answerer.learner, answerer.settings)));
    if (answerer.classes > 0) {
      if (!classes.contains(answerer.classes)) {
        ESPALIER_ASSIGN(classes[answerer.classes], classes_of(from, answerer.classes, request));
      }
      options.word_classes.push_back(classes[answerer.classes]);
    }
    ESPALIER_ASSIGN(const Training training, train_on(from, options));
    std::vector<size_t> number_of;
    for (const std::string& label : training.tagger.labels()) {
      const auto found = std::lower_bound(labels.begin(), labels.end(), label);
      ESPALIER_CHECK(found != labels.end() && *found == label);
      number_of.push_back(static_cast<size_t>(found - labels.begin()));
    }
    TagOptions tagging;
    tagging.marginals = true;
    tagging.threads = request.threads;
    ESPALIER_ASSIGN(const std::vector<Tagged> tagged, training.tagger.tag_batch(asked, tagging));
    for (size_t i = 0; i < numbers.size(); ++i) {
      AnswerMeans& mean = means[numbers[i]];
      if (mean.tokens() == 0) mean = AnswerMeans(tagged[i].size(), labels.size());
      mean.add(tagged[i].marginals(), number_of);
    }
  }
  return {};
}

/// The sentences with their columns.
Corpus with_columns(const Corpus& sentences, const std::vector<AnswerMeans>& means,
                    const std::vector<std::string>& labels) {
  Corpus out;
  for (size_t s = 0; s < sentences.size(); ++s) {
    const Sequence sentence = sentences[s];
    std::vector<std::vector<std::string>> rows = sentence.rows;
    std::vector<std::string> tags;
    for (const auto& row : rows) tags.push_back(row[1]);
    const auto columns = columns_of(means[s], labels, tags);
    for (size_t t = 0; t < rows.size(); ++t)
      rows[t].insert(rows[t].end(), columns[t].begin(), columns[t].end());
    out.add_rows(rows, sentence.labels);
  }
  return out;
}

}  // namespace

Result<AnsweredData> with_answers(const Request& request, const std::vector<Answerer>& answerers,
                                  const Corpus& train, const Corpus& test, size_t folds) {
  const std::vector<std::string> labels = labels_in(train);
  std::vector<AnswerMeans> of_train(train.size()), of_test(test.size());
  for (size_t fold = 0; fold < folds; ++fold) {
    std::vector<size_t> others, own;
    for (size_t s = 0; s < train.size(); ++s) (s % folds == fold ? own : others).push_back(s);
    ESPALIER_TRY(ask(request, answerers, train.subset(others), train, own, labels, of_train));
  }
  std::vector<size_t> all;
  for (size_t s = 0; s < test.size(); ++s) all.push_back(s);
  ESPALIER_TRY(ask(request, answerers, train, test, all, labels, of_test));
  return AnsweredData{with_columns(train, of_train, labels), with_columns(test, of_test, labels)};
}

}  // namespace espalier::research
