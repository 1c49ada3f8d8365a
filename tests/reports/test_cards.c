/* Two devices compared: the second one is constructed from the first by editing its description. */
#include "metrics/analysis/regress.h"
#include "reports/reports.h"
#include "tests/reports/constructed_roofline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct two_cards {
	struct run runs[2];
	struct ceiling_list roofs[2];
	struct card_pairs pairs;
};

static void slow_down(struct summary *summary, double factor)
{
	summary->median_ns *= factor;
	summary->session_low_ns *= factor;
	summary->session_high_ns *= factor;
}

static void add_rounds(struct run *run)
{
	for (size_t i = 0; i < run->trial_count; i++) {
		struct trial *trial = &run->trials[i];

		trial->rounds = xcalloc(3, sizeof(*trial->rounds));
		for (int round = 0; round < 3 && trial->summary.median_ns > 0; round++)
			trial->rounds[trial->round_count++] = (struct round_summary){
				.round = round,
				.median_ns = trial->summary.median_ns * (1 + 0.001 * (round - 1)),
				.speedup = NAN,
			};
	}
}

/* The second card takes three times as long, has half the bandwidth and a quarter of the rates. */
static void set_up(struct two_cards *out)
{
	for (int card = 0; card < 2; card++) {
		constructed_roofline_init(&out->runs[card]);
		constructed_roofs_init(&out->roofs[card]);
	}
	out->runs[1].id = 22;
	snprintf(out->runs[1].device.name, sizeof(out->runs[1].device.name), "Slow <card>");
	for (size_t i = 0; i < out->runs[1].trial_count; i++)
		slow_down(&out->runs[1].trials[i].summary, 3);
	for (size_t i = 0; i < out->roofs[1].count; i++)
		out->roofs[1].items[i].per_s /=
			out->roofs[1].items[i].kind == CEILING_BANDWIDTH ? 2 : 4;
	for (int card = 0; card < 2; card++)
		add_rounds(&out->runs[card]);
	card_pairs_of(&out->pairs, &out->runs[0], &out->runs[1]);
}

static void tear_down(struct two_cards *cards)
{
	card_pairs_release(&cards->pairs);
	for (int card = 0; card < 2; card++) {
		run_release(&cards->runs[card]);
		ceiling_list_release(&cards->roofs[card]);
	}
}

static char *render_cards(struct two_cards *cards, enum report_format format)
{
	const struct cards_report report = {
		.runs = {&cards->runs[0], &cards->runs[1]},
		.ceilings = {&cards->roofs[0], &cards->roofs[1]},
		.pairs = &cards->pairs,
	};
	const struct report_options options = {.selection =
						       &(struct report_selection){.all = true}};
	struct error err = {0};
	size_t length;
	char *bytes;
	FILE *stream = open_memstream(&bytes, &length);

	if (report_cards(stream, &report, format, &options, &err))
		fail_msg("%s", err.text);
	fclose(stream);
	return bytes;
}

static const struct card_pair *pair_named(const struct two_cards *cards, const char *kernel)
{
	for (size_t i = 0; i < cards->pairs.count; i++) {
		if (strcmp(cards->pairs.items[i].here->kernel, kernel) == 0)
			return &cards->pairs.items[i];
	}
	fail_msg("no pair of %s", kernel);
	return NULL;
}

static void the_ratio_has_an_interval(void **state)
{
	struct two_cards cards;
	const struct card_pair *pair;

	(void)state;
	set_up(&cards);
	assert_true(cards_differ(&cards.runs[0], &cards.runs[1]));
	assert_false(cards_differ(&cards.runs[0], &cards.runs[0]));
	pair = pair_named(&cards, "product");
	assert_float_equal(pair->ratio, 3, 1e-9);
	assert_true(pair->low > 2.9 && pair->low < 3 && pair->high > 3 && pair->high < 3.1);
	tear_down(&cards);
}

/* Each card is judged by its own roofs: a third of the rate, under a quarter of the roof. */
static void each_card_has_its_own_roofs(void **state)
{
	struct two_cards cards;
	char *bytes;
	json_t *root, *cases;
	bool found = false;

	(void)state;
	set_up(&cards);
	bytes = render_cards(&cards, REPORT_JSON);
	root = json_loads(bytes, 0, NULL);
	assert_non_null(root);
	assert_string_equal(json_string_value(json_object_get(root, "compares")), "cards");
	cases = json_object_get(root, "cases");
	for (size_t i = 0; i < json_array_size(cases); i++) {
		json_t *one = json_array_get(cases, i);
		const char *name = json_string_value(json_object_get(one, "case"));

		if (strncmp(name, "product/", 8) != 0)
			continue;
		found = true;
		assert_float_equal(
			json_number_value(json_object_get(json_object_get(one, "a"), "roof_pct")),
			66.67, 0.01);
		assert_float_equal(
			json_number_value(json_object_get(json_object_get(one, "b"), "roof_pct")),
			88.89, 0.01);
	}
	assert_true(found);
	json_decref(root);
	free(bytes);
	tear_down(&cards);
}

static void no_case_is_called_a_regression(void **state)
{
	static const enum report_format formats[] = {REPORT_TEXT, REPORT_MARKDOWN, REPORT_CSV,
						     REPORT_HTML, REPORT_JSON};
	struct two_cards cards;

	(void)state;
	set_up(&cards);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		char *bytes = render_cards(&cards, formats[i]);

		assert_null(strstr(bytes, "regressed"));
		assert_null(strstr(bytes, "improved"));
		free(bytes);
	}
	tear_down(&cards);
}

static void text_names_both_cards_and_roofs(void **state)
{
	struct two_cards cards;
	char *bytes;

	(void)state;
	set_up(&cards);
	bytes = render_cards(&cards, REPORT_TEXT);
	assert_non_null(strstr(bytes, "A  Round GPU, run 21"));
	assert_non_null(strstr(bytes, "B  Slow <card>, run 22"));
	assert_non_null(strstr(bytes, "tensor_f16   900 TFLOP/s   225 TFLOP/s   0.25"));
	assert_non_null(strstr(bytes, "compute (model)"));
	assert_non_null(strstr(bytes, "above 1, A is faster"));
	free(bytes);
	tear_down(&cards);
}

static void the_page_has_both_rooflines_and_no_markup_of_names(void **state)
{
	struct two_cards cards;
	char *bytes;

	(void)state;
	set_up(&cards);
	bytes = render_cards(&cards, REPORT_HTML);
	assert_non_null(strstr(bytes, "A: tensor_f16 900 TFLOP/s"));
	assert_non_null(strstr(bytes, "B: tensor_f16 225 TFLOP/s"));
	assert_non_null(strstr(bytes, "A: dram 4.00 TB/s"));
	assert_non_null(strstr(bytes, "B: dram 2.00 TB/s"));
	assert_non_null(strstr(bytes, "<circle class=\"a\""));
	assert_non_null(strstr(bytes, "<rect class=\"b\""));
	assert_non_null(strstr(bytes, "<circle class=\"a model\""));
	assert_non_null(strstr(bytes, "Slow &lt;card&gt;"));
	assert_null(strstr(bytes, "<script"));
	assert_null(strstr(bytes, "</script"));
	assert_null(strstr(bytes, "nan"));
	free(bytes);
	tear_down(&cards);
}

static void cases_of_other_work_are_left_out(void **state)
{
	struct two_cards cards;
	size_t before;

	(void)state;
	set_up(&cards);
	before = cards.pairs.count;
	card_pairs_release(&cards.pairs);
	for (size_t i = 0; i < cards.runs[1].trial_count; i++) {
		if (strcmp(cards.runs[1].trials[i].kernel, "product") == 0)
			cards.runs[1].trials[i].flop /= 2;
	}
	card_pairs_of(&cards.pairs, &cards.runs[0], &cards.runs[1]);
	assert_int_equal(cards.pairs.count, before - 1);
	assert_int_equal(cards.pairs.other_work, 1);
	tear_down(&cards);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ratio_has_an_interval),
		cmocka_unit_test(each_card_has_its_own_roofs),
		cmocka_unit_test(no_case_is_called_a_regression),
		cmocka_unit_test(text_names_both_cards_and_roofs),
		cmocka_unit_test(the_page_has_both_rooflines_and_no_markup_of_names),
		cmocka_unit_test(cases_of_other_work_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
