/*
 * data_items: the inputs and expected results of a sweep, each once, who needs
 * them and until when, and where they are in the shared memory. Keeps within a
 * limit of memory. Knows nothing of the workers that make the data.
 * Internal to sweep/.
 */
#ifndef HARNESS_SWEEP_DATA_DATA_ITEMS_H
#define HARNESS_SWEEP_DATA_DATA_ITEMS_H

#include "harness/sweep/sweep_state.h"

#define NOWHERE SIZE_MAX

enum data_state {
	DATA_WANTED,  /* a worker without a device may make it */
	DATA_LEFT,    /* only the worker of a case makes it: the others cannot, or failed */
	DATA_CLAIMED, /* a worker without a device makes it */
	DATA_OFFERED, /* the worker of a case gives it if it makes it */
	DATA_READY,
};

/* The content of an input, or an expected result. */
struct data_item {
	char key[HASH_TEXT_BYTES];
	int64_t bytes, offset; /* the offset is valid if it is claimed, offered or ready */
	enum data_state state;
	bool by_case;   /* only the worker of a case may make it */
	size_t users;   /* needs that are open */
	size_t pins;    /* requests in flight that may read or write it; it is not dropped then */
	size_t job;     /* who claimed it, if it is claimed */
	size_t next;    /* where in the order it is needed next; NOWHERE: not any more */
	size_t request; /* the last one that names it; preparation.c */
	size_t heap_at; /* in data_items.heap, from 1; 0: it is not there */
};

/* Until when a case needs an item, the longest first. */
enum need_kind {
	NEED_INPUT,  /* to its end */
	NEED_RESULT, /* while it is verified: to its last round */
	NEED_AGAIN,  /* in the first round */
};
struct data_need {
	struct data_item *item;
	enum need_kind kind;
	bool open;
	bool lent;        /* a worker that prepares the case reads or writes it */
	size_t next_case; /* where in the order the item is needed after this case */
};
/* An item is there once, for the longest of its needs. */
struct case_needs {
	struct data_need *items;
	size_t count, capacity;
	size_t place; /* of the case in the order; NOWHERE: it is not there */
	bool in_job;  /* a worker prepares it */
};

struct data_items {
	struct sweep *sweep;
	struct data_item **items;
	size_t count, capacity;
	void *by_key;             /* the items as a tree of tsearch() */
	struct case_needs *cases; /* of each case of the plan */
	int64_t limit_bytes, used_bytes;
	/* The cases that come next, and the one that was asked for last. */
	size_t *order;
	size_t order_count, position;
	/* What could be dropped: the ready items without pins, as a heap. The first is needed last.
	 */
	struct data_item **heap;
	size_t heap_count, heap_capacity;
};

/* Finds what the cases need that have not ended. */
void data_items_init(struct data_items *data, struct sweep *sweep, int64_t limit_bytes);
void data_items_release(struct data_items *data);
/* NULL: no item has this key. */
struct data_item *data_items_find(struct data_items *data, const char *key);

/* The cases that come next, from the first one on. */
void data_items_set_order(struct data_items *data, const size_t *order, size_t count);
/* This case is asked for now. Nothing happens if it is not in the order, or was passed. */
void data_items_move_to(struct data_items *data, size_t index);

/* The memory that an item takes: whole pages. */
int64_t data_item_room(const struct data_item *item);
/* Drops what is needed last, and later than at `position` of the order, until `bytes` fit. false:
 * they do not. *dropped is set to where in the order what was dropped is needed first, if that is
 * before *dropped. */
bool data_items_make_room(struct data_items *data, int64_t bytes, size_t position, size_t *dropped);
/* Takes memory for an item that has none. false: there is none. */
bool data_item_take(struct data_items *data, struct data_item *item, enum data_state state);
/* The item has its content. */
void data_item_set_ready(struct data_items *data, struct data_item *item);
/* Keeps an item that has memory until it is unpinned as often. */
void data_item_pin(struct data_items *data, struct data_item *item);
void data_item_unpin(struct data_items *data, struct data_item *item);
/* Gives the memory of an item back. */
void data_item_drop(struct data_items *data, struct data_item *item, enum data_state state);
/* Gives the memory of an item back if it is ready and nobody needs it. */
void data_item_drop_unneeded(struct data_items *data, struct data_item *item);
/* Adds the item to the array `data` of a request. */
void data_item_add_json(struct text *out, const struct data_item *item, bool fill);
/* Closes the needs that a case no longer has, after a round or at its end. */
void data_items_update(struct data_items *data, size_t index);

#endif
