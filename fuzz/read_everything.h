// The body of every reader's fuzz target: reads the whole input in one format, reads every cell, and writes
// it again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/data/formats/reader.h"
#include "espalier/data/formats/writer.h"

inline int read_everything(const uint8_t* bytes, size_t size, espalier::data::Format format) {
  using namespace espalier;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (const bool labels : {true, false}) {
    data::ReadOptions options;
    options.format = format;
    options.labels_required = labels;
    auto reader = data::read_text(text, "input", options);
    if (!reader.ok()) continue;
    const auto writer = data::Writer::make(options, format);
    data::Sequence sequence;
    std::string out;
    size_t touched = 0;
    while (true) {
      const auto more = (*reader)->next(sequence);
      if (!more.ok() || !*more) break;
      std::vector<std::string_view> predicted;
      for (size_t row = 0; row < sequence.length(); ++row) {
        for (size_t column = 0; column < sequence.columns(); ++column)
          touched += sequence.cell(row, column).size();
        for (size_t i = 0; i < sequence.attribute_count(row); ++i)
          touched += sequence.attribute(row, i).name.size();
        if (sequence.has_labels()) touched += sequence.label(row).size();
        predicted.push_back("X");
      }
      out.clear();
      if (writer.ok()) writer->append(sequence, predicted, out);
    }
    (void)touched;
  }
  return 0;
}
