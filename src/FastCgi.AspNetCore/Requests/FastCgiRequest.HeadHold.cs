using FastCgi.AspNetCore.Requests.Response;

namespace FastCgi.AspNetCore.Requests;

/// <summary>Whether the head of the response has to wait for the request body; <see cref="UploadHold"/> has the rule.</summary>
internal sealed partial class FastCgiRequest
{
    private UploadHold? _headHold;

    /// <summary>
    /// Asked before a flush of <paramref name="more"/> further bytes. Null: go on, and what is flushed leaves, or is
    /// kept until it may. Else the flush has to wait for the task.
    /// </summary>
    public Task? WaitForBody(long more) =>
        Body.IsAwaitedByReader && !_output.IsHeadOut ? HoldHead(more) : null;

    private Task? HoldHead(long more)
    {
        _headHold ??= UploadHold.Begin(Body, _output, _server.TimeProvider);
        return _headHold.Ended.IsCompleted || _output.BufferedBytes + more <= UploadHold.MaxBytes
            ? null
            : _headHold.Ended;
    }
}
