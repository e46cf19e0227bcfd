#define _GNU_SOURCE
#include "answer.h"

enum { LONGEST_HEAD = 64 * 1024 };

void forget_answer(struct answer *answer)
{
    answer->head.length = answer->body = answer->end_length = 0;
    answer->has_head = 0;
}

static size_t smaller(size_t one, size_t other)
{
    return one < other ? one : other;
}

enum cut cut_piece(struct cutter *cutter, const unsigned char **from, const unsigned char *to, struct piece *piece)
{
    const unsigned char *header = cutter->header;
    for (;;) {
        if (cutter->header_length < HEADER) {
            size_t length = smaller(HEADER - cutter->header_length, to - *from);
            memcpy(cutter->header + cutter->header_length, *from, length);
            cutter->header_length += length;
            *from += length;
            if (cutter->header_length < HEADER)
                return CUT_NOTHING;
            if (header[0] != 1)
                return CUT_VIOLATION;
            cutter->content = header[4] << 8 | header[5];
            cutter->padding = header[6];
        }

        size_t length = smaller(cutter->content, to - *from);
        if (length > 0) {
            *piece = (struct piece) { header[1], header[2] << 8 | header[3], *from, length };
            cutter->content -= length;
            *from += length;
            if (cutter->content == 0 && cutter->padding == 0)
                cutter->header_length = 0;
            return CUT_PIECE;
        }
        length = cutter->content > 0 ? 0 : smaller(cutter->padding, to - *from);
        cutter->padding -= length;
        *from += length;
        if (cutter->content > 0 || cutter->padding > 0)
            return CUT_NOTHING;
        cutter->header_length = 0;
    }
}

enum verdict take_body(struct answer *answer, const struct wanted *wanted, const unsigned char *at, size_t length)
{
    static unsigned char pattern[PATTERN];
    if (pattern[0] == 0)
        memset(pattern, 'x', sizeof pattern);

    size_t size = wanted->body.at != NULL ? wanted->body.length : wanted->size;
    if (length > size - answer->body)
        return WRONG;
    if (wanted->body.at != NULL && memcmp(at, wanted->body.at + answer->body, length) != 0)
        return WRONG;
    for (size_t seen = 0; wanted->body.at == NULL && seen < length; seen += PATTERN)
        if (memcmp(at + seen, pattern, smaller(length - seen, PATTERN)) != 0)
            return WRONG;
    answer->body += length;
    return answer->body == size ? RIGHT : INCOMPLETE;
}

/* A head without a Status line means 200. */
static int is_200(const unsigned char *head, size_t length)
{
    static const char name[] = "Status: ";
    const unsigned char *status = memmem(head, length, name, sizeof name - 1);
    return status == NULL || memcmp(status + sizeof name - 1, "200", 3) == 0;
}

static enum verdict take_content(struct answer *answer, const struct wanted *wanted, const struct piece *piece)
{
    if (answer->has_head)
        return take_body(answer, wanted, piece->at, piece->length) == WRONG ? WRONG : INCOMPLETE;

    append(&answer->head, piece->at, piece->length);
    const unsigned char *end = memmem(answer->head.at, answer->head.length, "\r\n\r\n", 4);
    if (end == NULL)
        return answer->head.length > LONGEST_HEAD ? WRONG : INCOMPLETE;
    size_t head = end + 4 - answer->head.at;
    answer->has_head = 1;
    if (!is_200(answer->head.at, head))
        return WRONG;
    return take_body(answer, wanted, end + 4, answer->head.length - head) == WRONG ? WRONG : INCOMPLETE;
}

static enum verdict take_end(struct answer *answer, const struct wanted *wanted, const struct piece *piece)
{
    if (piece->length > sizeof answer->end - answer->end_length)
        return WRONG;
    memcpy(answer->end + answer->end_length, piece->at, piece->length);
    answer->end_length += piece->length;
    if (answer->end_length < sizeof answer->end)
        return INCOMPLETE;
    int is_complete = memcmp(answer->end, "\0\0\0\0\0", 5) == 0 && answer->has_head;
    return is_complete && take_body(answer, wanted, answer->end, 0) == RIGHT ? RIGHT : WRONG;
}

enum verdict take_piece(struct answer *answer, const struct wanted *wanted, const struct piece *piece)
{
    switch (piece->type) {
    case STDOUT:
        return take_content(answer, wanted, piece);
    case END_REQUEST:
        return take_end(answer, wanted, piece);
    case STDERR:
        return INCOMPLETE;
    default:
        return WRONG;
    }
}
