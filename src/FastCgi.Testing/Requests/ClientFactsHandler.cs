using FastCgi.Client;

namespace FastCgi.Testing.Requests;

/// <summary>Adds the facts about a client to each request, except for those that the request sets.</summary>
internal sealed class ClientFactsHandler(FastCgiTestClientOptions options, HttpMessageHandler inner)
    : DelegatingHandler(inner)
{
    private readonly Dictionary<string, string?> _parameters = ClientFacts.Parameters(options);

    protected override Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage request, CancellationToken cancellationToken)
    {
        SetIfAbsent(request, FastCgiRequestOptions.RemoteAddress, options.RemoteAddress);
        if (options.RemotePort is { } port)
        {
            SetIfAbsent(request, FastCgiRequestOptions.RemotePort, port);
        }

        if (options.PathBase.Value is { Length: > 0 } pathBase)
        {
            SetIfAbsent(request, FastCgiRequestOptions.PathBase, pathBase);
        }

        request.Options.Set(FastCgiRequestOptions.Parameters, ParametersOf(request));
        return base.SendAsync(request, cancellationToken);
    }

    private Dictionary<string, string?> ParametersOf(HttpRequestMessage request)
    {
        if (!request.Options.TryGetValue(
            FastCgiRequestOptions.Parameters, out IReadOnlyDictionary<string, string?>? own))
        {
            return _parameters;
        }

        var all = new Dictionary<string, string?>(_parameters, StringComparer.Ordinal);
        foreach ((string name, string? value) in own)
        {
            all[name] = value;
        }

        return all;
    }

    private static void SetIfAbsent<T>(HttpRequestMessage request, HttpRequestOptionsKey<T> key, T value)
    {
        if (!request.Options.TryGetValue(key, out _))
        {
            request.Options.Set(key, value);
        }
    }
}
