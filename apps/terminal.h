// Standard output and standard error, numbers as text, and small text files, for all verbs.
//
// print() and print_json() write results, say() messages. Nothing here knows about models.
#pragma once

#include <string>
#include <string_view>

#include "espalier/base/result.h"
#include "espalier/base/text/counted.h"
#include "espalier/base/text/format.h"
#include "espalier/base/text/json.h"
#include "espalier/base/text/layout.h"
#include "espalier/base/text/text.h"
#include "espalier/espalier.h"

namespace espalier::apps {

/// Writes text to standard output, unbuffered. An error if not all of it can be written.
Status print(std::string_view text);

/// Prints one JSON object. Text that is not UTF-8 is printed with replacement characters.
Status print_json(const Json& object);

/// Writes a line to standard error. Failing to write it is not an error. "espalier:" at its beginning is
/// coloured on terminals: red, or yellow before "warning:".
void say(std::string_view line);

/// From now on print(), print_json() and say() write nothing: another process talks for this one.
void be_silent();
bool is_silent();

enum class Stream { kOutput, kMessages };
/// Whether what goes there may have colours: it is a terminal, TERM is not "dumb", and NO_COLOR is not set.
bool in_colour(Stream stream);
/// A message that quotes no more of the input than a person can read: cut after a thousand bytes.
std::string shortened_message(std::string_view message);

/// Whether the reader of standard output has closed it, as in `espalier tag … | head`.
bool output_reader_has_gone();

/// Width of the terminal on standard error; 0 if standard error is not a terminal.
size_t terminal_width();

/// "1.5 s", "2 min 05 s", "1 h 02 min".
std::string duration_text(double seconds);
/// "512 B", "12.3 KB", "4.56 MB", "1.23 GB" (powers of 1000).
std::string bytes_text(double bytes);

/// The reverse of it for whole numbers and fractions, the unit by its first letter: "512M", "1.5G", "2GB",
/// "100000".
Result<uint64_t> parse_size(std::string_view text);

/// All lines of a text file, each ended by one line feed; "-" is standard input.
Result<std::string> read_text(const std::string& path);
/// Writes a file. If it fails, an existing file is left unchanged.
Status write_text(const std::string& path, std::string_view text);

/// Makes the process end with a message, and without unfinished output files, where it cannot end as usual:
/// when a file that it has mapped is cut short by another program (SIGBUS), and when memory runs out in code
/// that must not fail.
void expect_sudden_ends();

/// The peak resident memory of this process, in bytes.
size_t peak_resident_bytes();

/// An error if a file that is to be written is one of the inputs, which would be lost. Empty names and "-"
/// are no files.
Status check_no_input(const std::string& output, const std::vector<std::string>& inputs);

/// The first of these files that is named twice; empty: none is.
std::string named_twice(const std::vector<std::string>& files);
/// Warns of a file that is named twice: its sequences count twice.
void warn_of_repeats(const std::vector<std::string>& files);

}  // namespace espalier::apps
