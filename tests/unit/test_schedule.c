// SPDX-License-Identifier: MIT
// When to look.
#include "unit.h"

#include "sample/schedule.h"
#include "util/clock.h"

#define RATE   1000.0
#define PERIOD 1000000u
#define START  (UINT64_C(5) * NS_PER_SEC + 17)

// One instant in each period, and all parts of the period alike.
static void one_in_each_period(void **state)
{
	(void)state;
	struct schedule s;
	uint64_t late = 0, tenth[10] = {0};
	schedule_start(&s, START, RATE, 42);
	uint64_t now = START;
	for (uint64_t k = 0; k < 10000; k++) {
		now = schedule_next(&s, now, &late);
		assert_true(now >= START + k * PERIOD && now < START + (k + 1) * PERIOD);
		tenth[(now - START - k * PERIOD) / (PERIOD / 10)]++;
	}
	assert_int_equal(late, 0);
	for (int i = 0; i < 10; i++)
		assert_in_range(tenth[i], 850, 1150); // 5 standard deviations
}

// A period that passed while the sampler was busy is counted, and no burst follows.
static void late_is_counted(void **state)
{
	(void)state;
	struct schedule s;
	uint64_t late = 0;
	schedule_start(&s, START, RATE, 42);
	uint64_t at = schedule_next(&s, START, &late);
	assert_true(at < START + PERIOD);
	at = schedule_next(&s, START + 7 * PERIOD + 1, &late);
	assert_int_equal(late, 6);
	assert_true(at >= START + 7 * PERIOD && at < START + 8 * PERIOD);
	at = schedule_next(&s, at, &late);
	assert_int_equal(late, 6);
	assert_true(at >= START + 8 * PERIOD && at < START + 9 * PERIOD);
}

// The grid does not drift, at rates that divide nothing.
static void no_drift(void **state)
{
	(void)state;
	struct schedule s;
	uint64_t late = 0, now = START;
	schedule_start(&s, START, 333.3, 7);
	for (int k = 0; k < 33330; k++)
		now = schedule_next(&s, now, &late);
	assert_in_range(now - START, 99 * NS_PER_SEC + NS_PER_SEC * 9 / 10, 100 * NS_PER_SEC);
	assert_int_equal(late, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_in_each_period),
		cmocka_unit_test(late_is_counted),
		cmocka_unit_test(no_drift),
	};
	return unit_run("schedule", tests);
}
