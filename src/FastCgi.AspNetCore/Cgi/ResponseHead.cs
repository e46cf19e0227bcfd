using System.Text;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>The head of a response, ready to be written.</summary>
internal readonly struct ResponseHead
{
    /// <summary>200 to 999; 101 for an upgrade.</summary>
    public required int StatusCode { get; init; }

    /// <summary>The application's text for the status; null or empty for the usual one.</summary>
    public string? ReasonPhrase { get; init; }

    /// <summary>Any dictionary: an application may have put its own in the place of ours.</summary>
    public required IHeaderDictionary Headers { get; init; }

    /// <summary>
    /// For an authorizer's answer and for an upgrade. lighttpd judges each line as it comes: it takes an authorizer's
    /// headers before the status for part of a permission, and drops Upgrade before a status of 101.
    /// </summary>
    public bool StatusFirst { get; init; }

    /// <summary>The head of an upgrade, which alone has <c>Connection</c> and <c>Upgrade</c>.</summary>
    public bool Upgrades { get; init; }

    /// <summary>Adds <c>X-Accel-Buffering: no</c>, unless the application says something about it.</summary>
    public bool DisableBuffering { get; init; }

    /// <summary>
    /// Adds <c>X-Accel-Expires: 0</c>, unless the application says something about it. For HEAD: nginx would keep the
    /// response without a body as the page, and show it for GET. It does not pass the header on.
    /// </summary>
    public bool DisableCaching { get; init; }

    /// <summary>Adds <c>Server</c>, unless the application does.</summary>
    public bool AddServerHeader { get; init; }

    /// <summary>
    /// The header that names to the web server the file that it is to send as the body; null for none.
    /// </summary>
    public string? FileHeaderName { get; init; }

    /// <summary>Written in UTF-8, as a file system has it.</summary>
    public string? FileHeaderValue { get; init; }

    /// <summary>The encoding for the values of a header by its name; null, or a null answer, for ASCII.</summary>
    public Func<string, Encoding?>? EncodingSelector { get; init; }
}
