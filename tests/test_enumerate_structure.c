/* The structure of JSON: every state between tokens, in plain text, literals and whole numbers, up to two containers deep. Other
   characters, escapes and numbers have enumerations of their own. */
#include "elelem_stream.h"

#include "json_law.h"

static int goes_on(const machine *m)
{
    return m->state <= MACHINE_LITERAL || m->state == MACHINE_WHOLE || m->state == MACHINE_TEXT;
}

static const law laws[] = {
    { "all of several values", { 0, 0, 0, 0, 2 }, "", "x", goes_on, 116 },
    { "a single document", { 1, 1, 0, 0, 2 }, "", "x", goes_on, 117 },
    { "only member a", { 0, 0, 1, 0, 2 }, "", "x", goes_on, 115 },
    { "the first container skipped", { 1, 0, 0, 1, 2 }, "", "x", goes_on, 113 },
#ifdef ENUMERATE_ALL
    { "the second container skipped", { 0, 0, 0, 2, 2 }, "", "x", goes_on, 214 },
#endif
};

TEST(every_state_of_json_with_every_byte)
{
    size_t i;

    for (i = 0; i < sizeof laws / sizeof *laws; i++)
        law_all(&laws[i]);
}

#ifndef ROOM
#define ROOM "enumerate_structure"
#endif

CHECK_MAIN(ROOM, RUN(every_state_of_json_with_every_byte))
