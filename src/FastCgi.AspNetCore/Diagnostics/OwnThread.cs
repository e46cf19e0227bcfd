namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>Starts threads of the server: in the background, and without the caller's execution context.</summary>
internal static class OwnThread
{
    /// <summary>
    /// False if the process lacks the memory or the two descriptors that a thread takes. A test may
    /// <paramref name="start"/> the thread in another way.
    /// </summary>
    public static bool TryStart(string name, ThreadStart run, Action<Thread>? start = null)
    {
        try
        {
            (start ?? (static thread => thread.UnsafeStart()))(new Thread(run) { IsBackground = true, Name = name });
            return true;
        }
        catch (OutOfMemoryException)
        {
            return false;
        }
    }
}
