/* Escapes of JSON strings: every state of an escape, of a unit and of a pair of surrogates with every byte, in strings, keys and
   what is skipped, lenient and strict. */
#include "elelem_stream.h"

#include "json_law.h"

static int goes_on(const machine *m)
{
    return m->state == MACHINE_TEXT || (m->state >= MACHINE_ESCAPE && m->state <= MACHINE_LOW_U);
}

static const law laws[] = {
    { "a string", { 0, 0, 0, 0, 2 }, "[\"", "x", goes_on, 43 },
    { "a string, strict", { 1, 0, 0, 0, 2 }, "[\"", "x", goes_on, 26 },
    { "a string at the root", { 0, 0, 0, 0, 2 }, "\"", "x", goes_on, 43 },
    { "a key", { 0, 0, 0, 0, 2 }, "{\"", "x", goes_on, 84 },
    { "a key, strict", { 1, 0, 0, 0, 2 }, "{\"", "x", goes_on, 50 },
    { "a skipped string", { 0, 0, 0, 1, 2 }, "[\"", "x", goes_on, 43 },
    { "a skipped string, strict", { 1, 0, 0, 1, 2 }, "[\"", "x", goes_on, 26 },
    { "a string of member a", { 0, 0, 1, 0, 2 }, "{\"a\":\"", "x", goes_on, 43 },
};

TEST(every_state_of_an_escape_with_every_byte)
{
    size_t i;

    for (i = 0; i < sizeof laws / sizeof *laws; i++)
        law_all(&laws[i]);
}

#ifndef ROOM
#define ROOM "enumerate_escapes"
#endif

CHECK_MAIN(ROOM, RUN(every_state_of_an_escape_with_every_byte))
