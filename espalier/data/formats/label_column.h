// Resolves ReadOptions::label_column: which columns of a format hold labels. Tested in columns_reader_test.cc
// and jsonl_reader_test.cc.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"

namespace espalier::data {

inline constexpr size_t kConlluColumns = 10;
inline constexpr size_t kUpos = 3;  ///< the column that is labelled unless another is named
inline constexpr size_t kConlluFeats = 5;
/// The label of words without features, which CoNLL-U writes as _ in the column FEATS.
inline constexpr std::string_view kNoFeatures = "no-features";

/// The column of the label, from 0, in rows of `columns` cells (label included): the one that
/// ReadOptions::label_column names, or the format's default. An error for formats whose rows have no label
/// cell (CRFsuite items, letters, JSON lines). If several are named ("2,3"), the last one.
Result<size_t> resolve_label_column(const ReadOptions& options, size_t columns);
/// All label columns, in the order in which they are named; no two are the same.
Result<std::vector<size_t>> resolve_label_columns(const ReadOptions& options, size_t columns);
/// Whether more than one is named.
inline bool several_label_columns(const ReadOptions& options) {
  return options.label_column.find(',') != std::string::npos;
}

}  // namespace espalier::data
