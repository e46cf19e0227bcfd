using FastCgi.AspNetCore.Features;

namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>The OnStarting callbacks of one response under way: once, and what one fails with is kept.</summary>
internal sealed class OnStartingRun
{
    /// <summary>Completes when the callbacks have run, and fails as they do.</summary>
    public Task Task { get; private set; } = Task.CompletedTask;

    /// <summary>What a callback threw; null while none did.</summary>
    public Exception? Failure { get; private set; }

    /// <summary>Runs the callbacks, then <paramref name="onSuccess"/> or <paramref name="onFailure"/>.</summary>
    public Task RunAsync(RequestFeatures features, Action? onSuccess, Action<Exception> onFailure) =>
        Task = RunOnceAsync(features, onSuccess, onFailure);

    private async Task RunOnceAsync(RequestFeatures features, Action? onSuccess, Action<Exception> onFailure)
    {
        try
        {
            await features.FireOnStartingAsync().ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            Failure = exception;
            onFailure(exception);
            throw;
        }

        onSuccess?.Invoke();
    }
}
