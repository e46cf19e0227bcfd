namespace FastCgi.Gateway;

/// <summary>
/// The reason why a mapped application gave no answer, for a status page. In <see cref="HttpContext.Features"/> of a
/// request that was answered with 502, 503 or 504 instead, or with a 4xx status because it could not be passed on.
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
    /// <summary>The kind of failure; Unknown if it is none of the client package's, for example a full queue.</summary>
    FastCgiError Error { get; }

    /// <summary>The text of the log. It names the endpoint, so do not show it to the public.</summary>
    string Reason { get; }

    /// <summary>The cause, or null.</summary>
    Exception? Exception { get; }
}
