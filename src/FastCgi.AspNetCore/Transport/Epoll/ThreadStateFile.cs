namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>The state of one thread, as Linux reports it (proc(5), <c>/proc/pid/task/tid/stat</c>).</summary>
[SupportedOSPlatform("linux")]
internal sealed class ThreadStateFile
{
    private const string ThisThread = "/proc/thread-self";
    private const char Runnable = 'R';

    private readonly string _path;

    private ThreadStateFile(string path) => _path = path;

    /// <summary>Null if the system does not report it.</summary>
    public static ThreadStateFile? OfThisThread()
    {
        try
        {
            return File.ResolveLinkTarget(ThisThread, returnFinalTarget: false) is { } link
                ? new ThreadStateFile(Path.Combine(link.FullName, "stat"))
                : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    /// <summary>
    /// True if the thread has a processor or waits for one. False if it waits for something else, has ended or is
    /// unknown.
    /// </summary>
    public bool IsRunnable()
    {
        // "number (name) state ...", where the name may contain any bytes.
        Span<byte> text = stackalloc byte[128];
        try
        {
            using var file = File.OpenHandle(_path);
            text = text[..RandomAccess.Read(file, text, fileOffset: 0)];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return false;
        }

        int end = text.LastIndexOf((byte)')');
        return end >= 0 && end + 2 < text.Length && text[end + 2] == Runnable;
    }
}
