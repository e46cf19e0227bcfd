using System.Net.Http.Headers;
using FastCgi.Client.Php;

namespace FastCgi.Client.Requests;

/// <summary>The parameters of a request (RFC 3875, section 4.1), and those that web servers add.</summary>
internal static class RequestParameters
{
    private const int LongestNameOnStack = 128;

    /// <summary>Writes the whole head of a request.</summary>
    /// <param name="plan">The request.</param>
    /// <param name="rules">The rules for all requests of the handler.</param>
    /// <param name="writer">The writer for the wire format.</param>
    public static void Write(RequestPlan plan, RequestRules rules, IParameterWriter writer)
    {
        writer.Begin();
        var sink = new ParameterSink(writer, rules, plan.Parameters);
        WriteBody(ref sink, plan, rules);
        WriteTarget(ref sink, plan, rules);
        WriteEnds(ref sink, plan);
        WriteHeaders(ref sink, plan.Request.Headers.NonValidated, rules, plan.IsUpgrade);
        if (plan.Content is { } content)
        {
            WriteHeaders(ref sink, content.Headers.NonValidated, rules, isUpgrade: false);
        }

        sink.End();
        writer.End();
    }

    private static void WriteBody(ref ParameterSink sink, RequestPlan plan, RequestRules rules)
    {
        bool expectsBody = plan.Method is "POST" or "PUT" or "PATCH";
        sink.AddFirst(
            "CONTENT_LENGTH"u8,
            plan.Content is null ? rules.IsScgi || expectsBody ? 0 : null : plan.ContentLength,
            isRequired: rules.IsScgi);
        if (rules.IsScgi)
        {
            sink.Add("SCGI"u8, "1"u8);
        }

        if (plan.Content is { } content
            && content.Headers.NonValidated.TryGetValues("Content-Type", out HeaderStringValues type))
        {
            sink.Add("CONTENT_TYPE"u8, Checked("Content-Type", type.ToString()));
        }
    }

    private static void WriteTarget(ref ParameterSink sink, RequestPlan plan, RequestRules rules)
    {
        sink.Add("REQUEST_METHOD"u8, plan.Method);
        sink.Add("REQUEST_URI"u8, plan.Target);
        sink.Add("QUERY_STRING"u8, plan.Query);
        if (plan.Script is { } script && rules.Scripts is { } scripts)
        {
            WriteScript(ref sink, script, scripts.DocumentRoot, plan.PathBase);
            return;
        }

        sink.Add("DOCUMENT_URI"u8, plan.Path);
        sink.Add("SCRIPT_NAME"u8, plan.PathBase);
        sink.Add("PATH_INFO"u8, plan.PathBelow);
    }

    private static void WriteScript(ref ParameterSink sink, Script script, byte[] root, byte[] pathBase)
    {
        byte[] name = [.. pathBase, .. script.Name];
        sink.Add("DOCUMENT_ROOT"u8, root);
        sink.Add("SCRIPT_FILENAME"u8, (ReadOnlySpan<byte>)[.. root is [(byte)'/'] ? [] : root, .. script.Name]);
        sink.Add("SCRIPT_NAME"u8, name);
        sink.Add("DOCUMENT_URI"u8, (ReadOnlySpan<byte>)[.. name, .. script.PathInfo]);
        sink.Add("PATH_INFO"u8, script.PathInfo);
        if (script.PathInfo.Length > 0)
        {
            sink.Add("PATH_TRANSLATED"u8, (ReadOnlySpan<byte>)[.. root, .. script.PathInfo]);
        }

        // php-cgi refuses requests without it (cgi.force_redirect).
        sink.Add("REDIRECT_STATUS"u8, "200"u8);
    }

    /// <summary>Writes the two ends of the client's connection, as far as the caller knows them.</summary>
    private static void WriteEnds(ref ParameterSink sink, RequestPlan plan)
    {
        HttpRequestMessage request = plan.Request;
        Uri uri = request.RequestUri!;
        bool isSecure = uri.Scheme is "https" or "wss";

        // As sent: the caller may have checked this text, and .NET's parser refuses some values that servers accept.
        string host = request.Headers.NonValidated.TryGetValues("Host", out HeaderStringValues own)
            ? Checked("Host", own.ToString())
            : HostOf(uri);
        sink.Add("GATEWAY_INTERFACE"u8, "CGI/1.1"u8);
        sink.Add("SERVER_SOFTWARE"u8, "FastCgi.Client"u8);
        WriteProtocol(ref sink, request.Version);
        sink.Add("REQUEST_SCHEME"u8, isSecure ? "https"u8 : "http"u8);
        if (isSecure)
        {
            sink.Add("HTTPS"u8, "on"u8);
        }

        sink.Add("HTTP_HOST"u8, host);
        sink.Add("SERVER_NAME"u8, HostWithoutPort(host));
        sink.Add(
            "SERVER_PORT"u8,
            request.Options.TryGetValue(FastCgiRequestOptions.LocalPort, out int port) ? port : uri.Port);
        if (request.Options.TryGetValue(FastCgiRequestOptions.LocalAddress, out IPAddress? local))
        {
            sink.Add("SERVER_ADDR"u8, local);
        }

        sink.Add(
            "REMOTE_ADDR"u8,
            request.Options.TryGetValue(FastCgiRequestOptions.RemoteAddress, out IPAddress? remote)
                ? remote
                : IPAddress.Loopback);
        if (request.Options.TryGetValue(FastCgiRequestOptions.RemotePort, out int remotePort))
        {
            sink.Add("REMOTE_PORT"u8, remotePort);
        }
    }

    private static void WriteProtocol(ref ParameterSink sink, Version version)
    {
        if (version == System.Net.HttpVersion.Version11)
        {
            sink.Add("SERVER_PROTOCOL"u8, "HTTP/1.1"u8);
        }
        else
        {
            sink.Add("SERVER_PROTOCOL"u8, $"HTTP/{version.Major}.{version.Minor}");
        }
    }

    /// <summary>The Host header of the URI in HTTP, with the port if it is not the default.</summary>
    private static string HostOf(Uri uri) =>
        uri.HostNameType != UriHostNameType.Dns ? uri.Authority
        : uri.IsDefaultPort ? uri.IdnHost
        : $"{uri.IdnHost}:{uri.Port}";

    private static ReadOnlySpan<char> HostWithoutPort(string host)
    {
        int colon = host.LastIndexOf(':');
        return colon < 0 || host.EndsWith(']') ? host : host.AsSpan(0, colon);
    }

    private static void WriteHeaders(
        ref ParameterSink sink, HttpHeadersNonValidated headers, RequestRules rules, bool isUpgrade)
    {
        Span<byte> onStack = stackalloc byte[LongestNameOnStack];
        foreach ((string name, HeaderStringValues values) in headers)
        {
            if (IsLeftOut(name, rules, isUpgrade))
            {
                continue;
            }

            int length = ParameterNames.Prefix.Length + name.Length;
            Span<byte> formatted = length <= LongestNameOnStack ? onStack[..length] : new byte[length];
            if (ParameterNames.TryFormat(name, formatted, rules.AllowAmbiguousHeaderNames))
            {
                sink.Add(formatted, Checked(name, values.ToString()));
            }
        }
    }

    /// <exception cref="FastCgiException">A program that passes on the value would send another header.</exception>
    private static string Checked(string name, string value) => !value.AsSpan().ContainsAny('\r', '\n', '\0')
        ? value
        : throw new FastCgiException(
            FastCgiError.InvalidRequest,
            $"The header '{name}' has a line break or a NUL in its value, which no web server passes on. Remove it.");

    private static bool IsLeftOut(string name, RequestRules rules, bool isUpgrade) =>
        name.Equals("Host", StringComparison.OrdinalIgnoreCase)
        || name.Equals("Content-Type", StringComparison.OrdinalIgnoreCase)
        || (ParameterNames.IsHopByHop(name) && !(isUpgrade && ParameterNames.IsUpgrade(name)))
        || (ParameterNames.IsProxy(name) && !rules.AllowProxyHeader);
}
