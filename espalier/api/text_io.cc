#include "espalier/api/text_io.h"

namespace espalier {

Source Source::file(std::string path) {
  State state;
  state.name = path;
  state.path = std::move(path);
  return Source(std::make_shared<const State>(std::move(state)));
}
Source Source::text(std::string contents, std::string name) {
  State state;
  state.text = std::move(contents);
  state.name = std::move(name);
  return Source(std::make_shared<const State>(std::move(state)));
}
Source Source::function(std::function<Result<size_t>(char*, size_t)> read, std::string name) {
  State state;
  state.read = std::move(read);
  state.name = std::move(name);
  return Source(std::make_shared<const State>(std::move(state)));
}

Sink Sink::file(std::string path) {
  State state;
  state.path = std::move(path);
  return Sink(std::make_shared<const State>(std::move(state)));
}
Sink Sink::string(std::string& out) {
  State state;
  state.text = &out;
  return Sink(std::make_shared<const State>(std::move(state)));
}
Sink Sink::function(std::function<Status(std::string_view)> write) {
  State state;
  state.write = std::move(write);
  return Sink(std::make_shared<const State>(std::move(state)));
}

namespace api {
namespace {

Result<Input> input_of(const Source::State& source) {
  if (source.read) return Input::from_function(source.read, source.name);
  if (source.text) return Input::from_memory(*source.text, source.name);
  return Input::open(source.path);
}

}  // namespace

Result<std::unique_ptr<data::Reader>> open_source(const Source& source, const data::ReadOptions& options,
                                                  std::optional<tasks::JsonTask> task) {
  const Source::State& state = *source.state();
  if (!task && !state.text && !state.read) return data::open_reader(state.path, options);
  ESPALIER_ASSIGN(Input input, input_of(state));
  if (task) return tasks::read_json_input(std::move(input), *task, options);
  return data::read_input(std::move(input), options);
}

Result<OpenSink> OpenSink::open(const Sink& sink) {
  OpenSink out;
  out.state_ = sink.state();
  if (!out.state_->write && out.state_->text == nullptr) {
    ESPALIER_ASSIGN(out.file_, AtomicFile::open(out.state_->path));
  }
  return out;
}

Status OpenSink::write(std::string_view text) {
  if (file_) return file_->write(text);
  if (state_->write) return state_->write(text);
  state_->text->append(text);
  return {};
}
Status OpenSink::flush() { return file_ ? file_->flush() : Status(); }
Status OpenSink::commit() { return file_ ? file_->commit() : Status(); }

}  // namespace api
}  // namespace espalier
