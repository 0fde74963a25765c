// Try.exe FILE: reads a recorded chat response without Unity, in pieces, and says whether that left garbage.
using System;
using System.IO;
using Elelem;

static class Try
{
    static readonly char[] text = new char[4096];
    static int end;

    static void Read(Turn turn, byte[] body, int step)
    {
        end = 0;
        for (int at = 0; at < body.Length; at += step)
        {
            turn.Push(body, at, Math.Min(step, body.Length - at));
            Take(turn);
        }
        turn.Finish();
        Take(turn);
        turn.Reset();
    }

    static void Take(Turn turn)
    {
        while (turn.Next())
        {
            ref Update update = ref turn.Current;
            if (update.Kind == UpdateKind.Text) end = update.Text.CopyTo(text, end);
            if (update.Kind != UpdateKind.ToolCallDone) continue;
            end = update.ToolCall.Name.CopyTo(text, end);
            end = update.ToolCall.Text.CopyTo(text, end);
        }
    }

    static int Main(string[] arguments)
    {
        byte[] body = File.ReadAllBytes(arguments[0]);
        using (var turn = new Turn("chat"))
        {
            Read(turn, body, 7);
            int collections = GC.CollectionCount(0);
            long before = GC.GetTotalMemory(false);
            for (int i = 0; i < 1000; i++) Read(turn, body, 7);
            long after = GC.GetTotalMemory(false);
            Console.WriteLine(new string(text, 0, end));
            Console.WriteLine(GC.CollectionCount(0) == collections && after == before ? "no garbage" : "garbage: " + (after - before));
        }
        return 0;
    }
}
