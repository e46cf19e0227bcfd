namespace FastCgi.Gateway;

/// <summary>
/// Why a mapped application gave no answer, so that a page for the status can say it. In
/// <see cref="HttpContext.Features"/> of a request that was answered with 502, 503 or 504 in its place, or with a
/// status of 4xx because it cannot be passed on.
/// </summary>
/// <example>
/// <code>
/// app.UseStatusCodePages(pages =&gt; pages.HttpContext.Features.Get&lt;IFastCgiFailureFeature&gt;() is { } failure
///     ? pages.HttpContext.Response.WriteAsync($"The blog gives no answer ({failure.Error}).")
///     : Task.CompletedTask);
/// </code>
/// </example>
public interface IFastCgiFailureFeature
{
    /// <summary>The kind of failure; Unknown if it is none of the client's, for example a full queue.</summary>
    FastCgiError Error { get; }

    /// <summary>The text of the log. It names the endpoint, so it is not for the public.</summary>
    string Reason { get; }

    /// <summary>The cause, or null.</summary>
    Exception? Exception { get; }
}
