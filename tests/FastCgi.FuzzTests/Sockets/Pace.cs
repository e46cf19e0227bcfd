using System.Diagnostics;

namespace FastCgi.FuzzTests.Sockets;

/// <summary>
/// The longest pause that a busy machine made between two pieces of a conversation. The server gives the rest of a body
/// up that stays away for 150 ms behind its answer, and closes the connection then.
/// </summary>
internal sealed class Pace
{
    private static readonly TimeSpan s_shortestPause = TimeSpan.FromMilliseconds(100);

    private long _last = Stopwatch.GetTimestamp();

    /// <summary>The server may have taken a pause for the end of a body.</summary>
    public bool WasBroken { get; private set; }

    /// <summary>A piece was sent.</summary>
    public void OnSent()
    {
        WasBroken |= Stopwatch.GetElapsedTime(_last) > s_shortestPause;
        _last = Stopwatch.GetTimestamp();
    }

    /// <summary>The script has waited for an answer.</summary>
    public void OnWaited() => _last = Stopwatch.GetTimestamp();
}
