/* What programs give to the functions that look up names: enums, and members that hold them. Compiles as C and C++. */
#include "elelem_stream.h"

const char *name_of(const elelem_turn_update *update, elelem_value value, elelem_finish_reason reason, elelem_error_kind kind);

const char *name_of(const elelem_turn_update *update, elelem_value value, elelem_finish_reason reason, elelem_error_kind kind)
{
    elelem_item_state state = ELELEM_ITEM_OPEN;
    elelem_status status = ELELEM_ERROR_MISUSE;
    const char *names[] = {
        elelem_finish_reason_name(update->reason), elelem_finish_reason_name(reason), elelem_finish_reason_name(ELELEM_FINISH_COMPLETED),
        elelem_error_kind_name(update->error.kind), elelem_error_kind_name(kind), elelem_item_state_name(update->item->state),
        elelem_item_state_name(state), elelem_type_name(update->fragment.type), elelem_type_name(elelem_value_type(value)),
        elelem_status_name(status), elelem_status_sentence(status)
    };

    return names[elelem_error_kind_is_retryable(kind) && elelem_error_kind_is_retryable(update->error.kind)];
}
