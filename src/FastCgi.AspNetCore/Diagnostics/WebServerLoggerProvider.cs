namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>Loggers that write the entries of a request to its STDERR.</summary>
[ProviderAlias("FastCgiErrorLog")]
internal sealed class WebServerLoggerProvider(IHttpContextAccessor accessor) : ILoggerProvider
{
    /// <summary>Left out, because the server may log under its own locks.</summary>
    private const string OwnCategories = "FastCgi.AspNetCore";

    public ILogger CreateLogger(string categoryName) =>
        new Logger(
            categoryName.StartsWith(OwnCategories, StringComparison.Ordinal) ? null : accessor, categoryName);

    public void Dispose()
    {
    }

    /// <summary>Writes an entry as one line to STDERR of the current request. Without an accessor, nothing.</summary>
    private sealed class Logger(IHttpContextAccessor? accessor, string category) : ILogger
    {
        /// <summary>nginx cuts lines of its error log at 2048 bytes, and appends the client and the request.</summary>
        private const int MostBytes = 1024;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) =>
            accessor is not null && logLevel is >= LogLevel.Warning and < LogLevel.None;

        public void Log<TState>(
            LogLevel logLevel,
            EventId eventId,
            TState state,
            Exception? exception,
            Func<TState, Exception?, string> formatter)
        {
            if (!IsEnabled(logLevel) || accessor!.HttpContext is not { } context)
            {
                return;
            }

            var line = new StringBuilder();
            line.Append(Name(logLevel)).Append(": ").Append(category).Append(": ");
            Append(line, formatter(state, exception));
            if (exception is not null)
            {
                line.Append(" (").Append(exception.GetType().Name).Append(": ");
                Append(line, exception.Message);
                line.Append(')');
            }

            Send(context, Encoding.ASCII.GetBytes(line.ToString(0, Math.Min(line.Length, MostBytes))));
        }

        private static void Send(HttpContext context, byte[] line)
        {
            try
            {
                // One record, which is sent or queued before the call returns. Only the wait for room may take longer.
                _ = context.Features.Get<IFastCgiRequestFeature>()
                    ?.WriteErrorAsync(line, CancellationToken.None).AsTask();
            }
            catch (Exception exception) when (exception is ObjectDisposedException or InvalidOperationException)
            {
                // The request has ended in the meantime.
            }
        }

        private static string Name(LogLevel level) => level switch
        {
            LogLevel.Warning => "warn",
            LogLevel.Error => "fail",
            _ => "crit",
        };

        /// <summary>Escapes all but printable ASCII, so that no client can add lines of its own.</summary>
        private static void Append(StringBuilder line, string text)
        {
            foreach (char character in text)
            {
                if (line.Length >= MostBytes)
                {
                    return;
                }

                if (character is >= ' ' and <= '~' and not '\\')
                {
                    line.Append(character);
                }
                else
                {
                    line.Append(CultureInfo.InvariantCulture, $"\\u{(int)character:X4}");
                }
            }
        }
    }
}
