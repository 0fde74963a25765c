/* RFC 8259, 6 as a table of states, to compare the library's reader with. */
#ifndef NUMBER_GRAMMAR_H
#define NUMBER_GRAMMAR_H

#include <stddef.h>
#include <string.h>

/* Each row is a state, each column what comes next: - 0 1-9 . e +; the entry is the
   next state, 9 if there is none. */
static inline int is_json_number(const char *text, size_t size)
{
    static const char next[9][7] = {
        "128999", /* 0: the start */
        "928999", /* 1: after the minus */
        "999349", /* 2: after a single 0 */
        "955999", /* 3: after the point */
        "677996", /* 4: after the e */
        "955949", /* 5: in the fraction */
        "977999", /* 6: after the exponent's sign */
        "977999", /* 7: in the exponent */
        "988349"  /* 8: in the whole part */
    };
    static const char columns[6] = {'-', '0', '1', '.', 'e', '+'};
    int state = 0;
    size_t i;

    for (i = 0; i < size && state != 9; i++) {
        char c = text[i] >= '1' && text[i] <= '9' ? '1' : text[i] == 'E' ? 'e' : text[i];
        const char *column = (const char *)memchr(columns, c, sizeof columns);
        if (!column) return 0;
        state = next[state][column - columns] - '0';
    }
    return state == 2 || state == 5 || state == 7 || state == 8;
}

#endif
