using System.Collections.Frozen;

namespace FastCgi.Tool.Parameters;

/// <summary>
/// The meaning of each param, and its use by the server (RFC 3875, section 4.1, and additions of web servers).
/// </summary>
internal static class ParameterGuide
{
    private const string HeaderPrefix = "HTTP_";

    private static readonly FrozenDictionary<string, string> s_meanings = new Dictionary<string, string>
    {
        ["REQUEST_METHOD"] = "the method: Request.Method",
        ["REQUEST_URI"] = "the target as the client sent it: Request.Path and QueryString are decoded from it",
        ["QUERY_STRING"] = "the query; used only if REQUEST_URI has none",
        ["SCRIPT_NAME"] = "the decoded path, or where the application is mounted; not used, REQUEST_URI is exact",
        ["PATH_INFO"] = "the decoded rest of the path behind SCRIPT_NAME; not used, REQUEST_URI is exact",
        ["PATH_TRANSLATED"] = "PATH_INFO as a file; not used",
        ["DOCUMENT_URI"] = "the path after nginx's internal redirects; used where it differs from REQUEST_URI",
        ["DOCUMENT_ROOT"] = "the root of the web server's files; not used",
        ["SCRIPT_FILENAME"] = "the file of a script, for PHP; not used",
        ["SERVER_PROTOCOL"] = "the version of HTTP: Request.Protocol",
        ["REQUEST_SCHEME"] = "http or https: Request.Scheme, unless HTTPS says more",
        ["HTTPS"] = "on if the client's connection is encrypted: Request.Scheme",
        ["SERVER_NAME"] = "the web server's name of itself; Request.Host only if there is no HTTP_HOST",
        ["SERVER_PORT"] = "the port that the client connected to: Connection.LocalPort",
        ["SERVER_ADDR"] = "the address that the client connected to: Connection.LocalIpAddress",
        ["SERVER_SOFTWARE"] = "the web server and its version",
        ["GATEWAY_INTERFACE"] = "the version of CGI",
        ["REMOTE_ADDR"] = "the client's address: Connection.RemoteIpAddress",
        ["REMOTE_PORT"] = "the client's port: Connection.RemotePort",
        ["REMOTE_USER"] = "a name; proof only if the web server checked it: AddFastCgiUser",
        ["REMOTE_IDENT"] = "a name by RFC 1413; not used",
        ["AUTH_TYPE"] = "how the web server authenticated; not used",
        ["CONTENT_LENGTH"] = "the length of the body: Request.ContentLength",
        ["CONTENT_TYPE"] = "the type of the body: Request.ContentType",
        ["REDIRECT_STATUS"] = "for php-cgi; not used",
        ["SCGI"] = "1, the mark of SCGI",
        ["HTTP_HOST"] = "the header Host: Request.Host",
        ["HTTP_PROXY"] = "the client's header Proxy; ignored, because programs take it for their own proxy (httpoxy)",
        ["HTTP_CONTENT_LENGTH"] = "a header; ignored, CONTENT_LENGTH decides",
        ["HTTP_CONTENT_TYPE"] = "a header; ignored, CONTENT_TYPE decides",
        ["ASPNETCORE_PATHBASE"] = "where the application is mounted: Request.PathBase",
        ["SSL_CLIENT_CERT"] =
            "the client's certificate: Connection.ClientCertificate, if ClientCertificateParameter names it",
        ["SSL_PROTOCOL"] = "the version of TLS: ITlsHandshakeFeature",
        ["SSL_CIPHER"] = "the cipher of TLS: ITlsHandshakeFeature",
    }.ToFrozenDictionary(StringComparer.Ordinal);

    public static string MeaningOf(string name)
    {
        if (s_meanings.TryGetValue(name, out string? meaning))
        {
            return meaning;
        }

        if (name.StartsWith(HeaderPrefix, StringComparison.Ordinal))
        {
            string header = name[HeaderPrefix.Length..].Replace('_', '-').ToLowerInvariant();
            return $"the client's header {header}: Request.Headers";
        }

        return $"HttpContext.GetServerVariable(\"{name}\")";
    }
}
