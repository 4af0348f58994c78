// Options that Python gives as a dictionary: a table of names and fields sets a struct from it. Tested in
// python/tests/test_forms.py.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <type_traits>

namespace espalier::python {

namespace py = pybind11;

/// One option: its name in Python and what sets it.
template <typename Options>
struct OptionField {
  const char* name;
  void (*set)(Options& out, py::handle value);
};

/// Sets a field to what pybind11 makes of the value.
template <auto Field, typename Options>
void set_to(Options& out, py::handle value) {
  out.*Field = py::cast<std::remove_cvref_t<decltype(out.*Field)>>(value);
}

/// False if no field of the table has this name.
template <typename Options, size_t N>
bool set_field(const OptionField<Options> (&fields)[N], const std::string& name, py::handle value,
               Options& out) {
  for (const OptionField<Options>& field : fields) {
    if (name != field.name) continue;
    try {
      field.set(out, value);
    } catch (const py::cast_error&) {
      throw py::type_error(name + " cannot be " + std::string(py::str(py::repr(value))));
    }
    if (name == "threads" && value < py::int_(0))
      throw py::value_error("threads=" + std::string(py::str(value)) + ": it must be at least 0");
    return true;
  }
  return false;
}

/// Calls `set` with every name and value. Where it returns false, the name is an unknown `kind`, a TypeError.
template <typename Set>
void set_each(const py::dict& given, const std::string& kind, Set set) {
  for (const auto& [key, value] : given) {
    const auto name = py::cast<std::string>(key);
    if (!set(name, value)) throw py::type_error("unknown " + kind + " '" + name + "'");
  }
}

/// The struct that a dictionary describes, if one table has all its fields.
template <typename Options, size_t N>
void set_fields(const py::dict& given, const OptionField<Options> (&fields)[N], const std::string& kind,
                Options& out) {
  set_each(given, kind,
           [&](const std::string& name, py::handle value) { return set_field(fields, name, value, out); });
}

}  // namespace espalier::python
