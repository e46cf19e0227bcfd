using Xunit;

namespace FastCgi.TestKit;

/// <summary>Every await in a test has an end: a hang becomes a message that says what was awaited.</summary>
public static class Deadline
{
    /// <summary>Long enough for a loaded machine, short enough that a hang is noticed.</summary>
    public static TimeSpan Default { get; } = TimeSpan.FromSeconds(10);

    /// <summary>Awaits the task, or fails the test with what was awaited and what was seen instead.</summary>
    public static async Task Within(
        this Task task, string awaited, Func<string>? seen = null, TimeSpan? deadline = null)
    {
        try
        {
            await task.WaitAsync(deadline ?? Default);
        }
        catch (TimeoutException) when (!task.IsCompleted)
        {
            Assert.Fail(Message(awaited, seen, deadline));
        }
    }

    /// <inheritdoc cref="Within(Task, string, Func{string}?, TimeSpan?)"/>
    public static async Task<T> Within<T>(
        this Task<T> task, string awaited, Func<string>? seen = null, TimeSpan? deadline = null)
    {
        await Within((Task)task, awaited, seen, deadline);
        return await task;
    }

    private static string Message(string awaited, Func<string>? seen, TimeSpan? deadline) =>
        $"Not within {(deadline ?? Default).TotalSeconds} s: {awaited}." + (seen is null ? "" : $" Seen: {seen()}");
}
