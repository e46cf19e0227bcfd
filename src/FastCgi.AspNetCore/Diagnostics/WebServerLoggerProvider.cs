using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Diagnostics;

/// <summary>Loggers that write what is logged within a request to its STDERR.</summary>
[ProviderAlias("FastCgiErrorLog")]
internal sealed class WebServerLoggerProvider(IHttpContextAccessor accessor) : ILoggerProvider
{
    /// <summary>The server's own entries may come under its locks.</summary>
    private const string OwnCategories = "FastCgi.AspNetCore";

    public ILogger CreateLogger(string categoryName) =>
        new WebServerLogger(
            categoryName.StartsWith(OwnCategories, StringComparison.Ordinal) ? null : accessor, categoryName);

    public void Dispose()
    {
    }
}
