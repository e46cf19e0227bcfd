using System.IO.Pipelines;
using FastCgi.AspNetCore.Cgi;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Requests;

// The response's head: writable until the response starts, then fixed.
internal sealed partial class RequestFeatures : IHttpResponseFeature, IHttpResponseBodyFeature,
    IConnectionCompleteFeature
{
    private readonly ResponseHeaderDictionary _ownResponseHeaders;

    // Not readonly, because these are mutable structs.
    private CallbackStack _onStarting;
    private CallbackStack _onCompleted;
    private CallbackStack _onConnectionCompleted;

    /// <summary>For the server itself, which may change the status after the start too, for loggers.</summary>
    internal int StatusCode { get; set; } = StatusCodes.Status200OK;

    internal string? ReasonPhrase { get; private set; }

    internal IHeaderDictionary ResponseHeaders { get; private set; }

    int IHttpResponseFeature.StatusCode
    {
        get => StatusCode;
        set
        {
            ThrowIfStarted("The status code");
            StatusCode = value;
        }
    }

    string? IHttpResponseFeature.ReasonPhrase
    {
        get => ReasonPhrase;
        set
        {
            ThrowIfStarted("The reason phrase");
            ReasonPhrase = value;
        }
    }

    IHeaderDictionary IHttpResponseFeature.Headers
    {
        get => ResponseHeaders;
        set
        {
            ThrowIfStarted("The headers");
            ResponseHeaders = value ?? _ownResponseHeaders;
        }
    }

    bool IHttpResponseFeature.HasStarted => Response.HasStarted;

    /// <summary>Makes the headers read-only: later changes throw.</summary>
    internal void FreezeResponse()
    {
        if (ReferenceEquals(ResponseHeaders, _ownResponseHeaders))
        {
            _ownResponseHeaders.Freeze();
        }
        else if (ResponseHeaders is HeaderDictionary headers)
        {
            headers.IsReadOnly = true;
        }
    }

    /// <summary>Drops everything that the application prepared, because it failed before the start.</summary>
    internal void ResetResponseForError()
    {
        ResponseHeaders = _ownResponseHeaders;
        _ownResponseHeaders.Reset();
        ReasonPhrase = null;
        _onStarting.Clear();
    }

    private void ThrowIfStarted(string what)
    {
        if (Response.HasStarted)
        {
            throw new InvalidOperationException($"{what} cannot be set any more: the response has started.");
        }
    }

    Stream IHttpResponseBodyFeature.Stream => Response.Stream;

    PipeWriter IHttpResponseBodyFeature.Writer => Response.BodyWriter;

#pragma warning disable CS0618 // The old way to the body is part of the interface, and old middleware uses it.
    Stream IHttpResponseFeature.Body
#pragma warning restore CS0618
    {
        get => ((IHttpResponseBodyFeature)GetSlot(FeatureSlot.ResponseBody)!).Stream;
        set => SetSlot(
            FeatureSlot.ResponseBody,
            ReferenceEquals(value, Response.Stream) ? this : new StreamResponseBodyFeature(value, this));
    }

    void IHttpResponseBodyFeature.DisableBuffering() => Response.DisableBuffering();

    Task IHttpResponseBodyFeature.StartAsync(CancellationToken cancellationToken)
        => Response.StartAsync(cancellationToken);

    Task IHttpResponseBodyFeature.SendFileAsync(
        string path, long offset, long? count, CancellationToken cancellationToken)
        => Response.SendFileAsync(path, offset, count, cancellationToken);

    Task IHttpResponseBodyFeature.CompleteAsync() => Response.CompleteAsync();

    internal bool HasOnStartingCallbacks => !_onStarting.IsEmpty;

    void IHttpResponseFeature.OnStarting(Func<object, Task> callback, object state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        ThrowIfStarted("An OnStarting callback");
        _onStarting.Push(callback, state);
    }

    void IHttpResponseFeature.OnCompleted(Func<object, Task> callback, object state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        ThrowIfOver();
        _onCompleted.Push(callback, state);
    }

    /// <summary>
    /// Called at the end of the request, not of the socket: independent clients share the socket, and data for "the
    /// connection" must not pass from one client to the next.
    /// </summary>
    void IConnectionCompleteFeature.OnCompleted(Func<object, Task> callback, object state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        ThrowIfOver();
        _onConnectionCompleted.Push(callback, state);
    }

    /// <summary>Runs the callbacks, including those that they register, last in, first out, until one throws.</summary>
    internal async Task FireOnStartingAsync()
    {
        try
        {
            while (_onStarting.TryPop(out var callback, out var state))
            {
                await callback(state!).ConfigureAwait(false);
            }
        }
        catch
        {
            _onStarting.Clear();
            throw;
        }
    }

    /// <summary>Runs all callbacks. An exception is reported and does not prevent the others from running.</summary>
    internal Task FireOnCompletedAsync()
        => _onCompleted.IsEmpty && _onConnectionCompleted.IsEmpty ? Task.CompletedTask : RunOnCompletedAsync();

    private async Task RunOnCompletedAsync()
    {
        while (_onCompleted.TryPop(out var callback, out var state)
            || _onConnectionCompleted.TryPop(out callback, out state))
        {
            try
            {
                await callback(state!).ConfigureAwait(false);
            }
#pragma warning disable CA1031 // Whatever the application throws here must not keep its other callbacks from running.
            catch (Exception exception)
#pragma warning restore CA1031
            {
                Response.OnCompletedFailed(exception);
            }
        }
    }

    /// <summary>Callbacks that run last in, first out. An empty stack costs one reference.</summary>
    private struct CallbackStack
    {
        private Entry? _top;

        internal readonly bool IsEmpty => _top is null;

        internal void Push(Func<object, Task> callback, object state) => _top = new Entry(callback, state, _top);

        internal bool TryPop([NotNullWhen(true)] out Func<object, Task>? callback, out object? state)
        {
            Entry? top = _top;
            _top = top?.Below;
            callback = top?.Callback;
            state = top?.State;
            return callback is not null;
        }

        internal void Clear() => _top = null;

        private sealed record Entry(Func<object, Task> Callback, object State, Entry? Below);
    }
}
