namespace FastCgi.FunctionalTests.Harness;

/// <summary>Lets time pass until something has happened.</summary>
public static class PassingTime
{
    /// <summary>Second by second. The clock may run ahead of the server, so only the least time is certain.</summary>
    /// <returns>How many seconds have passed.</returns>
    public static int PassUntil(this ManualTimeProvider clock, SyncPoint reached, string expected)
    {
        var passed = 0;
        Assert.True(SpinWait.SpinUntil(Passes, Deadline.Default), expected);
        return passed;

        bool Passes()
        {
            if (!reached.IsReached)
            {
                clock.Advance(TimeSpan.FromSeconds(1));
                passed++;
            }

            return reached.IsReached;
        }
    }

    /// <summary>Second by second, until <paramref name="happens"/> has ended.</summary>
    public static async Task PassUntilAsync(this ManualTimeProvider clock, Task happens)
    {
        while (!happens.IsCompleted)
        {
            clock.Advance(TimeSpan.FromSeconds(1));
            await Task.Yield();
        }

        await happens;
    }
}
