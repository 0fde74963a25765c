/* bench: the library and others at the same work, in one process.
 *
 *     build/bench FILE [parsers] [streams] [prefixes] [--count]
 *
 * Writes the results, one row each; of all races if none is named. With --count nothing is timed, see bench/count.sh.
 *
 * Columns: race, text, its bytes, the size of the pieces, who, a figure (MB/s, or instructions a byte), and how many times as
 * fast the first one is. bench/report.sh makes tables and a chart of them.
 */
#include "race.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

static std::string processor()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "a processor without a name";
}

static std::string compiler()
{
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "gcc " TEXT(__GNUC__) "." TEXT(__GNUC_MINOR__);
#else
    return "a compiler";
#endif
}

/* Other work on the machine hardly moves the ratios, but it does move the rates. */
static std::string other_work()
{
    double load = 0;
    if (getloadavg(&load, 1) != 1) return "";
    char text[100];
    std::snprintf(text, sizeof text, ", load average %.1f on %u cores when it began", load, std::thread::hardware_concurrency());
    return text;
}

int main(int count, char **words)
{
    const struct {
        const char *name;
        void (*race)(report &);
    } races[] = { { "parsers", race_parsers }, { "streams", race_streams }, { "prefixes", race_prefixes } };
    if (count < 2) {
        std::fprintf(stderr, "bench FILE [parsers] [streams] [prefixes] [--count]\n");
        return 2;
    }
    report out(words[1]);
    out.comment("machine: " + processor() + ", " + compiler() + " -O3" + other_work());
    only_counts = std::string(words[count - 1]) == "--count";
    count -= only_counts;
    for (const auto &r : races) {
        bool is_named = count == 2;
        for (int i = 2; i < count; i++)
            is_named |= std::string(words[i]) == r.name;
        if (is_named) r.race(out);
    }
    return 0;
}
