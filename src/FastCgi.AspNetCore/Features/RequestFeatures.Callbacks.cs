using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// What runs when the response starts and when the request is over.
internal sealed partial class RequestFeatures : IConnectionCompleteFeature
{
    // Not readonly: structs that change.
    private CallbackStack _onStarting;
    private CallbackStack _onCompleted;
    private CallbackStack _onConnectionCompleted;

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
    /// The end of the request, not of the socket: clients that know nothing of each other share that one, and what
    /// is kept for "the connection" must not pass from one to the next.
    /// </summary>
    void IConnectionCompleteFeature.OnCompleted(Func<object, Task> callback, object state)
    {
        ArgumentNullException.ThrowIfNull(callback);
        ThrowIfOver();
        _onConnectionCompleted.Push(callback, state);
    }

    /// <summary>
    /// Runs the callbacks, and those that they register, last in first out. The first one that throws ends it and
    /// is the application's error.
    /// </summary>
    internal Task FireOnStartingAsync() => _onStarting.IsEmpty ? Task.CompletedTask : RunOnStartingAsync();

    /// <summary>Runs all callbacks; one that throws is reported and does not keep the others from running.</summary>
    internal Task FireOnCompletedAsync()
        => _onCompleted.IsEmpty && _onConnectionCompleted.IsEmpty ? Task.CompletedTask : RunOnCompletedAsync();

    private async Task RunOnStartingAsync()
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
}
