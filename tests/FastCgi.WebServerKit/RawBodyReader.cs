namespace FastCgi.WebServerKit;

/// <summary>Reads a response body as it arrives, by whichever framing the head tells.</summary>
internal sealed class RawBodyReader
{
    private readonly RawHttpClient _client;
    private readonly bool _isChunked;
    private readonly bool _endsWithConnection;
    private long _left;
    private bool _isFirstChunk = true;
    private bool _isAtEnd;

    public RawBodyReader(RawHttpClient client, RawHead head, bool isHead)
    {
        var hasBody = !isHead && head.Status is >= 200 and not 204 and not 304;
        _client = client;
        _isChunked = hasBody && head.IsChunked;
        _endsWithConnection = hasBody && !head.IsChunked && head.ContentLength is null;
        _left = hasBody && !head.IsChunked ? head.ContentLength ?? long.MaxValue : 0;
        _isAtEnd = !_isChunked && _left == 0;
    }

    /// <summary>After the end: the client can tell that something is missing.</summary>
    public bool IsTorn { get; private set; }

    /// <returns>The next bytes, at once when there are some; empty at the end.</returns>
    public async Task<ReadOnlyMemory<byte>> ReadAsync()
    {
        if (!_isAtEnd && _isChunked && _left == 0)
        {
            await ReadChunkSizeAsync();
        }

        if (_isAtEnd)
        {
            return default;
        }

        var piece = await _client.ReadAsync(_left);
        if (piece.IsEmpty)
        {
            return End(isTorn: !_endsWithConnection || _client.WasReset);
        }

        _left -= piece.Length;
        _isAtEnd = !_isChunked && _left == 0;
        return piece;
    }

    private async Task ReadChunkSizeAsync()
    {
        var isAfterChunk = !_isFirstChunk;
        _isFirstChunk = false;
        if (isAfterChunk && await _client.ReadLineAsync() is not "")
        {
            End(isTorn: true);
            return;
        }

        if (!long.TryParse(
            await _client.ReadLineAsync(), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out _left))
        {
            End(isTorn: true);
        }
        else if (_left == 0)
        {
            End(isTorn: await _client.ReadLineAsync() is not "");
        }
    }

    private ReadOnlyMemory<byte> End(bool isTorn)
    {
        _isAtEnd = true;
        IsTorn = isTorn;
        return default;
    }
}
