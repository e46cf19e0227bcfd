namespace FastCgi.Gateway.Tests.Harness;

/// <summary>A connection on which the test writes every byte, because HttpClient would tidy the request up.</summary>
internal sealed class RawHttp : IDisposable
{
    private readonly TcpClient _client = new();
    private readonly StringBuilder _received = new();

    public static async Task<RawHttp> ConnectAsync(Uri uri)
    {
        var raw = new RawHttp();
        await raw._client.ConnectAsync(uri.Host, uri.Port).Within("a connection to Kestrel");
        return raw;
    }

    public Task SendAsync(string text) =>
        _client.GetStream().WriteAsync(Encoding.Latin1.GetBytes(text)).AsTask().Within("room to send in");

    /// <summary>Everything up to the given text, which must come; up to the end of the connection without one.</summary>
    public async Task<string> ReadToAsync(string? end)
    {
        byte[] buffer = new byte[16 * 1024];
        while (end is null || !_received.ToString().Contains(end, StringComparison.Ordinal))
        {
            int count = await _client.GetStream().ReadAsync(buffer).AsTask().Within($"'{end}'", _received.ToString);
            if (count == 0)
            {
                Assert.True(end is null, $"The connection ended before '{end}': {_received}");
                break;
            }

            _received.Append(Encoding.Latin1.GetString(buffer, 0, count));
        }

        return _received.ToString();
    }

    public void Dispose() => _client.Dispose();
}
