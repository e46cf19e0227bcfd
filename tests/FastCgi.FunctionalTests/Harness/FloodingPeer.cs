namespace FastCgi.FunctionalTests.Harness;

/// <summary>
/// A peer that sends something once, then other bytes again and again from a thread of its own, and reads nothing. It allocates nothing
/// while it sends, so that what a test measures meanwhile is the server's.
/// </summary>
public sealed class FloodingPeer : IDisposable
{
    /// <summary>Nothing was taken for so long that nothing will be: only ever too early by a busy machine, which harms no test.</summary>
    private const int StallMicroseconds = 500_000;

    private readonly Socket _socket;
    private readonly byte[] _first;
    private readonly byte[] _repeated;
    private readonly int _times;
    private readonly Thread _thread;
    private readonly SyncPoint _stopped = "the flood to be taken whole, or to be taken no more";
    private readonly SyncPoint _ended = "the end of the flood";
    private volatile bool _disposed;
    private long _sent;

    private FloodingPeer(Socket socket, byte[] first, byte[] repeated, int times)
    {
        _socket = socket;
        _first = first;
        _repeated = repeated;
        _times = times;
        _thread = new Thread(Send) { IsBackground = true, Name = "flood" };
    }

    /// <summary>All was sent, though perhaps not read by the server.</summary>
    public bool IsWhole => Volatile.Read(ref _sent) == _first.Length + ((long)_repeated.Length * _times);

    public static async Task<FloodingPeer> ConnectAsync(
        EndPoint endPoint, RecordBuilder first, RecordBuilder repeated, int times)
    {
        var peer = await ScriptedPeer.ConnectAsync(endPoint);

        // What it does not read is to wait in the server, and not in the system.
        peer.Socket.ReceiveBufferSize = 16 * 1024;
        return new FloodingPeer(peer.Socket, first.ToArray(), repeated.ToArray(), times);
    }

    public void Start() => _thread.Start();

    /// <summary>All is sent, the server has closed, or it has taken nothing for a while.</summary>
    public Task WaitUntilStoppedAsync() => _stopped.WaitAsync(TimeSpan.FromMinutes(2));

    /// <summary>All is sent, or the server has closed.</summary>
    public Task WaitUntilEndedAsync() => _ended.WaitAsync(TimeSpan.FromMinutes(2));

    /// <summary>The first bytes that the server answered.</summary>
    public async Task<byte[]> ReceiveAsync()
    {
        var buffer = new byte[1024];
        var count = await _socket.ReceiveAsync(buffer, SocketFlags.None, TestContext.Current.CancellationToken)
            .AsTask().WaitAsync(Deadline.Default);
        return buffer[..count];
    }

    public void Dispose()
    {
        _disposed = true;
        _socket.Dispose();
        if (_thread.IsAlive)
        {
            _thread.Join();
        }
    }

    private void Send()
    {
        try
        {
            _socket.Blocking = false;
            Send(_first);
            for (var i = 0; i < _times; i++)
            {
                Send(_repeated);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The server has closed, or the test is over.
        }

        _stopped.Reach();
        _ended.Reach();
    }

    private void Send(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            var sent = _socket.Send(bytes, SocketFlags.None, out var error);
            if (error == SocketError.Success)
            {
                bytes = bytes[sent..];
                _sent += sent;
            }
            else if (error != SocketError.WouldBlock)
            {
                throw new SocketException((int)error);
            }
            else if (!_socket.Poll(StallMicroseconds, SelectMode.SelectWrite))
            {
                _stopped.Reach();
                ObjectDisposedException.ThrowIf(_disposed, this);
            }
        }
    }
}
