/* Lines of two profiles whose source was edited between them. */
#include "line_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* Two profiles with an instruction in each line that has words and is no comment. */
struct edited_pair {
	struct line_fixture a, b;
	struct line_match_list matches;
};

static bool is_code(const char *line, size_t length)
{
	const size_t blanks = strspn(line, " \t");

	return blanks < length && strncmp(line + blanks, "//", 2) != 0;
}

static void add_code(struct line_fixture *fixture, const char *file, const char *text)
{
	int64_t number = 1;

	line_fixture_text(fixture, file, text);
	for (const char *line = text; *line; number++) {
		const size_t length = strcspn(line, "\n");

		if (is_code(line, length))
			line_fixture_line(fixture, file, number);
		line += length + (line[length] == '\n');
	}
}

static void match(struct edited_pair *pair)
{
	line_match_list_release(&pair->matches);
	line_match_profiles(&pair->matches, line_fixture_end(&pair->a), line_fixture_end(&pair->b));
}

static void match_edited(struct edited_pair *pair, const char *a, const char *b)
{
	add_code(&pair->a, "k.cu", a);
	add_code(&pair->b, "k.cu", b);
	match(pair);
}

static void release_pair(struct edited_pair *pair)
{
	line_match_list_release(&pair->matches);
	line_fixture_release(&pair->a);
	line_fixture_release(&pair->b);
}

static int64_t number_at(const struct line_fixture *fixture, size_t line)
{
	const int64_t frame = line == NO_LINE ? -1 : fixture->lines.items[line].frame;

	return frame < 0 ? 0 : fixture->profile->frames[frame].line;
}

/* Fails unless line `a` of the first text is line `b` of the second, and so. 0: it has none. */
static void expect_match(const struct edited_pair *pair, int64_t a, int64_t b,
			 enum line_match_kind kind)
{
	for (size_t i = 0; i < pair->matches.count; i++) {
		const struct line_match *item = &pair->matches.items[i];

		if (number_at(&pair->a, item->a) != a || number_at(&pair->b, item->b) != b)
			continue;
		if (item->kind != kind)
			fail_msg("lines %d and %d match as %d, not as %d", (int)a, (int)b,
				 (int)item->kind, (int)kind);
		return;
	}
	fail_msg("lines %d and %d do not match", (int)a, (int)b);
}

static void inserted_lines_move_the_others(void **state)
{
	struct edited_pair pair = {0};

	(void)state;
	match_edited(&pair, "a();\nb();\nc();\n", "// one\na();\nx();\nb();\n\n\nc();\n");
	expect_match(&pair, 1, 2, LINE_SAME);
	expect_match(&pair, 0, 3, LINE_NEW);
	expect_match(&pair, 2, 4, LINE_SAME);
	expect_match(&pair, 3, 7, LINE_SAME);
	assert_int_equal(pair.matches.count, 4);
	release_pair(&pair);
}

static void deleted_lines_are_gone(void **state)
{
	struct edited_pair pair = {0};

	(void)state;
	match_edited(&pair, "a();\nb();\nc();\n", "a();\nc();");
	expect_match(&pair, 1, 1, LINE_SAME);
	expect_match(&pair, 2, 0, LINE_GONE);
	expect_match(&pair, 3, 2, LINE_SAME);
	release_pair(&pair);
}

/* Only blanks at the ends of lines, or of a block in a new `if`, differ. */
static void blanks_are_no_edit(void **state)
{
	struct edited_pair pair = {0};

	(void)state;
	match_edited(&pair, "a();\t \nfirst(x);\nsecond(x);\nz();\n",
		     "a();\nif (x) {\n\tfirst(x);\n\tsecond( x );\n}\nz();\r\n");
	expect_match(&pair, 1, 1, LINE_SAME);
	expect_match(&pair, 0, 2, LINE_NEW);
	expect_match(&pair, 2, 3, LINE_SAME);
	expect_match(&pair, 3, 4, LINE_SAME);
	expect_match(&pair, 0, 5, LINE_NEW);
	expect_match(&pair, 4, 6, LINE_SAME);
	release_pair(&pair);
}

/* Comments of one or more lines; what is quoted is none. */
static void comments_are_no_edit(void **state)
{
	struct edited_pair pair = {0};

	(void)state;
	match_edited(&pair, "a(\"//\", 1);\nb(); /* of\n b */\nc('\"'); // c\n",
		     "// new\na(\"//\", 2);\nb();\nc('\"');\n");
	expect_match(&pair, 1, 2, LINE_EDITED);
	expect_match(&pair, 2, 3, LINE_SAME);
	expect_match(&pair, 4, 4, LINE_SAME);
	release_pair(&pair);
	add_code(&pair.a, "k.py", "a = n // 2  # half\n");
	add_code(&pair.b, "k.py", "a = n // 4\n");
	match(&pair);
	expect_match(&pair, 1, 1, LINE_EDITED);
	release_pair(&pair);
}

static void an_edited_line_is_itself(void **state)
{
	struct edited_pair pair = {0};

	(void)state;
	match_edited(&pair, "a();\ny[i] = x[i];\nc();\n", "a();\ny[i] = x[32 * i];\nc();\n");
	expect_match(&pair, 2, 2, LINE_EDITED);
	release_pair(&pair);
	/* beside a new line, the one that is alike */
	match_edited(&pair, "a();\ny[i] = x[i];\nc();\n",
		     "a();\nint stride = 32;\ny[i] = x[stride * i];\nc();\n");
	expect_match(&pair, 0, 2, LINE_NEW);
	expect_match(&pair, 2, 3, LINE_EDITED);
	release_pair(&pair);
}

/* A number alone says nothing: line 1 became another function. */
static void equal_numbers_of_other_text_do_not_match(void **state)
{
	struct edited_pair pair = {0};

	(void)state;
	match_edited(&pair, "alpha(x);\nbeta(y);\n", "beta(y);\nalpha(x);\n");
	for (size_t i = 0; i < pair.matches.count; i++)
		assert_false(number_at(&pair.a, pair.matches.items[i].a) == 1 &&
			     number_at(&pair.b, pair.matches.items[i].b) == 1);
	release_pair(&pair);
}

static void a_moved_block_is_itself(void **state)
{
	static const char one[] = "void one(void)\n{\n\tfirst_of_one(1);\n\tshared();\n}\n";
	static const char two[] = "void two(void)\n{\n\tfirst_of_two(2);\n\tshared();\n}\n";
	struct edited_pair pair = {0};
	char *a = xasprintf("%s%s", one, two), *b = xasprintf("%s%s", two, one);

	(void)state;
	match_edited(&pair, a, b);
	for (int64_t i = 1; i <= 5; i++) {
		expect_match(&pair, i, i + 5, LINE_SAME);
		expect_match(&pair, i + 5, i, LINE_SAME);
	}
	release_pair(&pair);
	free(a);
	free(b);
}

/* A line that is inlined twice is two lines, by its calls. */
static void chains_of_calls_match(void **state)
{
	static const char *const before = "int f(int i)\n{\n\treturn i;\n}\nx = f(1);\ny = f(2);\n";
	static const char *const after =
		"// f\nint f(int i)\n{\n\treturn i;\n}\nx = f(1);\n\ny = f(9);\n";
	struct line_fixture *sides[2];
	struct edited_pair pair = {0};

	(void)state;
	sides[0] = &pair.a;
	sides[1] = &pair.b;
	line_fixture_text(&pair.a, "k.cu", before);
	line_fixture_text(&pair.b, "k.cu", after);
	for (int64_t side = 0; side < 2; side++)
		for (int64_t call = 0; call < 2; call++) {
			/* lines 5 and 6 before, 6 and 8 after */
			const int64_t line = side ? 6 + 2 * call : 5 + call;
			const int64_t caller =
				line_fixture_frame(sides[side], "k.cu", line, NULL, -1);

			line_fixture_instruction(sides[side],
						 line_fixture_frame(sides[side], "k.cu",
								    side ? 4 : 3, "_Z1fi", caller))
				->executed = 100 + call;
		}
	match(&pair);
	assert_int_equal(pair.matches.count, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct line_match *item = &pair.matches.items[i];

		assert_int_equal(pair.a.lines.items[item->a].sums.executed,
				 pair.b.lines.items[item->b].sums.executed);
		assert_int_equal(item->kind, i ? LINE_EDITED : LINE_SAME);
	}
	release_pair(&pair);
}

/* Two instances of a template are called in one line. */
static void inlined_functions_match_by_name(void **state)
{
	static const char *const names[] = {"_Z1fIfEvT_", "_Z1fIiEvT_"};
	struct edited_pair pair = {0};
	int64_t caller = line_fixture_frame(&pair.a, "k.cu", 2, NULL, -1);

	(void)state;
	line_fixture_text(&pair.a, "k.cu", "f\nf(1.0f), f(1);\n");
	line_fixture_text(&pair.b, "k.cu", "f\nf(1.0f), f(1);\n");
	for (size_t i = 0; i < 2; i++)
		line_fixture_instruction(&pair.a,
					 line_fixture_frame(&pair.a, "k.cu", 1, names[i], caller))
			->executed = 100 + (int64_t)i;
	caller = line_fixture_frame(&pair.b, "k.cu", 2, NULL, -1);
	for (size_t i = 2; i-- > 0;)
		line_fixture_instruction(&pair.b,
					 line_fixture_frame(&pair.b, "k.cu", 1, names[i], caller))
			->executed = 100 + (int64_t)i;
	match(&pair);
	assert_int_equal(pair.matches.count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(pair.a.lines.items[pair.matches.items[i].a].sums.executed,
				 pair.b.lines.items[pair.matches.items[i].b].sums.executed);
	release_pair(&pair);
}

/* All that a macro does is in the line that uses it, whatever its own lines are. */
static void macros_are_in_their_line(void **state)
{
	struct edited_pair pair = {0};

	(void)state;
	line_fixture_text(&pair.a, "k.cu", "#define TWICE(f) f; f\n\nTWICE(x++);\n");
	line_fixture_text(&pair.b, "k.cu", "#define TWICE(f) f; f; f\nTWICE(x++);\n");
	line_fixture_line(&pair.a, "k.cu", 3);
	line_fixture_line(&pair.a, "k.cu", 3);
	line_fixture_line(&pair.b, "k.cu", 2);
	match(&pair);
	assert_int_equal(pair.matches.count, 1);
	expect_match(&pair, 3, 2, LINE_SAME);
	release_pair(&pair);
}

/* The tree has moved, and two of its files have one name. */
static void files_match_by_the_end_of_their_path(void **state)
{
	struct edited_pair pair = {0};

	(void)state;
	add_code(&pair.a, "/then/x/tile.cuh", "one();\n");
	add_code(&pair.a, "/then/y/tile.cuh", "\ntwo();\n");
	add_code(&pair.a, "/then/k.cu", "\n\nthree();\n");
	add_code(&pair.b, "/now/src/y/tile.cuh", "//\ntwo();\n");
	add_code(&pair.b, "/now/src/x/tile.cuh", "one();\n");
	add_code(&pair.b, "/now/src/k.cu", "\n\nthree();\n");
	match(&pair);
	assert_int_equal(pair.matches.count, 3);
	expect_match(&pair, 1, 1, LINE_SAME);
	expect_match(&pair, 2, 2, LINE_SAME);
	expect_match(&pair, 3, 3, LINE_SAME);
	release_pair(&pair);
}

/* The file that is left has another folder than the first one of its name. */
static void the_nearest_file_is_the_same(void **state)
{
	struct edited_pair pair = {0};

	(void)state;
	add_code(&pair.a, "/then/x/tile.cuh", "one();\n");
	add_code(&pair.a, "/then/y/tile.cuh", "\ntwo();\n");
	add_code(&pair.b, "/now/y/tile.cuh", "\n\ntwo();\n");
	match(&pair);
	assert_int_equal(pair.matches.count, 2);
	expect_match(&pair, 2, 3, LINE_SAME);
	expect_match(&pair, 1, 0, LINE_GONE);
	release_pair(&pair);
}

static void files_of_one_name_are_not_mixed(void **state)
{
	struct edited_pair pair = {0};

	(void)state;
	add_code(&pair.a, "x/tile.cuh", "one();\n");
	add_code(&pair.a, "y/tile.cuh", "two();\n");
	add_code(&pair.b, "p/tile.cuh", "one(); // now\n");
	add_code(&pair.b, "q/tile.cuh", "two(); // now\n");
	match(&pair);
	assert_int_equal(pair.matches.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pair.matches.items[i].kind, LINE_UNKNOWN);
	assert_string_equal(pair.matches.unknown.items[0],
			    "x/tile.cuh may be any of several files");
	release_pair(&pair);
}

static void lines_without_text_are_not_guessed(void **state)
{
	struct edited_pair pair = {0};

	(void)state;
	line_fixture_text(&pair.a, "k.cu", NULL);
	line_fixture_text(&pair.b, "k.cu", "a();\n");
	line_fixture_line(&pair.a, "k.cu", 1);
	line_fixture_line(&pair.b, "k.cu", 1);
	match(&pair);
	assert_int_equal(pair.matches.count, 2);
	expect_match(&pair, 0, 1, LINE_UNKNOWN);
	expect_match(&pair, 1, 0, LINE_UNKNOWN);
	assert_string_equal(pair.matches.unknown.items[0],
			    "the text of k.cu is kept of one run only");
	release_pair(&pair);
	/* of equal texts, numbers are enough */
	line_source_add(&pair.a.sources, "k.cu", "1234", NULL, 0);
	line_source_add(&pair.b.sources, "k.cu", "1234", NULL, 0);
	line_fixture_line(&pair.a, "k.cu", 1);
	line_fixture_line(&pair.b, "k.cu", 1);
	match(&pair);
	expect_match(&pair, 1, 1, LINE_SAME);
	release_pair(&pair);
}

/* Instructions without a line are one line; line 0 is no line; a number beyond the file is that of
 * a #line directive. */
static void odd_positions_are_not_called_new(void **state)
{
	struct edited_pair pair = {0};

	(void)state;
	line_fixture_text(&pair.a, "k.cu", "a();\n");
	line_fixture_text(&pair.b, "k.cu", "// now\na();\n");
	line_fixture_instruction(&pair.a, -1);
	line_fixture_instruction(&pair.b, -1);
	line_fixture_line(&pair.a, "k.cu", 0);
	line_fixture_line(&pair.b, "k.cu", 0);
	line_fixture_line(&pair.a, "k.cu", 900);
	line_fixture_line(&pair.b, "k.cu", 900);
	match(&pair);
	assert_int_equal(pair.matches.count, 4);
	expect_match(&pair, 0, 900, LINE_UNKNOWN);
	expect_match(&pair, 900, 0, LINE_UNKNOWN);
	for (size_t i = 0; i < 4; i++)
		assert_true(pair.matches.items[i].kind == LINE_SAME ||
			    pair.matches.items[i].kind == LINE_UNKNOWN);
	release_pair(&pair);
}

static void code_without_lines_says_nothing(void **state)
{
	struct edited_pair pair = {0};

	(void)state;
	line_fixture_instruction(&pair.a, -1);
	add_code(&pair.b, "k.cu", "a();\n");
	match(&pair);
	for (size_t i = 0; i < pair.matches.count; i++)
		assert_int_equal(pair.matches.items[i].kind, LINE_UNKNOWN);
	assert_string_equal(pair.matches.unknown.items[0],
			    "the machine code of one run has no lines");
	release_pair(&pair);
}

/* Random texts of few words, so that many lines are equal. */
static char *random_text(uint64_t *random)
{
	static const char *const words[] = {"a();", "b();",        "}",
					    "{",    "/*",          "*/",
					    "\"",   "x = 1; // a", "y[i] = x[i];",
					    "",     " a( );",      "first_of_a_long_block();"};
	struct text text = TEXT_INIT;

	for (uint64_t left = hash_below(random_next(random), 40); left; left--)
		text_addf(&text, "%s%s", words[hash_below(random_next(random), ARRAY_SIZE(words))],
			  hash_below(random_next(random), 8) ? "\n" : "");
	return text_detach(&text);
}

/* Whatever the texts are, each line matches one, and every line is in the list once. */
static void each_line_matches_one(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct edited_pair pair = {0};
		char *a = random_text(&random), *b = random_text(&random);
		bool *seen_a, *seen_b;

		match_edited(&pair, a, i % 3 ? b : a);
		seen_a = xcalloc(pair.a.lines.count + 1, sizeof(*seen_a));
		seen_b = xcalloc(pair.b.lines.count + 1, sizeof(*seen_b));
		for (size_t j = 0; j < pair.matches.count; j++) {
			const struct line_match *item = &pair.matches.items[j];

			assert_true(item->a != NO_LINE || item->b != NO_LINE);
			assert_false(item->a != NO_LINE && seen_a[item->a]);
			assert_false(item->b != NO_LINE && seen_b[item->b]);
			if (item->a != NO_LINE)
				seen_a[item->a] = true;
			if (item->b != NO_LINE)
				seen_b[item->b] = true;
		}
		for (size_t j = 0; j < pair.a.lines.count; j++)
			assert_true(seen_a[j]);
		for (size_t j = 0; j < pair.b.lines.count; j++)
			assert_true(seen_b[j]);
		free(seen_a);
		free(seen_b);
		free(a);
		free(b);
		release_pair(&pair);
	}
}

/* 20,000 lines that have nothing in common, and 20,000 of which each tenth is new. */
static void long_files_end_soon(void **state)
{
	struct text a = TEXT_INIT, other = TEXT_INIT, near = TEXT_INIT;
	struct edited_pair pair = {0};
	size_t same = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		text_addf(&a, "a%d();\n", i % 3000);
		text_addf(&other, "b%d();\n", i % 2000);
		text_addf(&near, i % 10 ? "a%d();\n" : "n%d();\n", i % 3000);
	}
	match_edited(&pair, a.data, other.data);
	release_pair(&pair);
	match_edited(&pair, a.data, near.data);
	for (size_t i = 0; i < pair.matches.count; i++)
		same += pair.matches.items[i].kind == LINE_SAME;
	assert_true(same >= 17900);
	release_pair(&pair);
	text_release(&a);
	text_release(&other);
	text_release(&near);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inserted_lines_move_the_others),
		cmocka_unit_test(deleted_lines_are_gone),
		cmocka_unit_test(blanks_are_no_edit),
		cmocka_unit_test(comments_are_no_edit),
		cmocka_unit_test(an_edited_line_is_itself),
		cmocka_unit_test(equal_numbers_of_other_text_do_not_match),
		cmocka_unit_test(a_moved_block_is_itself),
		cmocka_unit_test(chains_of_calls_match),
		cmocka_unit_test(inlined_functions_match_by_name),
		cmocka_unit_test(macros_are_in_their_line),
		cmocka_unit_test(files_match_by_the_end_of_their_path),
		cmocka_unit_test(the_nearest_file_is_the_same),
		cmocka_unit_test(files_of_one_name_are_not_mixed),
		cmocka_unit_test(lines_without_text_are_not_guessed),
		cmocka_unit_test(odd_positions_are_not_called_new),
		cmocka_unit_test(code_without_lines_says_nothing),
		cmocka_unit_test(each_line_matches_one),
		cmocka_unit_test(long_files_end_soon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
