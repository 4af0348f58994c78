#include "research/page.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "espalier/base/files/input.h"
#include "espalier/base/text/html.h"

namespace espalier::research {

namespace {

/// A string of a result, as HTML; empty if it is not there.
std::string text_of(const ReportJson& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() || !it->is_string() ? std::string() : html_escaped(it->get<std::string>());
}

std::string number_of(const ReportJson& object, const char* key, const char* form = "{:.6g}") {
  const auto it = object.find(key);
  return it == object.end() || !it->is_number() ? std::string()
                                                : fmt::format(fmt::runtime(form), it->get<double>());
}

bool holds(const ReportJson& object) { return object.value("holds", false); }

std::pair<size_t, size_t> held_of(const ReportJson& list) {
  size_t held = 0;
  for (const ReportJson& one : list) held += holds(one);
  return {held, list.size()};
}

/// An image that is part of the page. Plots have styles of their own, which must not reach the rest.
std::string image_of(const std::string& path) {
  const auto svg = read_text_file(path);
  if (!svg.ok()) return fmt::format("<p>{}</p>\n", html_escaped(svg.error().message));
  std::string data;
  for (const char c : *svg) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view(" -_.,:;/=()!*").find(c) != std::string_view::npos;
    if (plain)
      data += c;
    else
      data += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return fmt::format("<img alt=\"{}\" src=\"data:image/svg+xml,{}\">\n",
                     html_escaped(std::filesystem::path(path).filename().string()), data);
}

void add_rows(const ReportJson& result, std::string& out) {
  if (result["rows"].empty()) return;
  const auto to = std::back_inserter(out);
  out +=
      "<table><tr><th>method</th><th>setting</th><th>kind</th><th>paper</th><th>measured</th>"
      "<th>deviation</th><th>elsewhere</th></tr>\n";
  std::vector<std::string> sources;
  for (const ReportJson& row : result["rows"]) {
    const std::string source = text_of(row, "source");
    std::string mark;
    if (!source.empty()) {
      auto at = std::find(sources.begin(), sources.end(), source);
      if (at == sources.end()) at = sources.insert(sources.end(), source);
      mark = fmt::format("<sup>{}</sup>", at - sources.begin() + 1);
    }
    fmt::format_to(to,
                   "<tr class=\"{2}\"><td>{0}</td><td>{1}</td><td>{2}</td><td class=\"n\">{3}</td><td "
                   "class=\"n\">{4}</td><td class=\"n\">{5}</td><td class=\"n\">{6}{7}</td></tr>\n",
                   text_of(row, "row"), text_of(row, "column"), text_of(row, "kind"), number_of(row, "seed"),
                   number_of(row, "measured"), number_of(row, "deviation"), number_of(row, "elsewhere"),
                   mark);
  }
  out += "</table>\n";
  for (size_t i = 0; i < sources.size(); ++i)
    fmt::format_to(to, "<p class=\"small\"><sup>{}</sup> {}</p>\n", i + 1, sources[i]);
}

void add_verdicts(const ReportJson& result, std::string& out) {
  const auto to = std::back_inserter(out);
  const auto list = [&](const char* title, const char* key, const char* detail) {
    if (result[key].empty()) return;
    fmt::format_to(to, "<h3>{}</h3>\n<ul>\n", title);
    for (const ReportJson& one : result[key]) {
      const std::string cause = text_of(one, "cause");
      fmt::format_to(to, "<li class=\"{}\"><b>{}</b> {}: {}{}{}</li>\n", holds(one) ? "yes" : "no",
                     holds(one) ? "holds:" : "does not hold:", text_of(one, "name"), text_of(one, detail),
                     cause.empty() ? "" : "; probably because ", cause);
    }
    out += "</ul>\n";
  };
  list("What the paper claims", "claims", "figure");
  list("What must hold", "checks", "detail");
  const auto plain = [&](const char* title, const char* key) {
    if (result[key].empty()) return;
    fmt::format_to(to, "<h3>{}</h3>\n<ul>\n", title);
    for (const ReportJson& one : result[key])
      fmt::format_to(to, "<li>{}</li>\n", one.is_string() ? html_escaped(one.get<std::string>()) : "");
    out += "</ul>\n";
  };
  plain("Departures of the rows as printed", "departures");
  plain("Notes", "notes");
}

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Espalier: the papers, measured again</title>
<style>
body{font:15px/1.45 sans-serif;max-width:75em;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:1em 0} td,th{padding:.15em .7em;border-bottom:1px solid #ddd;text-align:left}
.n{text-align:right;font-variant-numeric:tabular-nums} tr.printed{background:#f4f7fb}
li.no b,.no{color:#a40000} li.yes b{color:#1a6b1a} .small{font-size:85%;margin:.2em 0} img{max-width:100%}
h2{border-top:2px solid #888;padding-top:.6em;margin-top:2.5em}
</style></head><body>
<h1>The papers, measured again</h1>
<p>Rows marked <i>printed</i> use the paper's own algorithm and settings, apart from the departures listed with
them; rows marked <i>ours</i> what Espalier does best. The column <i>paper</i> holds figures that stand in the
paper's text; figures from elsewhere have a column and a source of their own. A claim that does not hold is a
finding; a check must hold whatever the data.</p>
)";

}  // namespace

std::string results_page(std::span<const ReportJson> results, std::span<const NotRun> not_run,
                         const std::string& folder) {
  std::string out = kHead;
  const auto to = std::back_inserter(out);
  bool quick = false;
  for (const ReportJson& result : results) quick = quick || result.value("quick", false);
  if (quick) out += "<p class=\"no\"><b>Quick versions: the figures mean nothing.</b></p>\n";
  out +=
      "<table><tr><th>experiment</th><th>claims that hold</th><th>checks that hold</th><th>seconds</th>"
      "<th>finished</th></tr>\n";
  for (const ReportJson& result : results) {
    const auto [claims, all_claims] = held_of(result["claims"]);
    const auto [checks, all_checks] = held_of(result["checks"]);
    const std::string name = text_of(result, "name");
    fmt::format_to(
        to,
        "<tr><td><a href=\"#{0}\">{0}</a></td><td class=\"n\">{1} of {2}</td><td class=\"n{3}\">{4} "
        "of {5}</td><td class=\"n\">{6}</td><td>{7}</td></tr>\n",
        name, claims, all_claims, checks == all_checks ? "" : " no", checks, all_checks,
        number_of(result, "seconds", "{:.1f}"), text_of(result, "finished"));
  }
  for (const NotRun& missing : not_run)
    fmt::format_to(to, "<tr class=\"no\"><td>{}</td><td colspan=\"4\">not run: {}</td></tr>\n",
                   html_escaped(missing.name), html_escaped(missing.why));
  out += "</table>\n";
  for (const ReportJson& result : results) {
    const std::string name = text_of(result, "name");
    fmt::format_to(to, "<h2 id=\"{0}\">{0}</h2>\n<p>{1}</p>\n", name, text_of(result, "summary"));
    if (result.contains("settings") && result["settings"].is_object()) {
      out += "<ul class=\"small\">\n";
      for (const auto& [key, value] : result["settings"].items())
        fmt::format_to(to, "<li>{}: {}</li>\n", html_escaped(key),
                       value.is_string() ? html_escaped(value.get<std::string>()) : "");
      out += "</ul>\n";
    }
    add_rows(result, out);
    for (const ReportJson& plot : result["plots"])
      if (plot.is_string())
        out += image_of(
            (std::filesystem::path(folder) / std::filesystem::path(plot.get<std::string>()).filename())
                .string());
    add_verdicts(result, out);
  }
  return out + "</body></html>\n";
}

}  // namespace espalier::research
