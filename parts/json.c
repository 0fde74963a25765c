#ifndef ELS_JSON_C
#define ELS_JSON_C
#include "json.h"
#include "base.c"
#include "fragment.c"
#include "parser.c"
#include "value.c"

/* >> json */

/* Reads all of the text. END, or an error. */
ELS_PRIVATE elelem_status els_json_read_all(elelem_fragment_parser *parser, elelem_str text, elelem_fragment_aggregator *tree)
{
    elelem_fragment fragment;
    elelem_status status = elelem_fragment_parser_push(parser, text.data, text.size);

    elelem_fragment_parser_finish(parser);
    while (status == ELELEM_OK && (status = elelem_fragment_parser_next(parser, &fragment)) == ELELEM_OK)
        status = els_tree_follow(tree, &fragment);
    return status;
}

/* Returns the error of a read that ended with this status. A tree knows no offset in the text. */
ELS_PRIVATE elelem_error els_json_error_of(const elelem_fragment_parser *parser, elelem_status status)
{
    elelem_error error = elelem_fragment_parser_error(parser);

    if (status == ELELEM_END) return els_error(ELELEM_OK, 0);
    return error.status != ELELEM_OK ? error : els_error(status, elelem_fragment_parser_offset(parser));
}

elelem_value elelem_json_read(elelem_json *json, elelem_str text, const elelem_json_desc *desc)
{
    elelem_json_desc defaults = ELELEM_INIT;
    const elelem_json_desc *d = desc ? desc : &defaults;
    elelem_fragment_parser_desc parser_desc = ELELEM_INIT;
    elelem_fragment_aggregator_desc tree_desc = ELELEM_INIT;
    elelem_fragment_parser parser;

    parser_desc.allocator = tree_desc.allocator = d->allocator;
    parser_desc.max_depth = tree_desc.max_depth = d->max_depth;
    parser_desc.strict_surrogates = d->strict_surrogates;
    parser_desc.single_document = 1;
    tree_desc.max_bytes = d->max_bytes;
    elelem_fragment_parser_init(&parser, &parser_desc);
    elelem_fragment_aggregator_init(&json->els_tree, &tree_desc);
    json->els_error = els_json_error_of(&parser, els_json_read_all(&parser, text, &json->els_tree));
    elelem_fragment_parser_free(&parser);
    if (json->els_error.status != ELELEM_OK) elelem_fragment_aggregator_free(&json->els_tree);
    return elelem_fragment_aggregator_value(&json->els_tree);
}

elelem_error elelem_json_error(const elelem_json *json)
{
    return json->els_error.message ? json->els_error : els_error(ELELEM_ERROR_MISUSE, 0);
}

void elelem_json_free(elelem_json *json)
{
    elelem_fragment_aggregator_free(&json->els_tree);
    memset(json, 0, sizeof *json);
}

#endif
