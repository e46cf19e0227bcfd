namespace FastCgi.AspNetCore.Tests.Requests.Body;

/// <summary>What an application registers behind something that waits, without await.</summary>
internal static class Callback
{
    public static void Throws<T>(ValueTask<T> waiting)
    {
        var awaiter = waiting.GetAwaiter();
        Assert.False(awaiter.IsCompleted);
        awaiter.UnsafeOnCompleted(static () => throw new InvalidOperationException("a callback"));
    }
}
