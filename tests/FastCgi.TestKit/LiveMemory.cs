using System.Diagnostics.Tracing;
using FastCgi.AspNetCore.Server;

namespace FastCgi.TestKit;

/// <summary>
/// How the memory of live objects grows from the making of this object on. The whole process is measured, so nothing
/// else may run.
/// </summary>
/// <remarks>
/// Pools drop what is not used for some time. Megabytes of earlier tests that they drop in between would hide what this
/// test takes. So the server's pool is emptied first, and what <see cref="System.Buffers.ArrayPool{T}.Shared"/> drops,
/// usually 30 seconds after the last use, is added. What it kept for a thread goes without a word when the thread ends,
/// so threads of the thread pool stay (tests/Directory.Build.props).
/// </remarks>
public sealed class LiveMemory : IDisposable
{
    private readonly DroppedArrays _dropped = new();
    private readonly long _first;

    public LiveMemory() => _first = Measure();

    /// <summary>In bytes, after everything that could be collected was. Below 0 if more was freed than taken.</summary>
    public long Growth => Measure() - _first;

    public void Dispose() => _dropped.Dispose();

    private long Measure()
    {
        for (var i = 0; i < 2 * LargeBuffers.TrimPeriod; i++)
        {
            BufferPool.Shared.Trim();
        }

        for (var i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        // The pool drops arrays after a collection, so the next one frees them: these are freed, and later ones are not.
        var dropped = _dropped.Bytes;
        GC.Collect();
        return GC.GetTotalMemory(forceFullCollection: false) + dropped;
    }

    /// <summary>The bytes in arrays that the shared pools have dropped, as the runtime reports it.</summary>
    private sealed class DroppedArrays : EventListener
    {
        private const int Size = 1;

        private long _bytes;

        public long Bytes => Interlocked.Read(ref _bytes);

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "System.Buffers.ArrayPoolEventSource")
            {
                EnableEvents(eventSource, EventLevel.Informational);
            }
        }

        /// <summary>The size is a number of elements. Nearly all of these arrays are of bytes.</summary>
        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            if (eventData is { EventName: "BufferTrimmed", Payload: { } payload })
            {
                Interlocked.Add(ref _bytes, (int)payload[Size]!);
            }
        }
    }
}
