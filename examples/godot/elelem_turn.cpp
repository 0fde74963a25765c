// A node for Godot 4 (GDExtension, godot-cpp): push the bytes of a response, take what the model says as signals.
// Not tried with Godot: see README.md.
#include <godot_cpp/classes/node.hpp>
#include <godot_cpp/core/class_db.hpp>
#include <godot_cpp/godot.hpp>
#include <godot_cpp/variant/packed_byte_array.hpp>
#include <godot_cpp/variant/string.hpp>

#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

namespace {

godot::String text_of(elelem_str text)
{
    return godot::String::utf8(text.data, static_cast<int64_t>(text.size));
}

} // namespace

class ElelemTurn : public godot::Node {
    GDCLASS(ElelemTurn, godot::Node)

public:
    ElelemTurn() { start("chat"); }
    ~ElelemTurn() override { elelem_turn_free(&turn); }

    // The wire format: "chat", "responses", "messages", "gemini" or "interactions". Begins a response.
    bool start(const godot::String &shape)
    {
        elelem_turn_desc desc = ELELEM_INIT;

        elelem_turn_free(&turn);
        desc.shape = elelem_shape_find(shape.utf8().get_data());
        desc.keep_argument_text = 1;
        return elelem_turn_init(&turn, &desc) == ELELEM_OK;
    }

    void http_status(int status) { elelem_turn_http_status(&turn, status); }

    // Emits what is in the bytes.
    void push(const godot::PackedByteArray &bytes)
    {
        elelem_turn_push(&turn, bytes.ptr(), static_cast<size_t>(bytes.size()));
        take();
    }

    void finish()
    {
        elelem_turn_finish(&turn);
        take();
    }

protected:
    static void _bind_methods()
    {
        using namespace godot;
        ClassDB::bind_method(D_METHOD("start", "shape"), &ElelemTurn::start);
        ClassDB::bind_method(D_METHOD("http_status", "status"), &ElelemTurn::http_status);
        ClassDB::bind_method(D_METHOD("push", "bytes"), &ElelemTurn::push);
        ClassDB::bind_method(D_METHOD("finish"), &ElelemTurn::finish);
        ADD_SIGNAL(MethodInfo("said", PropertyInfo(Variant::STRING, "text")));
        ADD_SIGNAL(MethodInfo("reasoned", PropertyInfo(Variant::STRING, "text")));
        ADD_SIGNAL(MethodInfo("called", PropertyInfo(Variant::STRING, "id"), PropertyInfo(Variant::STRING, "name"),
                              PropertyInfo(Variant::STRING, "arguments")));
        ADD_SIGNAL(MethodInfo("finished", PropertyInfo(Variant::STRING, "reason")));
        ADD_SIGNAL(MethodInfo("failed", PropertyInfo(Variant::STRING, "kind"), PropertyInfo(Variant::STRING, "message"),
                              PropertyInfo(Variant::BOOL, "may_be_repeated")));
    }

private:
    void take()
    {
        elelem_turn_update update;

        while (elelem_turn_next(&turn, &update) == ELELEM_OK) give(update);
    }

    void give(const elelem_turn_update &update)
    {
        switch (static_cast<elelem_turn_update_kind>(update.kind)) {
        case ELELEM_TURN_TEXT: emit_signal("said", text_of(update.text)); break;
        case ELELEM_TURN_REASONING: emit_signal("reasoned", text_of(update.text)); break;
        case ELELEM_TURN_TOOL_CALL_DONE:
            // one that was cut off is not to be run
            if (elelem_value_is_complete(update.tool_call.arguments))
                emit_signal("called", text_of(update.tool_call.id), text_of(update.tool_call.name), text_of(update.tool_call.text));
            break;
        case ELELEM_TURN_FINISHED: emit_signal("finished", godot::String(elelem_finish_reason_name(update.reason))); break;
        case ELELEM_TURN_ERROR:
            emit_signal("failed", godot::String(elelem_error_kind_name(update.error.kind)), text_of(update.error.message),
                        update.error.retryable != 0);
            break;
        default: break;
        }
    }

    elelem_turn turn = ELELEM_INIT;
};

namespace {

void begin(godot::ModuleInitializationLevel level)
{
    if (level == godot::MODULE_INITIALIZATION_LEVEL_SCENE) godot::ClassDB::register_class<ElelemTurn>();
}

void end(godot::ModuleInitializationLevel) {}

} // namespace

extern "C" GDExtensionBool GDE_EXPORT elelem_library_init(GDExtensionInterfaceGetProcAddress get, GDExtensionClassLibraryPtr library,
                                                         GDExtensionInitialization *initialization)
{
    godot::GDExtensionBinding::InitObject object(get, library, initialization);

    object.register_initializer(begin);
    object.register_terminator(end);
    object.set_minimum_library_initialization_level(godot::MODULE_INITIALIZATION_LEVEL_SCENE);
    return object.init();
}
