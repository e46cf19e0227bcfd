using System.Net.Http.Headers;
using FastCgi.Client.Php;

namespace FastCgi.Client.Requests;

/// <summary>A request, prepared once and then sent by each attempt.</summary>
internal sealed class RequestPlan
{
    private RequestPlan(HttpRequestMessage request, string method, string target)
    {
        Request = request;
        Method = method;
        Target = target;
        int query = target.IndexOf('?', StringComparison.Ordinal);
        Query = query < 0 ? "" : target[(query + 1)..].Split('#', 2)[0];
        Path = PercentEncoding.Decode(query < 0 ? target : target.AsSpan(0, query));
    }

    public HttpRequestMessage Request { get; }

    public string Method { get; }

    /// <summary>REQUEST_URI: path and query, undecoded.</summary>
    public string Target { get; }

    /// <summary>The part after the question mark, undecoded, without a fragment.</summary>
    public string Query { get; }

    /// <summary>The decoded path.</summary>
    public byte[] Path { get; }

    /// <summary>Null if there is no script, or if the request's own parameters name it.</summary>
    public Script? Script { get; private set; }

    /// <summary>The path at which the application is mounted, decoded, without a slash at the end.</summary>
    public byte[] PathBase { get; private init; } = [];

    /// <summary>The path after the segments of <see cref="PathBase"/>, or the whole path if it is elsewhere.</summary>
    public ReadOnlySpan<byte> PathBelow =>
        Path.AsSpan().StartsWith(PathBase) && Path.AsSpan(PathBase.Length) is [] or [(byte)'/', ..]
            ? Path.AsSpan(PathBase.Length)
            : Path;

    public FastCgiRole Role { get; private init; }

    /// <summary>The request's own parameters, or null.</summary>
    public IReadOnlyDictionary<string, string?>? Parameters { get; private init; }

    /// <summary>The body to send; null for none.</summary>
    public HttpContent? Content { get; private set; }

    /// <summary>
    /// True if the request may be repeated after the application may have served it (RFC 9110, section 9.2.2). Its
    /// body, if any, can then be read again.
    /// </summary>
    public bool CanRepeat => IsIdempotent
        && Content is null or ByteArrayContent or ReadOnlyMemoryContent or BufferedContent;

    /// <summary>True if the connection is then used for another protocol (RFC 9110, section 7.8).</summary>
    public bool IsUpgrade { get; private init; }

    /// <summary>Null if there is no body, or its length is unknown.</summary>
    public long? ContentLength { get; private set; }

    private bool IsIdempotent => Method is "GET" or "HEAD" or "OPTIONS" or "TRACE" or "PUT" or "DELETE";

    /// <summary>Prepares a caller's request. As in .NET's handlers, a known method is in capitals.</summary>
    /// <exception cref="FastCgiException">The request cannot be expressed.</exception>
    /// <exception cref="NotSupportedException">The URI is neither HTTP nor WebSocket.</exception>
    public static RequestPlan For(HttpRequestMessage request, RequestRules rules)
    {
        Uri uri = request.RequestUri is { IsAbsoluteUri: true } absolute
            ? absolute
            : throw new InvalidOperationException(
                "The request has no absolute URI. Set HttpClient.BaseAddress, for example to http://localhost/.");
        if (uri.Scheme is not ("http" or "https" or "ws" or "wss"))
        {
            throw new NotSupportedException(
                $"The URI scheme '{uri.Scheme}' is not supported. Write http or https, which the application sees; " +
                "FastCgiHandlerOptions.Endpoint says where the application listens.");
        }

        string target = request.Options.TryGetValue(FastCgiRequestOptions.RequestTarget, out string? own)
            ? own
            : uri.PathAndQuery;
        return Make(request, HttpMethod.Parse(request.Method.Method).Method, target, rules, request.Content);
    }

    /// <summary>The request for a local redirect (RFC 3875, section 6.2.2): a GET without a body.</summary>
    public RequestPlan ForLocalRedirect(string location, RequestRules rules) =>
        Make(
            Request,
            Method == "HEAD" ? Method : "GET",
            PercentEncoding.EscapeBytes(location),
            rules,
            content: null,
            isRedirect: true);

    private static RequestPlan Make(
        HttpRequestMessage request,
        string method,
        string target,
        RequestRules rules,
        HttpContent? content,
        bool isRedirect = false)
    {
        var plan = new RequestPlan(request, method, target)
        {
            PathBase = request.Options.TryGetValue(FastCgiRequestOptions.PathBase, out string? pathBase)
                ? Encoding.UTF8.GetBytes(pathBase.TrimEnd('/'))
                : [],
            Role = request.Options.TryGetValue(FastCgiRequestOptions.Role, out FastCgiRole role)
                ? role
                : FastCgiRole.Responder,
            Parameters = request.Options.TryGetValue(
                FastCgiRequestOptions.Parameters, out IReadOnlyDictionary<string, string?>? parameters)
                ? isRedirect ? WithoutTarget(parameters) : parameters
                : null,
            Content = content,
            IsUpgrade = content is null && AsksForUpgrade(request.Headers.NonValidated),
            ContentLength = LengthOf(content, request.Headers),
        };
        plan.FindScript(rules, isRedirect);
        return plan;
    }

    /// <summary>Sends <paramref name="content"/> instead, which has a known length.</summary>
    public void Buffer(HttpContent content)
    {
        Content = content;
        ContentLength = content.Headers.ContentLength;
    }

    /// <summary>Removes the parameters of the target: a redirect has its own path and query.</summary>
    private static Dictionary<string, string?> WithoutTarget(IReadOnlyDictionary<string, string?> parameters)
    {
        var others = new Dictionary<string, string?>(parameters, StringComparer.Ordinal);
        others.Remove("QUERY_STRING");
        others.Remove("PATH_INFO");
        others.Remove("DOCUMENT_URI");
        return others;
    }

    /// <summary>A request that asks for chunks has no length, as in HTTP: a declared one may be wrong.</summary>
    private static long? LengthOf(HttpContent? content, HttpRequestHeaders headers) =>
        content is null || headers.TransferEncodingChunked == true ? null : content.Headers.ContentLength;

    private static bool AsksForUpgrade(HttpHeadersNonValidated headers) =>
        headers.Contains("Upgrade")
        && headers.TryGetValues("Connection", out HeaderStringValues connection)
        && connection.ToString().Contains("Upgrade", StringComparison.OrdinalIgnoreCase);

    /// <summary>Finds the script. A redirect always finds it by its own path.</summary>
    private void FindScript(RequestRules rules, bool isRedirect)
    {
        if (Parameters?.ContainsKey("SCRIPT_FILENAME") == true || rules.Parameters.ContainsKey("SCRIPT_FILENAME"))
        {
            return;
        }

        string? name = null;
        bool isNamed = !isRedirect && Request.Options.TryGetValue(FastCgiRequestOptions.ScriptName, out name);
        byte[] path = isNamed ? Encoding.UTF8.GetBytes(name!) : Path;
        if (rules.Scripts is null)
        {
            if (isNamed || ScriptLocator.EndOfScript(path, rules.ScriptExtensions) > 0)
            {
                throw new FastCgiException(
                    FastCgiError.InvalidRequest,
                    $"The target '{Target}' names a script, and there is no DocumentRoot. Set DocumentRoot in " +
                    "FastCgiHandlerOptions to the directory of the scripts as the PHP process sees it, or clear " +
                    "ScriptExtensions if the application is not PHP.");
            }

            return;
        }

        if (!isNamed)
        {
            path = PathBelow is [] ? [(byte)'/'] : PathBelow.ToArray();
        }

        if (!ScriptPath.TryNormalize(path, out byte[] normalized))
        {
            throw NoFile();
        }

        Script script = isNamed && ScriptLocator.EndOfScript(normalized, rules.ScriptExtensions) == 0
            ? new Script(normalized, [])
            : rules.Scripts.Locate(normalized);

        // Windows takes a backslash for a slash. In PATH_INFO it is allowed: it names no file, and MediaWiki has such
        // pages.
        Script = script.Name.AsSpan().Contains((byte)'\\') ? throw NoFile() : script;
    }

    private FastCgiException NoFile() => new(
        FastCgiError.InvalidRequest,
        $"The target '{Target}' names no file below the document root: its path leaves the root, has a NUL in it, or " +
        "a backslash in the script's name, or does not begin with a slash.");
}
