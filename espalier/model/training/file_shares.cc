#include "espalier/model/training/file_shares.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace espalier::model {

namespace {

/// The rank with the most work may have this much more than the mean; below that, finer parts are tried.
/// Whoever shares a file reads all of it, which costs little compared with training on a part of it.
constexpr double kUneven = 1.1;
constexpr int kFinest = 8;  ///< parts of a rank's share

struct Part {
  double size;
  size_t file, part;
};

}  // namespace

FileShares::FileShares(const std::vector<uint64_t>& sizes, size_t ranks) {
  double total = 0;
  for (const uint64_t size : sizes) total += static_cast<double>(std::max<uint64_t>(size, 1));
  const double mean = total / static_cast<double>(ranks);
  double best = 0;
  for (int fineness = 1; fineness <= kFinest; fineness *= 2) {
    std::vector<Part> parts;
    std::vector<std::vector<size_t>> reader;
    for (size_t file = 0; file < sizes.size(); ++file) {
      const double size = static_cast<double>(std::max<uint64_t>(sizes[file], 1));
      const size_t count = std::max<size_t>(1, static_cast<size_t>(std::lround(size * fineness / mean)));
      reader.emplace_back(count, 0);
      for (size_t part = 0; part < count; ++part)
        parts.push_back({size / static_cast<double>(count), file, part});
    }
    // The largest first, each to the rank that has the least so far.
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
      return a.size != b.size ? a.size > b.size : std::tie(a.file, a.part) < std::tie(b.file, b.part);
    });
    std::vector<double> load(ranks, 0.0);
    for (const Part& part : parts) {
      const size_t rank = static_cast<size_t>(std::min_element(load.begin(), load.end()) - load.begin());
      load[rank] += part.size;
      reader[part.file][part.part] = rank;
    }
    const double most = *std::max_element(load.begin(), load.end());
    if (reader_.empty() || most < best) {
      reader_ = std::move(reader);
      best = most;
    }
    if (best <= kUneven * mean) return;
  }
}

bool FileShares::reads(size_t file, size_t rank) const {
  return std::find(reader_[file].begin(), reader_[file].end(), rank) != reader_[file].end();
}

}  // namespace espalier::model
