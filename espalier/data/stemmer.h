// Stems of words by libstemmer (Snowball). Make a Stemmer of a language and call stem() with words in lower
// case. Not thread-safe; make one per thread. Tested in espalier/tasks/chunks/chunk_features_test.cc and
// espalier/eval/rouge_test.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "espalier/base/result.h"

struct sb_stemmer;

namespace espalier::data {

class Stemmer {
 public:
  /// `language` as libstemmer names it: english, porter, french, …; an error lists those that there are.
  /// The empty text makes a stemmer that leaves words as they are.
  static Result<Stemmer> make(const std::string& language);
  /// The stem; valid until the next call. `lower` must not change before.
  std::string_view stem(std::string_view lower);
  bool leaves_words() const { return stemmer_ == nullptr; }

 private:
  struct Deleter {
    void operator()(sb_stemmer* stemmer) const;
  };
  std::unique_ptr<sb_stemmer, Deleter> stemmer_;
};

}  // namespace espalier::data
