namespace FastCgi.WebServerKit;

/// <summary>What a process wrote to standard error, line by line; a test can wait for a line.</summary>
internal sealed class ErrorLog
{
    private readonly Lock _lock = new();
    private readonly List<string> _lines = [];
    private readonly List<(Predicate<string> IsWanted, TaskCompletionSource<string> Found)> _waiting = [];

    public IReadOnlyList<string> Lines
    {
        get
        {
            lock (_lock)
            {
                return [.. _lines];
            }
        }
    }

    /// <summary>The first line of that kind, written already or to come.</summary>
    public Task<string> FirstAsync(Predicate<string> isWanted)
    {
        var found = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_lock)
        {
            if (_lines.Find(isWanted) is { } line)
            {
                return Task.FromResult(line);
            }

            _waiting.Add((isWanted, found));
        }

        return found.Task;
    }

    /// <inheritdoc cref="FirstAsync"/>
    public Task<string> WaitForAsync(string part) =>
        FirstAsync(line => line.Contains(part, StringComparison.Ordinal)).Within($"'{part}' in the log", ToString);

    public void Add(string line)
    {
        lock (_lock)
        {
            _lines.Add(line);
            _waiting.RemoveAll(waiter => waiter.IsWanted(line) && waiter.Found.TrySetResult(line));
        }
    }

    public override string ToString() => string.Join(Environment.NewLine, Lines);
}
