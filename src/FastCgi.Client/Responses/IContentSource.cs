namespace FastCgi.Client.Responses;

/// <summary>The source of a response's content.</summary>
internal interface IContentSource : IDisposable
{
    /// <summary>Reads the next bytes. Returns 0 if the response is complete.</summary>
    ValueTask<int> ReadAsync(Memory<byte> destination, CancellationToken cancellationToken);

    /// <summary>Drops content that no caller can read any more. False if a read is running. Never throws.</summary>
    bool TryDrop();
}
