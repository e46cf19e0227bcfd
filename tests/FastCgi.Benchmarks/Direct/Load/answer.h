/*
 * Answers, verified as they come in: an answer is right when it completes its request with status 200 and exactly the
 * body that is wanted. Nothing of it is kept but its head.
 */
#ifndef ANSWER_H
#define ANSWER_H

#include "../../Peers/records.h"

enum verdict { INCOMPLETE, RIGHT, WRONG };

struct wanted {
    struct bytes body; /* all of it; without it */
    size_t size;       /* so many bytes of the letter x */
    int is_bare;       /* neither records nor a head around it */
};

struct answer {
    struct bytes head;
    int has_head;
    size_t body;           /* so much of it has come, and was right */
    unsigned char end[8];  /* the content of END_REQUEST */
    size_t end_length;
};

/* Cuts records wherever they come apart. */
struct cutter {
    unsigned char header[HEADER];
    size_t header_length, content, padding;
};

/* Content of one record, or a part of it. */
struct piece {
    int type, id;
    const unsigned char *at;
    size_t length;
};

enum cut { CUT_PIECE, CUT_NOTHING, CUT_VIOLATION };

void forget_answer(struct answer *answer);

/* The next piece between two places, the first of which moves on. */
enum cut cut_piece(struct cutter *cutter, const unsigned char **from, const unsigned char *to, struct piece *piece);

enum verdict take_piece(struct answer *answer, const struct wanted *wanted, const struct piece *piece);

enum verdict take_body(struct answer *answer, const struct wanted *wanted, const unsigned char *at, size_t length);

#endif
