namespace FastCgi.WebServerTests.Matrix;

/// <summary>The test's end of a <see cref="Gate"/>: an application connects to it, in whichever process it is.</summary>
internal sealed class TestGate : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private Socket? _socket;

    public TestGate() => _listener.Start();

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public async Task OpenAsync(Func<string> log) =>
        _socket = await _listener.AcceptSocketAsync().Within("the application", log, MatrixSite.Patience);

    /// <returns>False when the application did not come in time.</returns>
    public async Task<bool> TryOpenAsync(TimeSpan patience)
    {
        try
        {
            _socket = await _listener.AcceptSocketAsync().WaitAsync(Deadline.Of(patience));
            return true;
        }
        catch (TimeoutException)
        {
            return false;
        }
    }

    public void GoOn() => _socket!.Send([0]);

    /// <returns>Null when there was none in time, or the application has gone.</returns>
    public async Task<byte?> NewsAsync(TimeSpan patience)
    {
        var news = new byte[1];
        try
        {
            return await _socket!.ReceiveAsync(news).WaitAsync(Deadline.Of(patience)) == 1 ? news[0] : null;
        }
        catch (TimeoutException)
        {
            return null;
        }
    }

    public void Dispose()
    {
        _socket?.Dispose();
        _listener.Dispose();
    }
}
