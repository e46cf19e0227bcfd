using System.Globalization;
using Xunit;

namespace FastCgi.TestKit;

/// <summary>Every await in a test has an end: a hang becomes a message that says what was awaited.</summary>
public static class Deadline
{
    private const string ThreadTimes = "/proc/thread-self/schedstat";

    private static readonly TimeSpan s_sample = TimeSpan.FromMilliseconds(50);
    private static readonly Lock s_measuring = new();

    /// <summary>
    /// How many times longer than on a quiet machine a thread takes for its work, measured at the start and when a limit
    /// has run out. Every limit that a test waits for is that much longer.
    /// </summary>
    public static double Slowness { get; private set; } = Measure();

    /// <summary>Long enough for the machine as it is, short enough that a hang is noticed.</summary>
    public static TimeSpan Default => TimeSpan.FromSeconds(10) * Slowness;

    /// <summary>A limit for the machine as it is, from one for a quiet machine; null: <see cref="Default"/>.</summary>
    public static TimeSpan Of(TimeSpan? limit) => limit * Slowness ?? Default;

    /// <summary>Awaits the task, or fails the test with what was awaited and what was seen instead.</summary>
    /// <param name="seen">What there is instead.</param>
    /// <param name="deadline">On a quiet machine.</param>
    public static async Task Within(
        this Task task, string awaited, Func<string>? seen = null, TimeSpan? deadline = null)
    {
        for (var waited = TimeSpan.Zero; !task.IsCompleted && !IsOver(waited, deadline);)
        {
            var limit = Of(deadline);
            await task.WaitAsync(limit - waited).ConfigureAwait(
                ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
            waited = limit;
        }

        if (!task.IsCompleted)
        {
            Assert.Fail(Message(awaited, seen, deadline));
        }

        await task;
    }

    /// <inheritdoc cref="Within(Task, string, Func{string}?, TimeSpan?)"/>
    public static async Task<T> Within<T>(
        this Task<T> task, string awaited, Func<string>? seen = null, TimeSpan? deadline = null)
    {
        await Within((Task)task, awaited, seen, deadline);
        return await task;
    }

    /// <summary>
    /// True when a wait has lasted as long as its limit, and the machine has become no slower since that was measured.
    /// </summary>
    internal static bool IsOver(TimeSpan waited, TimeSpan? limit)
    {
        if (waited < Of(limit))
        {
            return false;
        }

        // One thread at a time: several would find each other's work.
        lock (s_measuring)
        {
            Slowness = Math.Max(Slowness, Measure());
        }

        return waited >= Of(limit);
    }

    private static string Message(string awaited, Func<string>? seen, TimeSpan? deadline) =>
        $"Not within {Of(deadline).TotalSeconds:0} s: {awaited}." + (seen is null ? "" : $" Seen: {seen()}");

    /// <summary>Time is what the thread used of a processor and what it waited for one, in nanoseconds.</summary>
    private static double Measure()
    {
        if (!File.Exists(ThreadTimes))
        {
            return 1;
        }

        var (used, waited) = Times();
        var (usedSince, waitedSince) = (0.0, 0.0);
        while (usedSince < s_sample.TotalNanoseconds)
        {
            Thread.SpinWait(1_000);
            var (usedNow, waitedNow) = Times();
            (usedSince, waitedSince) = (usedNow - used, waitedNow - waited);
        }

        return 1 + (waitedSince / usedSince);

        static (double Used, double Waited) Times()
        {
            var times = File.ReadAllText(ThreadTimes).Split(' ');
            return (double.Parse(times[0], CultureInfo.InvariantCulture), double.Parse(times[1], CultureInfo.InvariantCulture));
        }
    }
}
