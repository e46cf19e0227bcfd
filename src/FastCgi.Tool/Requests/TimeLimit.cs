namespace FastCgi.Tool.Requests;

/// <summary>The time limit of a request, from the connection to the last byte of the response.</summary>
internal static class TimeLimit
{
    /// <param name="endpoint">The endpoint as the user wrote it.</param>
    /// <param name="timeout">The limit.</param>
    /// <param name="action">Sends the request and reads the response.</param>
    /// <param name="cancellationToken">Cancelled by Ctrl+C, which is no timeout.</param>
    /// <exception cref="ToolException">The time is up.</exception>
    public static async Task<T> RunAsync<T>(
        string endpoint,
        TimeSpan timeout,
        Func<CancellationToken, Task<T>> action,
        CancellationToken cancellationToken)
    {
        using var timed = new CancellationTokenSource(timeout, TimeProvider.System);
        using var linked = CancellationTokenSource.CreateLinkedTokenSource(timed.Token, cancellationToken);
        try
        {
            return await action(linked.Token);
        }
        catch (OperationCanceledException exception) when (!cancellationToken.IsCancellationRequested)
        {
            throw new ToolException(ExitCode.Timeout, Message(endpoint, timeout), exception);
        }
    }

    private static string Message(string endpoint, TimeSpan timeout)
    {
        string seconds = timeout.TotalSeconds.ToString(CultureInfo.InvariantCulture);
        return $"no complete response from {endpoint} within {seconds} s. Check that the application runs and " +
            "answers, or raise --timeout.";
    }
}
