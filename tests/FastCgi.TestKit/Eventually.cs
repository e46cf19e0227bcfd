using System.Diagnostics;
using Xunit;

namespace FastCgi.TestKit;

/// <summary>
/// For what gives no signal: threads that end, descriptors that the kernel lets go of, memory that is collected.
/// </summary>
public static class Eventually
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(20);

    public static async Task HoldsAsync(Func<bool> condition, Func<string> seen, TimeSpan? deadline = null)
    {
        var started = Stopwatch.GetTimestamp();
        while (!condition())
        {
            Assert.False(Deadline.IsOver(Stopwatch.GetElapsedTime(started), deadline), seen());
            await Task.Delay(s_pause);
        }
    }
}
