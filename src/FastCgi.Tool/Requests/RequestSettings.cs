using System.Net;

namespace FastCgi.Tool.Requests;

/// <summary>One request as the user described it, which can be created several times.</summary>
internal sealed class RequestSettings
{
    public required string EndpointText { get; init; }

    public required FastCgiEndpoint Endpoint { get; init; }

    public required Uri Uri { get; init; }

    /// <summary>REQUEST_URI.</summary>
    public required string Target { get; init; }

    public string Method { get; init; } = "GET";

    public IReadOnlyList<KeyValuePair<string, string>> Headers { get; init; } = [];

    public byte[]? Body { get; init; }

    public IReadOnlyDictionary<string, string?> Parameters { get; init; } = new Dictionary<string, string?>();

    public string? DocumentRoot { get; init; }

    public IPAddress? RemoteAddress { get; init; }

    public FastCgiRole Role { get; init; } = FastCgiRole.Responder;

    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(30);

    public FastCgiHandlerOptions CreateHandlerOptions() => new()
    {
        Endpoint = EndpointText,
        DocumentRoot = DocumentRoot,
        ConnectTimeout = Timeout,
        ResponseHeadersTimeout = Timeout,
        // --max-time limits the response, and an event stream may be silent.
        ResponseIdleTimeout = System.Threading.Timeout.InfiniteTimeSpan,
        FollowLocalRedirects = false,
        // Every header that the user types must arrive.
        AllowAmbiguousHeaderNames = true,
        AllowProxyHeader = true,
        ActivityHeadersPropagator = null,
    };

    public HttpRequestMessage CreateRequest()
    {
        var request = new HttpRequestMessage(new HttpMethod(Method), Uri);
        request.Options.Set(FastCgiRequestOptions.RequestTarget, Target);
        request.Options.Set(FastCgiRequestOptions.Role, Role);
        if (RemoteAddress is not null)
        {
            request.Options.Set(FastCgiRequestOptions.RemoteAddress, RemoteAddress);
        }

        if (Body is not null)
        {
            request.Content = new ByteArrayContent(Body);
        }

        var parameters = new Dictionary<string, string?>(Parameters, StringComparer.Ordinal);
        foreach ((string name, string value) in Headers)
        {
            AddHeader(request, parameters, name, value);
        }

        request.Options.Set(FastCgiRequestOptions.Parameters, parameters);
        return request;
    }

    private static void AddHeader(
        HttpRequestMessage request, Dictionary<string, string?> parameters, string name, string value)
    {
        if (
            request.Headers.TryAddWithoutValidation(name, value)
                || request.Content?.Headers.TryAddWithoutValidation(name, value) == true)
        {
            return;
        }

        // This is a content header of a request without content.
        bool isPlain = name.Equals("Content-Type", StringComparison.OrdinalIgnoreCase)
            || name.Equals("Content-Length", StringComparison.OrdinalIgnoreCase);
        string parameter = name.ToUpperInvariant().Replace('-', '_');
        parameters.TryAdd(isPlain ? parameter : $"HTTP_{parameter}", value);
    }
}
