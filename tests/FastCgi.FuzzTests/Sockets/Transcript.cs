using System.Globalization;
using System.Net.Sockets;
using System.Text;

namespace FastCgi.FuzzTests.Sockets;

/// <summary>Reads all that the server sends until it closes, and lets the sending side wait for it.</summary>
internal sealed class Transcript(Answers answers)
{
    private readonly Lock _lock = new();
    private readonly StringBuilder _came = new();
    private Func<bool>? _isAwaited;
    private TaskCompletionSource _awaited = new();

    /// <summary>For the messages of failures: how many bytes came, and how.</summary>
    public string Summary => $" Came: {_came}{(IsEnded ? ", the end." : ", no end.")}";

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
                    answers.Read(buffer.AsSpan(0, received));
                    _came.Append(CultureInfo.InvariantCulture, $" {received}");
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

    /// <summary>Until the answers are as wanted, or no more can come.</summary>
    public Task WaitAsync(Func<bool> isWanted, string awaited, TimeSpan patience)
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
        if (_isAwaited is { } isAwaited && (IsEnded || isAwaited()))
        {
            _isAwaited = null;
            _awaited.TrySetResult();
        }
    }
}
