// Scores of another program, for example a neural network: one number per label and token. They become
// attributes named like the labels, whose values are the numbers, so that they can be decoded as they are
// (Decoder), or learned from like other features.
//
// As text: a line with the names of the labels, then one row of numbers per token, blank lines between
// sequences; a further cell at the end of every row is the token's own label. As .npy: an array tokens ×
// labels, or sequences × tokens × labels; ReadOptions::score_labels names the labels. As .npz: one such array
// per sequence, and an array of texts called "labels". Minus infinity makes a label impossible; it is stored
// as −1e30, and refused where labels are required, that is in training.
#pragma once

#include <memory>

#include "espalier/data/formats/lines.h"
#include "espalier/data/formats/reader.h"

namespace espalier::data {

/// Stands for minus infinity: far below any score, and 0 times it is still 0.
inline constexpr float kImpossibleScore = -1e30f;

Result<std::unique_ptr<Reader>> make_scores_reader(Lines lines, const ReadOptions& options);

/// Whether the name is that of a file of numpy.
bool is_numpy_name(std::string_view path);
/// Reads a .npy or .npz file, which is held in memory.
Result<std::unique_ptr<Reader>> open_numpy_scores(const std::string& path, const ReadOptions& options);
/// The same from bytes, which must outlive the reader.
Result<std::unique_ptr<Reader>> read_numpy_scores(std::string_view bytes, std::string name,
                                                  const ReadOptions& options);

/// The labels that a file of scores names, in their order; none for .npy. Reads the file's header, or all of
/// a file of numpy.
Result<std::vector<std::string>> labels_of_scores(const std::string& path, const std::string& encoding);
/// The same for a file of any of the three kinds in memory.
Result<std::vector<std::string>> labels_of_scores_in(std::string_view bytes, const std::string& name);
/// Whether bytes are those of a .npy or .npz file.
bool is_numpy_scores(std::string_view bytes);

}  // namespace espalier::data
