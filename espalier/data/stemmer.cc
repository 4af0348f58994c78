#include "espalier/data/stemmer.h"

#include <libstemmer.h>

#include <vector>

#include "espalier/base/text/format.h"

namespace espalier::data {

void Stemmer::Deleter::operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }

Result<Stemmer> Stemmer::make(const std::string& language) {
  Stemmer out;
  if (language.empty()) return out;
  out.stemmer_.reset(sb_stemmer_new(language.c_str(), nullptr));
  if (out.stemmer_) return out;
  std::vector<std::string_view> known;
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) known.push_back(*name);
  return fail("no stemmer for '{}'; there are stemmers for {}", language, joined(known, ", "));
}

std::string_view Stemmer::stem(std::string_view lower) {
  if (!stemmer_) return lower;
  const auto* stemmed = sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(lower.data()),
                                        static_cast<int>(lower.size()));
  if (stemmed == nullptr) return lower;
  return {reinterpret_cast<const char*>(stemmed), static_cast<size_t>(sb_stemmer_length(stemmer_.get()))};
}

}  // namespace espalier::data
