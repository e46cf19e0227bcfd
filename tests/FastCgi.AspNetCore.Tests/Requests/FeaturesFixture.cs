namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>Features of a request on a scripted connection, which any test may end and begin again.</summary>
internal sealed class FeaturesFixture
{
    internal const long MaxRequestBodySize = 30_000_000;

    private readonly TrackingPool _pool = new();

    internal FeaturesFixture(params (string Name, string Value)[] more)
    {
        Server.Buffers = _pool;
        Server.Options.ClientCertificateParameter = "SSL_CLIENT_CERT";
        Server.Options.Limits.MaxRequestBodySize = MaxRequestBodySize;
        Request = Server.NewRequest();
        Begin(more);
    }

    internal ScriptedServer Server { get; } = new();

    internal ScriptedConnection Connection { get; private set; } = null!;

    internal FastCgiRequest Request { get; }

    internal RequestFeatures Features { get; private set; } = null!;

    internal ApplicationResponse Response { get; private set; } = null!;

    internal IFeatureCollection Collection => Features;

    internal T Get<T>()
        where T : class
        => Collection.Get<T>() ?? throw new InvalidOperationException($"There is no {typeof(T).Name}.");

    /// <summary>The params are those of before, as when a test measures only the features.</summary>
    internal void BeginLoaded() => Features = new RequestFeatures(Request, new AbortSignal(NullLogger.Instance));

    /// <summary>The request ends, and the next one comes.</summary>
    internal void BeginNext(params (string Name, string Value)[] more)
    {
        End();
        Begin(more);
    }

    internal void End()
    {
        Response.Fail();
        Features.End();
        Request.Release();
    }

    /// <summary>The application reads the body for the first time.</summary>
    internal void Read() => Get<IRequestBodyPipeFeature>().Reader.TryRead(out _);

    private void Begin((string Name, string Value)[] more)
    {
        Connection = new ScriptedConnection(_pool);
        Request.Begin(
            Connection,
            Connection.RequestId,
            new BeginRequestBody(FastCgiRole.Responder, BeginRequestFlags.KeepConnection),
            RequestAdmission.Application);
        Load(more);
        Request.Open();
        Assert.True(Request.TryEnter());
        (Features, Response) = (Request.Features, Request.Response);
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
        CgiRequest cgi = Request.Head.Cgi;
        ParamSet.Fill(cgi.Params, [.. usual.Where(one => !Array.Exists(more, other => other.Name == one.Name))
            .Concat(more).Select(static one => (one.Name, ParamSet.Utf8(one.Value)))]);
        Assert.Null(cgi.Load());
    }
}
