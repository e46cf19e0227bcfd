using System.Collections.Frozen;

namespace FastCgi.Tool.Parameters;

/// <summary>
/// The meaning of each param, and its use by the server (RFC 3875, section 4.1, and additions of web servers).
/// </summary>
internal static class ParameterGuide
{
    private const string HeaderPrefix = "HTTP_";
    private const string NotInHeaders = "not in Request.Headers";
    private const string RootMeaning =
        "the root of files: a SCRIPT_FILENAME of Apache below it is a file, and not the path: Request.Path";

    private static readonly FrozenDictionary<string, string> s_meanings = new Dictionary<string, string>
    {
        ["REQUEST_METHOD"] = "the method: Request.Method",
        ["REQUEST_URI"] = "the target as the client sent it: Request.Path and QueryString are decoded from it",
        ["UNENCODED_URL"] = "the target as the client sent it, by IIS: Request.Path, before REQUEST_URI",
        ["URL"] = "the decoded path, by IIS; not used",
        ["QUERY_STRING"] = "the query, also that of an internal redirect: Request.QueryString",
        ["DOCUMENT_URI"] =
            "the decoded path that nginx asks for: Request.Path where REQUEST_URI is another one, as in an internal " +
            "redirect",
        ["SCRIPT_NAME"] =
            "the decoded path, or its first part; with PATH_INFO in place of DOCUMENT_URI, if that is missing: " +
            "Request.Path",
        ["PATH_INFO"] = "the decoded path behind SCRIPT_NAME, and used with it: Request.Path",
        ["PATH_TRANSLATED"] = "PATH_INFO as a file; not used",
        ["REDIRECT_URI"] = "the path that lighttpd asks for: Request.Path where REQUEST_URI is another one",
        ["SCRIPT_FILENAME"] =
            "the file of a script, for PHP; only proxy:fcgi://app/path of Apache is the path that it asks for: " +
            "Request.Path",
        ["DOCUMENT_ROOT"] = RootMeaning,
        ["CONTEXT_DOCUMENT_ROOT"] = RootMeaning,
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
        ["AUTH_TYPE"] = "how the web server authenticated; without it, AddFastCgiUser signs nobody in",
        ["CONTENT_LENGTH"] = "the length of the body: Request.ContentLength",
        ["CONTENT_TYPE"] = "the type of the body: Request.ContentType",
        ["REDIRECT_STATUS"] = "for php-cgi; not used",
        ["SCGI"] = "1, the mark of SCGI",
        ["HTTP_HOST"] = "the header Host: Request.Host",
        ["HTTP_PROXY"] =
            $"the client's header proxy; {NotInHeaders}, because programs take it for their own proxy (httpoxy)",
        ["HTTP_CONTENT_LENGTH"] = $"a header; {NotInHeaders}, CONTENT_LENGTH is",
        ["HTTP_CONTENT_TYPE"] = $"a header; {NotInHeaders}, CONTENT_TYPE is",
        ["HTTP_CONNECTION"] = $"the client's header connection; {NotInHeaders}, unless it asks for an upgrade",
        ["HTTP_KEEP_ALIVE"] = $"the client's header keep-alive, for the web server alone; {NotInHeaders}",
        ["HTTP_TE"] = $"the client's header te, for the web server alone; {NotInHeaders}",
        ["HTTP_EXPECT"] = $"the client's header expect, for the web server alone; {NotInHeaders}",
        ["HTTP_TRANSFER_ENCODING"] =
            "the client's header transfer-encoding: Request.Headers, if there is a body and no CONTENT_LENGTH",
        ["REDIRECT_HTTP_AUTHORIZATION"] =
            "the client's header authorization, by Apache: Request.Headers, if there is no HTTP_AUTHORIZATION",
        ["ASPNETCORE_PATHBASE"] =
            "where the application is mounted: Request.PathBase, unless the option PathBase is set",
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
            return IsForwarding(header)
                ? $"the client's header {header}; {NotInHeaders}, unless AllowForwardedHeaders is set"
                : $"the client's header {header}: Request.Headers";
        }

        return $"HttpContext.GetServerVariable(\"{name}\")";
    }

    /// <summary>True for a header in which a proxy describes a client. A client can send it too.</summary>
    private static bool IsForwarding(string header) =>
        header is "forwarded" or "x-real-ip" or "x-forwarded"
        || header.StartsWith("x-forwarded-", StringComparison.Ordinal)
        || header.StartsWith("x-original-", StringComparison.Ordinal);
}
