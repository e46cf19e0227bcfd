using System.Diagnostics;

namespace FastCgi.FuzzTests.Sockets;

/// <summary>Drops whatever a failing conversation can do without, and still fails.</summary>
internal static class Minimiser
{
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(60);

    public static async Task<Conversation> MinimiseAsync(Conversation failing, Func<Conversation, Task<bool>> fails)
    {
        var started = Stopwatch.GetTimestamp();
        for (var size = Math.Max(1, failing.Pieces.Count / 2); size > 0; size /= 2)
        {
            for (var start = 0; start < failing.Pieces.Count && Stopwatch.GetElapsedTime(started) < s_longest;)
            {
                var smaller = failing.Without(start, size);
                if (await FailsAsync(smaller, fails))
                {
                    failing = smaller;
                }
                else
                {
                    start += size;
                }
            }
        }

        return failing;
    }

    /// <summary>A race does not show each time.</summary>
    private static async Task<bool> FailsAsync(Conversation conversation, Func<Conversation, Task<bool>> fails)
    {
        for (var attempt = 0; attempt < 5; attempt++)
        {
            if (await fails(conversation))
            {
                return true;
            }
        }

        return false;
    }
}
