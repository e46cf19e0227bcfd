using System.Text;
using Microsoft.AspNetCore.Http;

namespace FastCgi.AspNetCore.Cgi;

/// <summary>How params become a request. Read once for each request, and not to be changed after the start.</summary>
internal sealed class CgiRequestOptions
{
    /// <summary>The largest number of header lines; 100 by default. More are answered with 431.</summary>
    public int MaxRequestHeaderCount { get; init; } = 100;

    /// <summary>The largest total size of the header lines, in bytes; 32 KiB by default. More: 431.</summary>
    public int MaxRequestHeadersTotalSize { get; init; } = 32 * 1024;

    /// <summary>The longest target, in bytes; 8 KiB by default. More: 414.</summary>
    public int MaxRequestLineSize { get; init; } = 8 * 1024;

    /// <summary>The encoding for the values of a header field by its name; null, or a null answer, for UTF-8.</summary>
    public Func<string, Encoding?>? RequestHeaderEncodingSelector { get; init; }

    /// <summary>The base of all paths; empty by default. It comes before what the web server says.</summary>
    public PathString PathBase { get; init; }

    /// <summary>SCRIPT_NAME is where the web server has mounted the application; false by default.</summary>
    public bool PathBaseFromScriptName { get; init; }

    /// <summary>Where the URL is taken from.</summary>
    public CgiTargetSource TargetSource { get; init; }

    /// <summary>The param that holds the client's certificate, such as SSL_CLIENT_CERT; null, the default, for none.</summary>
    public string? ClientCertificateParam { get; init; }

    /// <summary>Makes a new string of every value; false by default.</summary>
    public bool DisableStringReuse { get; init; }
}
