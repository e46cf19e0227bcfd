using Xunit;

namespace FastCgi.TestKit;

/// <summary>
/// Keeps threads until the test lets them go on. There is nothing to dispose: a thread that comes behind the end of the
/// test finds it open. The thread pool is not told that its thread blocks, as a task would tell it.
/// </summary>
public sealed class Latch
{
    private readonly object _monitor = new();
    private volatile bool _isSet;

    public bool IsSet => _isSet;

    public void Set()
    {
        lock (_monitor)
        {
            _isSet = true;
            Monitor.PulseAll(_monitor);
        }
    }

    /// <summary>
    /// Returns when the test lets the thread go on. Fails after twice as long as the test waits: a thread that goes on
    /// earlier would end what the test finds held up.
    /// </summary>
    /// <param name="limit">How long the test waits, on a quiet machine.</param>
    public void Wait(TimeSpan? limit = null)
    {
        lock (_monitor)
        {
            for (TimeSpan waited = default, end; !_isSet && waited < (end = 2 * Deadline.Of(limit)); waited = end)
            {
                Monitor.Wait(_monitor, end - waited);
            }

            Assert.True(_isSet, "Nothing lets the kept thread go on.");
        }
    }
}
