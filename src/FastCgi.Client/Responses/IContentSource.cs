namespace FastCgi.Client.Responses;

/// <summary>Where the content of a response comes from.</summary>
internal interface IContentSource : IDisposable
{
    /// <summary>Reads the next bytes; 0: the response is whole.</summary>
    ValueTask<int> ReadAsync(Memory<byte> destination, CancellationToken cancellationToken);

    /// <summary>
    /// Gives up a content that no caller can read any more. False: a read is under way. Never throws.
    /// </summary>
    bool TryDrop();
}
