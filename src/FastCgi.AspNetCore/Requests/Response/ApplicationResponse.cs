using System.Diagnostics;
using System.IO.Pipelines;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Features;
using FastCgi.AspNetCore.Files;
using FastCgi.Protocol;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>
/// The response of one request as the application's flow drives it: OnStarting, the head, the rules of the body, and
/// the end, whole or torn. A new object for each request: what goes on after the request has ended moves a dead
/// response.
/// </summary>
internal sealed class ApplicationResponse(PooledParts parts, RequestFeatures features, AbortSignal abort)
    : IResponseControl, IFileResponse
{
    // Written by the application's flow. The connection reads it for a log, and when it tears the response.
    private volatile ResponsePhase _phase;
    private ResponseLength _length;
    private ApplicationFailure _failure;
    private OnStartingRun? _onStarting;
    private bool _isUnbuffered;
    private UploadHold? _uploadHold;
    private BodyHandles _handles;

    /// <inheritdoc cref="IResponseControl.HasStarted"/>
    public bool HasStarted => _phase >= ResponsePhase.Started;

    public bool IsAborted => abort.IsAborted;

    public CancellationToken RequestAborted => abort.Token;

    /// <summary>The exception that the application failed with; null while there is none.</summary>
    public Exception? ApplicationError => _failure.Error;

    public bool IsCompleted { get; private set; }

    public bool IsOver { get; private set; }

    /// <summary>The wire is done with the request: the application alone has it.</summary>
    public bool IsOffTheWire { get; private set; }

    /// <summary>Bytes of the body so far, while a write waits for the web server; null while none does.</summary>
    public long? WrittenWhileWaiting => _handles.WaitsForPeer ? _length.Written : null;

    public bool IsBodyDropped => _length.IsForbidden || IsAborted;

    public Stream Stream => _handles.StreamOf(this, parts, features);

    PipeWriter IResponseControl.Writer => BodyWriter;

    public ResponsePipeWriter BodyWriter => _handles.WriterOf(this, parts);

    /// <summary>The head to come switches protocols; both directions are the application's behind it.</summary>
    public bool IsUpgrade { get; private set; }

    /// <summary>Its end is still to come, and somebody is there to take it.</summary>
    public bool IsOpen => !IsEnded && !IsAborted;

    private bool IsEnded => _phase is ResponsePhase.Ended or ResponsePhase.Torn or ResponsePhase.Dropped;

    private bool IsSwitching => IsUpgrade && features.StatusCode == StatusCodes.Status101SwitchingProtocols;

    private bool IsHead => HttpMethods.IsHead(parts.Head.Cgi.Method);

    public void DisableBuffering() => _isUnbuffered = true;

    /// <summary>Makes the head the one of an upgrade, which is written next.</summary>
    public void Upgrade()
    {
        IsUpgrade = true;
        features.Upgrade();
    }

    /// <summary>The stream of the body is dead from here on, for a reason of its own.</summary>
    public void StopStream(Exception reason) => _handles.StopStream(reason);

    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (HasStarted || _phase == ResponsePhase.Dropped)
        {
            return Task.CompletedTask;
        }

        cancellationToken.ThrowIfCancellationRequested();
        ThrowIfRefused();
        if (features.HasOnStartingCallbacks)
        {
            return RunOnStarting(StartIfStarting);
        }

        // A callback that writes starts the response itself.
        Start(isWhole: false);
        return Task.CompletedTask;
    }

    public async Task CompleteAsync()
    {
        if (IsEnded || IsAborted)
        {
            IsCompleted = true;
            return;
        }

        await StartAtEndAsync().ConfigureAwait(false);
        if (!IsAborted)
        {
            _length.Verify(features);
        }

        IsCompleted = true;
        EndOnWire();
    }

    public Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken) =>
        new FileSender(this, BodyWriter, parts, features).SendAsync(path, offset, count, cancellationToken);

    /// <summary>HttpContext.Abort(): the client is to see that the response broke off.</summary>
    public void Abort()
    {
        if (IsAborted || IsEnded)
        {
            return;
        }

        RequestLog.ApplicationAborted(parts.Server.RequestLog, parts.Slot.Connection.Id, features.TraceIdentifier);
        Break();
    }

    public void OnCompletedFailed(Exception exception) =>
        RequestLog.ApplicationError(
            parts.Server.RequestLog, exception, parts.Slot.Connection.Id, features.TraceIdentifier);

    /// <summary>The application returned: what has not started starts, or its error is reported.</summary>
    public ValueTask EnsureStartedAsync() =>
        _phase <= ResponsePhase.Refused && ApplicationError is null && !IsAborted ? StartOrReportAsync() : default;

    /// <summary>Hands the end to the connection: whole, an error, or torn.</summary>
    public void EndOrFail()
    {
        // Before the end is on the wire: the next request may run before this thread gets any further.
        IsOver = true;
        _handles.Stop();
        if (!IsEnded)
        {
            if (IsAborted)
            {
                features.StatusCode = HasStarted ? features.StatusCode : StatusCodes.Status499ClientClosedRequest;
                Move(ResponseEvent.Break);
            }
            else
            {
                VerifyAtEnd();
                EndAs(ResponsePhases.OutcomeOf(
                    HasStarted, hasFailed: ApplicationError is not null, _length.IsForbidden));
            }
        }

        abort.Disarm();
    }

    /// <summary>The server failed on this request; nothing more of the response is sent.</summary>
    public void Fail()
    {
        IsOver = true;
        _handles.Stop();
        abort.Disarm();
        if (!IsEnded)
        {
            Tear();
        }
    }

    public void ReportError(Exception exception) =>
        _failure.Report(exception, parts, features, isClientGone: IsAborted || (IsUpgrade && parts.Body.HasEnded));

    public void ThrowIfUnwritable()
    {
        if (IsCompleted) { throw ((IFileResponse)this).Completed(); }

        ThrowIfRefused();
    }

    public bool LeavesWhole() => abort.IsResponseWhole = _length.IsReached(features);

    public void Count(long bytes) => _length.Count(bytes, parts, features, IsAborted);

    public void Uncount(long bytes) => _length.Written -= bytes;

    public void Cut() => _length.IsCut = true;

    public Task? WaitForUpload(long more) =>
        parts.Body.IsAwaitedByReader && !parts.Records.IsHeadOut
            ? (_uploadHold ??= UploadHold.Begin(parts)).WaitForRoom(more)
            : null;

    public void Complete(Exception? exception)
    {
        IsCompleted = true;
        if (exception is not null)
        {
            ReportError(exception);
        }
        else if (!IsAborted)
        {
            _length.Verify(features);
        }
    }

    public ValueTask RunCallbacksAsync() =>
        _phase <= ResponsePhase.Starting && features.HasOnStartingCallbacks
            ? new ValueTask(RunOnStarting(andThen: null))
            : default;

    public bool HasContent => HasStarted || _length.Written > 0;

    public HandedOverFile? HandedOver { get; set; }

    private void ThrowIfRefused()
    {
        if (_phase == ResponsePhase.Refused)
        {
            throw new ObjectDisposedException(
                "The response cannot be written: an OnStarting callback failed.", _onStarting!.Failure);
        }
    }

    private Task RunOnStarting(Action? andThen)
    {
        Move(ResponseEvent.RunCallbacks);
        _onStarting ??= new OnStartingRun();
        return _onStarting.RunAsync(features, andThen, OnCallbackFailed);
    }

    private void OnCallbackFailed(Exception exception)
    {
        if (_phase == ResponsePhase.Starting)
        {
            Move(ResponseEvent.FailCallbacks);
        }

        _handles.StopStream(exception);
    }

    private void StartIfStarting()
    {
        if (_phase == ResponsePhase.Starting)
        {
            Start(isWhole: false);
        }
    }

    private async ValueTask StartOrReportAsync()
    {
        try
        {
            // A write that the application did not await still runs its callbacks; the head waits for them.
            await (_onStarting?.Task ?? Task.CompletedTask).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            await StartAtEndAsync().ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            ReportError(exception);
        }
    }

    /// <summary>
    /// The response ends here: a body of nothing has a known length. A callback may ask for it, so this waits for none
    /// that runs.
    /// </summary>
    private async ValueTask StartAtEndAsync()
    {
        await RunCallbacksAsync().ConfigureAwait(false);
        if (_phase == ResponsePhase.Refused)
        {
            // The application may have caught what its write met, and nobody has heard of it yet.
            throw _onStarting!.Failure!;
        }

        if (!HasStarted && !IsEnded)
        {
            // Judged before the head is final, so that the client gets a 500 and not a broken response.
            _length.VerifyUnstarted(features, IsHead);
            Start(isWhole: true);
        }
    }

    private void Start(bool isWhole, bool isError = false)
    {
        bool isForbidden = (IsHead || HandedOver is not null || ResponseLength.StatusForbidsBody(features.StatusCode))
            && !IsSwitching;
        if (isForbidden && _length.Written > (IsHead ? 0 : parts.Records.UnflushedBytes(this)))
        {
            // A write that starts the response. What the pipe took before is dropped, as Kestrel does.
            _length.RefuseBody(parts, features);
        }

        _length.Start(features, isForbidden, isWhole);
        if (isForbidden)
        {
            // What was written before the start has nowhere to go.
            parts.Records.DiscardUnstarted(this);
        }

        if (!IsAborted)
        {
            HeadSender.Write(this, parts, features, IsSwitching, _isUnbuffered, HandedOver);
        }

        Move(isError ? ResponseEvent.StartError : ResponseEvent.Start);
        features.FreezeResponse();
    }

    private void VerifyAtEnd()
    {
        if (ApplicationError is null && HasStarted)
        {
            try
            {
                _length.Verify(features);
            }
            catch (InvalidOperationException exception)
            {
                ReportError(exception);
            }
        }
    }

    private void EndAs(ResponseOutcome outcome)
    {
        switch (outcome)
        {
            case ResponseOutcome.Whole:
                EndOnWire();
                break;
            case ResponseOutcome.Error:
                EndWithStatus(_failure.StatusCode);
                break;
            default:
                Tear();
                break;
        }
    }

    private void EndWithStatus(int status)
    {
        parts.Records.DiscardUnstarted(this);
        _length = default;
        HandedOver = null;
        features.ResetResponseForError();
        features.StatusCode = status;
        Start(isWhole: true, isError: true);
        EndOnWire();
    }

    /// <summary>The connection says which records end the response; an abort may have ended it already.</summary>
    private void EndOnWire()
    {
        if (!IsEnded)
        {
            Move(ResponseEvent.End);
            abort.IsResponseWhole = true;
            IsOffTheWire = parts.Records.EndThrough(parts.Slot, ProtocolStatus.RequestComplete);
        }
    }

    private void Tear()
    {
        Move(ResponseEvent.Break);
        Break();
    }

    /// <summary>Sends the buffered bytes, and a record behind them that no web server takes for an end.</summary>
    private void Break()
    {
        if (HasStarted)
        {
            parts.Records.Break(this);
        }

        abort.Fire();
        parts.Slot.Tear(this);
    }

    private void Move(ResponseEvent @event)
    {
        ResponsePhase? next = ResponsePhases.After(_phase, @event);
        Debug.Assert(next is not null, $"{@event} in {_phase}.");
        _phase = next ?? _phase;
    }
}
