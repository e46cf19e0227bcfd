using System.Collections.Concurrent;

namespace FastCgi.TestingApp;

/// <summary>What happened in the application, for tests to wait for; and what a test lets happen there.</summary>
public sealed class Witness
{
    public const int LargePiece = 64 * 1024;
    public const int LargePieces = 256;

    private readonly ConcurrentDictionary<string, TaskCompletionSource> _events = new();

    /// <summary>Says that it has happened.</summary>
    public void Report(string what) => Event(what).TrySetResult();

    /// <summary>Returns when it has happened.</summary>
    public Task AwaitAsync(string what) => Event(what).Task;

    /// <summary>It has happened.</summary>
    public bool Has(string what) => Event(what).Task.IsCompleted;

    private TaskCompletionSource Event(string what) => _events.GetOrAdd(
        what, static _ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
}
