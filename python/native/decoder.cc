// Decoding of scores for Python.
#include <span>

#include "python/native/bindings.h"

namespace espalier::python {

void bind_decoder(py::module_& m) {
  using Scores2d = py::array_t<float, py::array::c_style | py::array::forcecast>;
  py::class_<Decoder>(m, "Decoder")
      .def(py::init([](std::vector<std::string> labels, const std::optional<Scores2d>& transitions,
                       const std::optional<Constraints>& constraints) {
             DecoderOptions options;
             options.constraints = constraints;
             if (transitions)
               options.transitions.assign(transitions->data(), transitions->data() + transitions->size());
             return Decoder(std::move(labels), std::move(options));
           }),
           py::arg("labels"), py::arg("transitions"), py::arg("constraints"))
      .def(
          "decode",
          [](const Decoder& decoder, const Scores2d& emissions, const py::dict& options) {
            if (emissions.ndim() != 2 || static_cast<size_t>(emissions.shape(1)) != decoder.labels().size())
              throw py::value_error("the scores of a sequence must be an array of tokens × " +
                                    std::to_string(decoder.labels().size()) + " labels");
            const TagOptions tag = tag_options(options);
            const std::span<const float> scores(emissions.data(), static_cast<size_t>(emissions.size()));
            const auto length = static_cast<size_t>(emissions.shape(0));
            const Tagged tagged = [&] {
              const LockReleased released;
              return decoder.decode(scores, length, tag).value();
            }();
            return to_dict(tagged, decoder.labels().size());
          },
          py::arg("emissions"), py::arg("options"));
}

}  // namespace espalier::python
