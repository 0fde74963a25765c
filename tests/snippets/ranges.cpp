/* snippet: for (const elelem::update &update : turn)
 * prints:
 * [It ][rains]
 */
#define ELELEM_STREAM_IMPLEMENTATION
#include "elelem.hpp"

#include <cstdio>
#include <string_view>

static void show(std::string_view text)
{
    std::printf("[%.*s]", static_cast<int>(text.size()), text.data());
}

int main()
{
    const std::string_view bytes = "data: {\"choices\":[{\"delta\":{\"content\":\"It \"}}]}\n\n"
                                   "data: {\"choices\":[{\"delta\":{\"content\":\"rains\"}}]}\n\n";
#include "snippet.h"
    std::printf("\n");
    return 0;
}
