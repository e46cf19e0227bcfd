namespace FastCgi.AspNetCore.Tests.Scheduling;

/// <summary>What code of an application can leave on a thread of a server.</summary>
internal static class ThreadLitter
{
    public static AsyncLocal<string?> Local { get; } = new();

    public static void Leave()
    {
        SynchronizationContext.SetSynchronizationContext(new SynchronizationContext());
        Local.Value = "left";
        Thread.CurrentThread.Name = "left";
        Thread.CurrentThread.Priority = ThreadPriority.BelowNormal;
        Thread.CurrentThread.IsBackground = false;
    }

    public static bool IsGone() =>
        SynchronizationContext.Current is null && Local.Value is null && Thread.CurrentThread is
        { Name: not "left", Priority: ThreadPriority.Normal, IsBackground: true };
}
