# awk -v room=ROOM -f tests/static/alone.awk elelem_stream.h: the header with the functions of one room, all
# of them public; those of other rooms are declared only. An analyzer that follows every path then ends in seconds.
/^#if .*ELELEM_STREAM_IMPLEMENTATION/ { print "#if 1"; next }
/^#define ELELEM_STREAM_IMPLEMENTED$/ { print ""; next }
/^#define ELS_(PRIVATE|ALONE|INLINE|NOINLINE|APART) / { print $1, $2; next }
/^\/\* >> [a-z_]+ \*\/$/ { other = $3 != room }
/^static [^=]*[,)];?$/ { sub(/^static /, "") }
other && /^\{$/ { print ";"; inside = 1; next }
inside { print ""; if (/^\}$/) inside = 0; next }
{ print }
