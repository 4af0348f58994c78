#include "espalier/report/page.h"

#include "espalier/base/text/html.h"

namespace espalier::report {
namespace {

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--paper:#fff;--ink:#1d2126;--soft:#5c6570;--line:#d8dce1;--gold:#bfe3cf;--found:#f7c9a6;--both:#e8e3b0;--best:#eef5fb}
@media (prefers-color-scheme:dark){:root{--paper:#191b1f;--ink:#e4e6ea;--soft:#a3abb5;--line:#3a3f46;--gold:#1f5a41;--found:#7a431c;--both:#5d5a1e;--best:#1f2a35}}
body{font:15px/1.5 system-ui,sans-serif;background:var(--paper);color:var(--ink);max-width:62em;margin:0 auto;padding:1.5em 1em 4em}
h1{font-size:1.6em;margin:.2em 0} h2{border-top:1px solid var(--line);padding-top:1em;margin:2em 0 .4em;font-size:1.25em} h3{font-size:1.05em;margin:1.4em 0 .3em}
nav{margin:.8em 0} nav a{margin-right:1em;white-space:nowrap} a{color:#0069b4} .soft{color:var(--soft)}
@media (prefers-color-scheme:dark){a{color:#6cb6f5}}
.wide{overflow-x:auto} table{border-collapse:collapse;margin:.8em 0;font-variant-numeric:tabular-nums}
th,td{padding:.2em .8em .2em 0;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap} th:first-child,td:first-child{text-align:left;white-space:normal;min-width:8em}
th{font-weight:600} tr.best td{background:var(--best)} figure{margin:1em 0;overflow-x:auto}
pre{background:var(--best);padding:.7em 1em;white-space:pre-wrap;overflow-wrap:anywhere;border-radius:4px} .advice{font-size:1.1em}
details{margin:.4em 0} summary{cursor:pointer;font-weight:600} .error{margin:.5em 0 .5em 1em;overflow-wrap:anywhere} .error small{color:var(--soft)}
.g{background:var(--gold)} .p{background:var(--found)} .g.p{background:var(--both)} .g{border-bottom:2px solid #009e73} .p{border-top:2px solid #d55e00} .g,.p{padding:1px 2px}
h4{margin:1em 0 .2em;font-size:1em} .source{margin:.2em 0 .2em 1em;overflow-wrap:anywhere}
.arcs{display:block} .arcs text{font:14px system-ui,sans-serif;fill:var(--ink);text-anchor:middle} .arcs .l{font-size:11px}
.arcs path{fill:none;stroke:var(--soft);stroke-width:1.3} .arcs path.t{fill:var(--soft);stroke:none}
.arcs path.p{stroke:#d55e00;stroke-dasharray:5 3} .arcs path.t.p{fill:#d55e00} .arcs path.g{stroke:#009e73} .arcs path.t.g{fill:#009e73}
)";

}  // namespace

void Page::section(std::string_view id, std::string_view heading) {
  if (open_) body_ += "</section>\n";
  open_ = true;
  contents_ += fmt::format("<a href=\"#{}\">{}</a>\n", html_escaped(id), html_escaped(heading));
  body_ += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", html_escaped(id), html_escaped(heading));
}

void Page::heading(std::string_view text) { body_ += fmt::format("<h3>{}</h3>\n", html_escaped(text)); }

void Page::paragraph(std::string_view text, std::string_view css_class) {
  body_ += css_class.empty() ? fmt::format("<p>{}</p>\n", html_escaped(text))
                             : fmt::format("<p class=\"{}\">{}</p>\n", css_class, html_escaped(text));
}

void Page::command(std::string_view text) { body_ += fmt::format("<pre>{}</pre>\n", html_escaped(text)); }

void Page::table(std::span<const std::string> head, std::span<const Row> rows) {
  body_ += "<div class=\"wide\"><table>\n<tr>";
  for (const std::string& cell : head) body_ += fmt::format("<th scope=\"col\">{}</th>", html_escaped(cell));
  body_ += "</tr>\n";
  for (const Row& row : rows) {
    body_ += row.css_class.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", row.css_class);
    for (const std::string& cell : row.cells) body_ += fmt::format("<td>{}</td>", html_escaped(cell));
    body_ += "</tr>\n";
  }
  body_ += "</table></div>\n";
}

std::string Page::finish() const {
  const std::string title = html_escaped(title_);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<title>{0}</title>\n<style>{1}{2}</style></head>\n<body>\n<h1>{0}</h1>\n<nav>{3}</nav>\n{4}{5}"
      "</body></html>\n",
      title, kStyle, eval::plot_style(), contents_, body_, open_ ? "</section>\n" : "");
}

}  // namespace espalier::report
