namespace FastCgi.AspNetCore.Tests.Features;

/// <summary>Features turned to a request, which any test may end and begin again.</summary>
internal sealed class FeaturesFixture
{
    internal const long MaxRequestBodySize = 30_000_000;

    private readonly CgiRequest _request;

    internal FeaturesFixture(params (string Name, string Value)[] more)
    {
        _request = new CgiRequest(new FastCgiServerOptions { ClientCertificateParameter = "SSL_CLIENT_CERT" });
        Begin(more);
    }

    internal RequestFeatures Features { get; private set; } = null!;

    internal IFeatureCollection Collection => Features;

    internal FakeRequestControl Control { get; private set; } = new();

    internal T Get<T>()
        where T : class
        => Collection.Get<T>() ?? throw new InvalidOperationException($"There is no {typeof(T).Name}.");

    internal void Begin(params (string Name, string Value)[] more)
    {
        Control = new FakeRequestControl();
        Load(more);
        BeginLoaded();
    }

    /// <summary>The params are those of before, as when a test measures only the features.</summary>
    internal void BeginLoaded()
    {
        Features = new RequestFeatures(
            Control, _request, MaxRequestBodySize, allowSynchronousIO: false, responseHeaderEncodingSelector: null);
        Features.SetResponse(Control);
    }

    /// <summary>The request ends, and the next one comes.</summary>
    internal void BeginNext(params (string Name, string Value)[] more)
    {
        End();
        Begin(more);
    }

    internal void End()
    {
        Features.End();
        _request.Reset();
    }

    private void Load((string Name, string Value)[] more)
    {
        (string Name, string Value)[] usual =
        [
            ("REQUEST_METHOD", "POST"), ("REQUEST_URI", "/caf%C3%A9/a%2Fb?x=1"), ("DOCUMENT_URI", "/café/a/b"),
            ("SERVER_PROTOCOL", "HTTP/2.0"), ("REMOTE_ADDR", "192.0.2.7"), ("REMOTE_PORT", "51234"),
            ("SERVER_ADDR", "198.51.100.1"), ("SERVER_PORT", "8080"), ("CONTENT_LENGTH", "3"),
            ("HTTP_HOST", "example.org:8080"), ("HTTP_X_TAG", "blue"),
        ];
        ParamSet.Fill(_request.Params, [.. usual.Concat(more).Select(static one => (one.Name, ParamSet.Utf8(one.Value)))]);
        Assert.Null(_request.Load());
    }
}
