using System.Net.Sockets;

namespace FastCgi.FuzzTests.Execution;

/// <summary>Reads all that the server sends until it closes, and lets the sending side wait for it.</summary>
public sealed class Transcript
{
    private readonly Lock _lock = new();
    private readonly RecordCutter _cutter = new();
    private readonly List<WireRecord> _records = [];
    private Func<IReadOnlyList<WireRecord>, bool>? _isAwaited;
    private TaskCompletionSource _awaited = new();

    /// <summary>The records so far.</summary>
    public IReadOnlyList<WireRecord> Records
    {
        get
        {
            lock (_lock)
            {
                return [.. _records];
            }
        }
    }

    /// <summary>For the messages of failures: types, ids and lengths.</summary>
    public string Summary => " Came: "
        + string.Join(", ", Records.Select(record => $"{record.Type}/{record.RequestId}/{record.Content.Length}"))
        + (IsEnded ? ", the end." : ", no end.");

    /// <summary>The server closed in the middle of a record.</summary>
    public bool EndsInsideRecord => _cutter.Rest > 0;

    /// <summary>The server has closed, or the connection was reset.</summary>
    public bool IsEnded { get; private set; }

    public async Task ReadToEndAsync(Socket socket, CancellationToken stop)
    {
        var buffer = new byte[32 * 1024];
        try
        {
            while (await socket.ReceiveAsync(buffer, stop) is > 0 and var received)
            {
                lock (_lock)
                {
                    _cutter.Add(buffer.AsSpan(0, received));
                    while (_cutter.Take() is { } record)
                    {
                        _records.Add(record);
                    }

                    Signal();
                }
            }
        }
        catch (Exception end) when (end is SocketException or OperationCanceledException or ObjectDisposedException)
        {
            // Reset, or our own close: an end as good as any.
        }

        lock (_lock)
        {
            IsEnded = true;
            Signal();
        }
    }

    /// <summary>Until the records are as wanted, or no more can come.</summary>
    public Task WaitAsync(Func<IReadOnlyList<WireRecord>, bool> isWanted, string awaited, TimeSpan patience)
    {
        lock (_lock)
        {
            _isAwaited = isWanted;
            _awaited = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Signal();
            return _awaited.Task.Within(awaited, deadline: patience);
        }
    }

    private void Signal()
    {
        if (_isAwaited is { } isAwaited && (IsEnded || isAwaited(_records)))
        {
            _isAwaited = null;
            _awaited.TrySetResult();
        }
    }
}
