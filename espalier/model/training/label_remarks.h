// What `check` and `train` say about the number of labels, before anybody waits for it. Tested in
// start_from_test.cc and apps/tests/many_labels_test.sh.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace espalier::model {

/// Remarks on so many different labels on so many labelled tokens: whether they are meant, and the memory
/// that a learner of chains needs for their pairs, if that is a gigabyte or more. Usually none.
std::vector<std::string> label_remarks(size_t labels, uint64_t tokens);

/// The second of these alone.
std::string pair_memory_remark(size_t labels);

}  // namespace espalier::model
