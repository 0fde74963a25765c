// One response of a language model, read while it arrives: elelem_turn for C#, by P/Invoke. Nothing here knows Unity, and
// nothing allocates managed memory after the constructor. What an update points to lives until the next call of Next.
using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Elelem
{
    public enum UpdateKind : byte
    {
        Text, Reasoning, ToolCallStart, ToolCallDelta, ToolCallDone, ProviderItem, Metadata, Item, Finished, Error
    }

    // Bytes of UTF-8 that belong to the library.
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct Str
    {
        public byte* Data;
        public UIntPtr Size;

        public int Length { get { return (int)Size; } }

        // Writes the characters into the buffer, from `at` on. Returns where they end; what does not fit is left out.
        public int CopyTo(char[] buffer, int at)
        {
            int length = Length < buffer.Length - at ? Length : buffer.Length - at; // a byte is one character at most
            if (length <= 0) return at;
            fixed (char* to = &buffer[at]) return at + Encoding.UTF8.GetChars(Data, length, to, buffer.Length - at);
        }

        public override string ToString() { return Length == 0 ? "" : new string((sbyte*)Data, 0, Length, Encoding.UTF8); }
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Value { public IntPtr Owner; public uint Node; }

    [StructLayout(LayoutKind.Sequential)]
    public struct ToolCall
    {
        public uint Index;
        public Str Id, Name, Type;
        public Value Arguments;
        public Str Text; // the arguments as JSON
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Fragment
    {
        public IntPtr Path;
        public Str Text;
        public byte Kind, Type;
        public ushort Pattern;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct ToolCallPart { public byte Kind; public Str Id, Name, Type, Text; }

    [StructLayout(LayoutKind.Sequential)]
    public struct Part
    {
        public byte Kind, Hosted;
        public Str Text, Type, Caption;
        public ToolCallPart ToolCall;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Usage { public long Input, Output, Cached, Reasoning, CacheWritten; }

    [StructLayout(LayoutKind.Sequential)]
    public struct Failure
    {
        public byte Kind, Retryable;
        public int HttpStatus, Status;
        public long RetryAfterMs;
        public ulong Offset;
        public Str Code, Message;
    }

    [StructLayout(LayoutKind.Sequential)]
    public struct Metadata { public IntPtr Entries; public UIntPtr Count; }

    // elelem_turn_update.
    [StructLayout(LayoutKind.Sequential)]
    public struct Update
    {
        public UpdateKind Kind;
        public byte Reason;
        public uint Index, Choice;
        public Str Text;
        public ToolCall ToolCall;
        public Fragment Fragment;
        public Part Part;
        public IntPtr Item;
        public Str RawReason;
        public Usage Usage;
        public Failure Error;
        public Metadata Metadata;
    }

    // elelem_turn_desc.
    [StructLayout(LayoutKind.Sequential)]
    public struct TurnDesc
    {
        public IntPtr Shape;
        public IntPtr Resize, Context; // the allocator; zero: that of the C library
        public uint Keep;
        public long UnixSeconds;
        public uint IdleTimeoutMs, MaxFrameBytes, MaxKeptBytes, MaxOpenItems, MaxChoices, MaxNextBytes;
        public byte Structured, WithoutProviderItems, SplitThoughts;
        public IntPtr ThoughtTags;
        public uint ThoughtTagCount;
        public byte KeepArgumentText;
        public ulong MaxItemBytes;
    }

    public sealed unsafe class Turn : IDisposable
    {
#if UNITY_IOS && !UNITY_EDITOR
        const string Library = "__Internal";
#else
        const string Library = "elelem_stream";
#endif
        [DllImport(Library)] static extern UIntPtr elelem_size_of(string name);
        [DllImport(Library)] static extern IntPtr elelem_shape_find(string name);
        [DllImport(Library)] static extern int elelem_turn_init(IntPtr turn, ref TurnDesc desc);
        [DllImport(Library)] static extern void elelem_turn_http_status(IntPtr turn, int status);
        [DllImport(Library)] static extern int elelem_turn_push(IntPtr turn, byte* bytes, UIntPtr size);
        [DllImport(Library)] static extern void elelem_turn_finish(IntPtr turn);
        [DllImport(Library)] static extern int elelem_turn_next(IntPtr turn, Update* update);
        [DllImport(Library)] static extern void elelem_turn_reset(IntPtr turn);
        [DllImport(Library)] static extern void elelem_turn_free(IntPtr turn);

        IntPtr turn, update, lent;
        readonly int lentSize;

        // `shape` is the wire format: "chat", "responses", "messages", "gemini" or "interactions". `room` is the most bytes of one push.
        public Turn(string shape, int room = 64 * 1024)
        {
            var desc = new TurnDesc { Shape = elelem_shape_find(shape), KeepArgumentText = 1 };
            Compare("elelem_turn_desc", sizeof(TurnDesc));
            Compare("elelem_turn_update", sizeof(Update));
            if (desc.Shape == IntPtr.Zero) throw new ArgumentException("no such shape: " + shape);
            turn = Zeroes((int)elelem_size_of("elelem_turn"));
            update = Zeroes(sizeof(Update));
            lent = Zeroes(room);
            lentSize = room;
            elelem_turn_init(turn, ref desc);
        }

        static void Compare(string name, int size)
        {
            if ((int)elelem_size_of(name) != size) throw new InvalidOperationException("the library has another " + name);
        }

        static IntPtr Zeroes(int size)
        {
            IntPtr block = Marshal.AllocHGlobal(size);
            for (int i = 0; i < size; i++) ((byte*)block)[i] = 0;
            return block;
        }

        public int HttpStatus { set { elelem_turn_http_status(turn, value); } }

        // Copies the bytes, because those that are pushed have to stay until Next returned false. Call that before the next push.
        public void Push(byte[] bytes, int start, int size)
        {
            if (size > lentSize) throw new ArgumentOutOfRangeException("size");
            Marshal.Copy(bytes, start, lent, size);
            elelem_turn_push(turn, (byte*)lent, (UIntPtr)(uint)size);
        }

        public void Finish() { elelem_turn_finish(turn); }

        // False: there is no update now. The last one is Finished or Error.
        public bool Next() { return elelem_turn_next(turn, (Update*)update) == 0; }

        public ref Update Current { get { return ref *(Update*)update; } }

        // For another response.
        public void Reset() { elelem_turn_reset(turn); }

        public void Dispose()
        {
            if (turn == IntPtr.Zero) return;
            elelem_turn_free(turn);
            Marshal.FreeHGlobal(turn);
            Marshal.FreeHGlobal(update);
            Marshal.FreeHGlobal(lent);
            turn = update = lent = IntPtr.Zero;
        }
    }
}
