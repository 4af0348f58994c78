// The inside of the public Source and Sink: text from and to files, strings and functions.
//
// open_source returns a reader over a source, OpenSink::open something to write to; a file behind a sink
// appears only after commit(). Memory: one buffer. Tested in stream_test.cc.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "espalier/base/files/atomic_file.h"
#include "espalier/base/files/input.h"
#include "espalier/base/result.h"
#include "espalier/data/formats/reader.h"
#include "espalier/public/corpus.h"
#include "espalier/tasks/structures/json_tasks.h"

namespace espalier {

/// Exactly one of the three is set.
struct Source::State {
  std::string path;
  std::optional<std::string> text;
  std::function<Result<size_t>(char*, size_t)> read;
  std::string name;
};

struct Sink::State {
  std::string path;
  std::string* text = nullptr;
  std::function<Status(std::string_view)> write;
};

namespace api {

/// The reader refers to the source's text, which the source keeps.
Result<std::unique_ptr<data::Reader>> open_source(const Source& source, const data::ReadOptions& options,
                                                  std::optional<tasks::JsonTask> task);

/// A sink while it is being written to.
class OpenSink {
 public:
  static Result<OpenSink> open(const Sink& sink);
  Status write(std::string_view text);
  /// Passes everything on at once, for a reader at the other end of a pipe.
  Status flush();
  Status commit();

 private:
  std::shared_ptr<const Sink::State> state_;
  std::optional<AtomicFile> file_;
};

}  // namespace api
}  // namespace espalier
