/* game_loop: a character that moves while the model is still writing where to. The network has a thread of its own, which
 * only puts bytes into a ring; the game takes them out for 50 microseconds a frame, and no lock is held. link: -pthread
 *
 *     game_loop FILE [BYTES]      a recorded chat stream, examples/walk.sse; so many bytes arrive at a time, else 100
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem_stream.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

using us = std::chrono::microseconds;
using timer = std::chrono::steady_clock;

/* One thread writes, another reads. What was read stays in place until it is released. */
class ring {
public:
    /* For the writer: takes as many bytes as there is room for, and returns how many. */
    size_t write(const char *from, size_t size)
    {
        const size_t end = end_.load(std::memory_order_relaxed);
        const size_t room = sizeof bytes_ - (end - begin_.load(std::memory_order_acquire));
        const size_t at = end % sizeof bytes_;

        if (size > room) size = room;
        if (size > sizeof bytes_ - at) size = sizeof bytes_ - at;
        std::memcpy(bytes_ + at, from, size);
        end_.store(end + size, std::memory_order_release);
        return size;
    }

    void close() { closed_.store(true, std::memory_order_release); }

    /* For the reader: the bytes there are, as far as they are in one piece. */
    elelem_str read() const
    {
        const size_t begin = begin_.load(std::memory_order_relaxed);
        const size_t at = begin % sizeof bytes_;
        const size_t size = end_.load(std::memory_order_acquire) - begin;

        return elelem_str_from(bytes_ + at, size < sizeof bytes_ - at ? size : sizeof bytes_ - at);
    }

    void release(size_t size) { begin_.store(begin_.load(std::memory_order_relaxed) + size, std::memory_order_release); }

    /* Nonzero if nothing is left and nothing will come. Closed is read first: it is set after the last byte. */
    bool is_over() const { return closed_.load(std::memory_order_acquire) && read().size == 0; }

    /* The reader takes no more: the response may end before its body does. */
    void leave() { left_.store(true, std::memory_order_release); }
    bool is_left() const { return left_.load(std::memory_order_acquire); }

private:
    char bytes_[4096];
    std::atomic<size_t> begin_{ 0 }, end_{ 0 };
    std::atomic<bool> closed_{ false }, left_{ false };
};

static ring arrived;

/* The network: what an HTTP client's callback would do. If the ring is full, the server waits. */
static void receive(FILE *file, size_t piece)
{
    char bytes[4096];
    size_t size;

    while (!arrived.is_left() && (size = std::fread(bytes, 1, piece, file)) > 0) {
        for (size_t at = 0; at < size && !arrived.is_left();)
            at += arrived.write(bytes + at, size - at);
        std::this_thread::sleep_for(us(20));
    }
    arrived.close();
}

/* The game. */

struct character {
    double x = 0, y = 0;           /* where it is */
    double next_x = 0, next_y = 0; /* what is known of the step that is being written */
    int steps = 0;

    void react(const elelem_turn_update &update)
    {
        const elelem_fragment &f = update.fragment;
        double number = 0;

        switch (update.kind) {
        case ELELEM_TURN_TEXT: std::printf("%.*s", ELELEM_STR_ARG(update.text)); break;
        case ELELEM_TURN_TOOL_CALL_START: std::printf("\n[%.*s]\n", ELELEM_STR_ARG(update.tool_call.name)); break;
        case ELELEM_TURN_TOOL_CALL_DELTA:
            if (f.kind == ELELEM_FRAGMENT_SCALAR && elelem_number_to_double(f.text, &number) == ELELEM_OK) {
                if (elelem_path_is(f.path, "steps[*].x")) next_x = number;
                if (elelem_path_is(f.path, "steps[*].y")) next_y = number;
            } else if (f.kind == ELELEM_FRAGMENT_DONE && elelem_path_is(f.path, "steps[*]")) {
                x = next_x;
                y = next_y;
                std::printf("step %d: (%g, %g)\n", ++steps, x, y);
            } else {
                const elelem_str words = elelem_fragment_text(&f, "say");
                std::printf("%.*s", ELELEM_STR_ARG(words));
            }
            break;
        case ELELEM_TURN_FINISHED: std::printf("\n[%s]\n", elelem_finish_reason_name(update.reason)); break;
        case ELELEM_TURN_ERROR: std::printf("\n[error: %.*s]\n", ELELEM_STR_ARG(update.error.message)); break;
        default: break;
        }
    }
};

struct npc {
    elelem_turn turn;
    elelem_status status = ELELEM_MORE; /* kept from frame to frame */
    size_t lent = 0;                    /* bytes of the ring that the turn reads */
    character body;

    npc()
    {
        elelem_turn_desc desc = ELELEM_INIT;
        desc.shape = &elelem_shape_chat;
        desc.keep = ELELEM_KEEP_NONE; /* acts on fragments alone: no call comes whole */
        desc.idle_timeout_ms = 30000;
        desc.max_next_bytes = 1024;
        elelem_turn_init(&turn, &desc);
    }
    ~npc() { elelem_turn_free(&turn); }
    npc(const npc &) = delete;
    npc &operator=(const npc &) = delete;

    /* Gives back what is read, and lends what came since. */
    void push()
    {
        arrived.release(lent);
        const elelem_str bytes = arrived.read();
        lent = bytes.size;
        if (lent > 0) elelem_turn_push(&turn, bytes.data, bytes.size);
        else if (arrived.is_over()) elelem_turn_finish(&turn);
    }

    void frame(timer::time_point start, us budget)
    {
        elelem_turn_update update;
        const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(start.time_since_epoch()).count();

        if (status == ELELEM_MORE && elelem_turn_unread(&turn) == 0) push();
        elelem_turn_tick(&turn, static_cast<uint32_t>(now));
        while (status != ELELEM_END && timer::now() - start < budget) {
            status = elelem_turn_next(&turn, &update);
            if (status == ELELEM_OK) body.react(update);
            else if (elelem_turn_unread(&turn) == 0) break;
        }
    }
};

int main(int count, char **words)
{
    FILE *file = count > 1 ? std::fopen(words[1], "rb") : nullptr;
    const size_t piece = count > 2 ? std::strtoul(words[2], nullptr, 10) : 100;

    if (!file || piece == 0 || piece > 4096) return std::fputs("usage: game_loop FILE [BYTES]\n", stderr), 2;
    std::thread network(receive, file, piece);
    npc osric;
    while (osric.status != ELELEM_END) {
        osric.frame(timer::now(), us(50));
        std::this_thread::sleep_for(us(100)); /* the rest of the frame */
    }
    arrived.leave();
    network.join();
    std::fclose(file);
    return 0;
}
