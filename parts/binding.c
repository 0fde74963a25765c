#ifndef ELS_BINDING_C
#define ELS_BINDING_C
#include "binding.h"
#include "text.h"
#include "path.h"
#include "fragment.h"
#include "value.h"
#include "json.h"
#include "writer.h"
#include "sse.h"
#include "event.h"
#include "shape.h"
#include "recovery.h"
#include "provider.h"
#include "tags.h"
#include "thought.h"
#include "stream.h"
#include "builder.h"
#include "turn.h"
#include "collector.h"
#include "recorder.h"
#include "replayer.h"
#include "coalescer.h"
#include "history.h"
#include "item_reader.h"
#include "talk.h"
#include "request.h"
#include "request_head.h"
#include "conversation.h"
#include "base.c"
/* >> binding */

/* The structs that cross the border. */
#define ELS_BINDING_LIST(X) \
    X(elelem_str) X(elelem_error) X(elelem_allocator) X(elelem_arena) X(elelem_segment) X(elelem_path) \
    X(elelem_fragment) X(elelem_fragment_parser_desc) X(elelem_fragment_parser) X(elelem_fragment_aggregator_desc) \
    X(elelem_fragment_aggregator) X(elelem_value) X(elelem_json_desc) X(elelem_json) X(elelem_sink) X(elelem_buffer) \
    X(elelem_span_sink) X(elelem_writer) X(elelem_sse_decoder_desc) X(elelem_sse_decoder) X(elelem_frame) \
    X(elelem_metadata_entry) X(elelem_metadata) X(elelem_usage) X(elelem_failure) X(elelem_event_part) X(elelem_event) \
    X(elelem_stream_desc) X(elelem_stream) X(elelem_tool_call) X(elelem_item) X(elelem_built) \
    X(elelem_event_builder_desc) X(elelem_event_builder) X(elelem_turn_desc) X(elelem_turn_update) X(elelem_turn) \
    X(elelem_collector_desc) X(elelem_collector) X(elelem_response) X(elelem_recorder_desc) X(elelem_recorder) \
    X(elelem_replayer_desc) X(elelem_replayer) X(elelem_record_item) X(elelem_event_coalescer_desc) \
    X(elelem_event_coalescer) X(elelem_history_entry) X(elelem_history_builder_desc) X(elelem_history_builder) \
    X(elelem_history_reader_desc) X(elelem_history_reader) X(elelem_item_reader_desc) X(elelem_item_reader) \
    X(elelem_read_item) X(elelem_tag_splitter_desc) X(elelem_tag_splitter) X(elelem_tag_piece) \
    X(elelem_thought_splitter_desc) X(elelem_thought_splitter) X(elelem_patch) X(elelem_provider) X(elelem_tool) \
    X(elelem_request) X(elelem_request_head) X(elelem_conversation) X(elelem_scalar) X(elelem_completed_value) X(elelem_text_position) \
    X(elelem_pattern_node) X(elelem_patterns) X(elelem_tag_attribute) X(elelem_tool_call_part) \
    X(elelem_tool_call_argument_progress) X(elelem_tool_executed) X(elelem_replay_position) X(elelem_talk_image) \
    X(elelem_talk_result) X(elelem_recovery_path)

/* Two lists without pointers, so that the linker drops the names with the function. */
size_t elelem_size_of(const char *name)
{
#define ELS_BINDING_NAME(name) #name "\0"
#define ELS_BINDING_SIZE(name) sizeof(name),
    static const char names[] = ELS_BINDING_LIST(ELS_BINDING_NAME);
    static const size_t sizes[] = { ELS_BINDING_LIST(ELS_BINDING_SIZE) 0 };
#undef ELS_BINDING_NAME
#undef ELS_BINDING_SIZE
    const char *at = names;
    size_t i;

    for (i = 0; name && *at && strcmp(name, at) != 0; i++)
        at += strlen(at) + 1;
    return name && *at ? sizes[i] : 0;
}

const char *elelem_version(void)
{
    return ELELEM_VERSION;
}

#endif
