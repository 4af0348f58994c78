// For tests: paths of the real corpora, and helpers for reading.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "espalier/data/formats/reader.h"

namespace espalier::data {

/// The path of a file below $ESPALIER_DATA (or shared/data next to the source tree); it need not exist.
inline std::string corpus_path(const std::string& file) {
  const char* const folder = std::getenv("ESPALIER_DATA");
  return (folder != nullptr ? std::string(folder) : std::string(ESPALIER_SOURCE_DIR "/../shared/data")) +
         "/" + file;
}

/// Skips the test if the corpus is not on this machine.
#define ESPALIER_NEED_CORPUS(file)                                                                      \
  do {                                                                                                  \
    if (!std::filesystem::exists(::espalier::data::corpus_path(file)))                                  \
      GTEST_SKIP() << "corpus " << (file) << " is not here; ESPALIER_DATA names the folder of corpora"; \
  } while (false)

/// All sequences that are left, or the error.
inline Result<std::vector<Sequence>> read_all(Reader& reader) {
  std::vector<Sequence> all;
  Sequence sequence;
  while (true) {
    ESPALIER_ASSIGN(const bool more, reader.next(sequence));
    if (!more) return all;
    all.push_back(sequence);
  }
}

/// All sequences of a text, or the error.
inline Result<std::vector<Sequence>> read_sequences(std::string_view text, const ReadOptions& options) {
  ESPALIER_ASSIGN(const auto reader, read_text(text, "test.txt", options));
  return read_all(*reader);
}

/// The message of the error that reading ends with; the test fails if there is none.
inline std::string reading_error(std::string_view text, const ReadOptions& options) {
  const auto result = read_sequences(text, options);
  if (!result.ok()) return result.error().message;
  ADD_FAILURE() << "was read without an error: " << text;
  return {};
}

}  // namespace espalier::data
