/*
 * Makes untrusted text (names, labels, reasons, cells) safe for one output format. The text may
 * hold any byte except NUL. Every function appends to `out`. For a terminal: text_add_escaped().
 */
#ifndef REPORTS_TABLE_ESCAPE_H
#define REPORTS_TABLE_ESCAPE_H

#include "base/base.h"

/* One CSV field (RFC 4180): as escape_utf8_shown(), in quotes where needed. A text that a
 * spreadsheet would take for a formula begins with an apostrophe. NULL gives an empty field. */
void escape_csv(struct text *out, const char *text);
/* One cell of a Markdown table: as text_add_escaped(), with every character of markup escaped. */
void escape_markdown(struct text *out, const char *text);
/* For JSON. Bytes that are not UTF-8 become U+FFFD. */
void escape_utf8(struct text *out, const char *text);
/* Adds text that is shown: as escape_utf8(), and hidden characters become \xNN. Controls stay. */
void escape_utf8_shown(struct text *out, const char *text);
/* Bytes of JSON, with whole characters: hidden characters become \uNNNN, which a program reads as
 * the characters that they are. */
void escape_json(struct text *out, const char *json, size_t length);
/* The text of an XML element or of a quoted attribute: as text_add_escaped(), which leaves only
 * characters that XML 1.0 allows. */
void escape_xml(struct text *out, const char *text);
/* A gnuplot string: as text_add_escaped(), in single quotes, inside which gnuplot interprets
 * nothing. */
void escape_gnuplot(struct text *out, const char *text);

/* The number of characters (code points) of valid UTF-8. */
size_t utf8_length(const char *text);
/* The number of bytes in the first `characters` characters. */
size_t utf8_prefix(const char *text, size_t characters);

#endif
