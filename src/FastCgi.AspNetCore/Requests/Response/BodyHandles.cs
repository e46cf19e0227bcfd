using FastCgi.AspNetCore.Features;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>
/// The writer of one response body, and the stream over it. Made when the application asks for them.
/// </summary>
internal struct BodyHandles
{
    private ResponsePipeWriter? _writer;
    private ResponseBodyStream? _stream;

    public readonly bool WaitsForPeer => _writer?.WaitsForPeer == true;

    public ResponsePipeWriter WriterOf(IResponseBody response, PooledParts parts)
    {
        if (_writer is null)
        {
            _writer = new ResponsePipeWriter(response, parts);
            StopIfLate(response);
        }

        return _writer;
    }

    public Stream StreamOf(IResponseBody response, PooledParts parts, RequestFeatures features)
    {
        if (_stream is null)
        {
            _stream = new ResponseBodyStream(WriterOf(response, parts), features);
            StopIfLate(response);
        }

        return _stream;
    }

    /// <summary>The stream is dead, for a reason of its own.</summary>
    public readonly void StopStream(Exception reason) => _stream?.Stop(reason);

    /// <summary>The request has ended: both are dead.</summary>
    public readonly void Stop()
    {
        _writer?.Stop();
        _stream?.Stop();
    }

    /// <summary>Stops a handle that OnCompleted asks for first.</summary>
    private readonly void StopIfLate(IResponseBody response)
    {
        if (response.IsOver)
        {
            Stop();
        }
    }
}
