using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>Features are dead after the end of their request: by reflection, so that no new setter is forgotten.</summary>
public sealed class EndedFeaturesTests
{
    private static readonly (string, string)[] s_tls = [("HTTPS", "on"), ("SSL_PROTOCOL", "TLSv1.3")];

    private readonly FeaturesFixture _fixture = new(s_tls);
    private readonly List<object> _ran = [];

    public static TheoryData<Type, string> Settable => new(FeatureProperties()
        .Where(static one => one.Property.CanWrite && one.Property.GetIndexParameters().Length == 0)
        .Select(static one => (one.Type, one.Property.Name)));

    [Theory, MemberData(nameof(Settable))]
    public void A_property_can_be_set_for_one_request(Type feature, string name)
    {
        var property = feature.GetProperty(name)!;
        var original = property.GetValue(_fixture.Features);
        var value = original is bool flag ? !flag : ValueFor(property.PropertyType);
        Assert.False(Equals(value, original));

        property.SetValue(_fixture.Features, value);
        Assert.Equal(value, property.GetValue(_fixture.Features));
        if (value is IPAddress || feature == typeof(IHttpRequestFeature) && value is string)
        {
            property.SetValue(_fixture.Features, null);
            Assert.Null(property.GetValue(_fixture.Features));
        }

        _fixture.BeginNext(s_tls);
        Assert.False(Equals(value, property.GetValue(_fixture.Features)));
        if (value is string or int or long or bool or IPAddress && name != nameof(HttpContext.TraceIdentifier))
        {
            Assert.Equal(original, property.GetValue(_fixture.Features));
        }
    }

    [Fact]
    public async Task Nothing_of_a_request_reaches_the_next()
    {
        var response = _fixture.Get<IHttpResponseFeature>();
        var headers = response.Headers;
        headers["X-Tag"] = "blue";
        response.StatusCode = 404;
        response.ReasonPhrase = "Gone";
        response.OnStarting(Note, "starting");
        response.OnCompleted(Note, "completed");
        _fixture.Get<IConnectionCompleteFeature>().OnCompleted(Note, "connection");
        _fixture.Features.FreezeResponse();
        _fixture.Get<IHttpRequestFeature>().Body = new MemoryStream();
        _ = _fixture.Get<IRequestBodyPipeFeature>().Reader;
        _fixture.Get<IConnectionItemsFeature>().Items["user"] = "first client";
        _fixture.Collection.Set("unknown");
        _fixture.Collection.Set<IHttpResponseBodyFeature>(new StreamResponseBodyFeature(Stream.Null));
        _fixture.Collection.Set<IHttpMaxRequestBodySizeFeature>(null);
        Assert.NotNull(_fixture.Collection.Get<ITlsConnectionFeature>());
        Assert.NotNull(_fixture.Collection.Get<ITlsHandshakeFeature>());

        _fixture.BeginNext();

        response = _fixture.Get<IHttpResponseFeature>();
        Assert.Equal((200, null, false), (response.StatusCode, response.ReasonPhrase, response.Headers.IsReadOnly));
        Assert.Empty(response.Headers);
        Assert.NotSame(headers, response.Headers);
        await _fixture.Features.FireOnStartingAsync().Within("OnStarting");
        await _fixture.Features.FireOnCompletedAsync().Within("OnCompleted");
        Assert.Empty(_ran);
        Assert.IsType<BodyStream>(_fixture.Get<IHttpRequestFeature>().Body);
        Assert.IsType<RequestBodyReader>(_fixture.Get<IRequestBodyPipeFeature>().Reader);
        Assert.Empty(_fixture.Get<IConnectionItemsFeature>().Items);
        Assert.Null(_fixture.Collection.Get<string>());
        Assert.Same(_fixture.Features, _fixture.Collection.Get<IHttpResponseBodyFeature>());
        Assert.NotNull(_fixture.Collection.Get<IHttpMaxRequestBodySizeFeature>());
        Assert.Null(_fixture.Collection.Get<ITlsConnectionFeature>());
        Assert.Null(_fixture.Collection.Get<ITlsHandshakeFeature>());
    }

    [Fact]
    public void Every_setter_of_every_feature_is_dead_after_the_end()
    {
        _fixture.End();
        var alive = new List<string>();
        foreach (var (type, property) in FeatureProperties().Where(pair => pair.Property.CanWrite))
        {
            var index = property.GetIndexParameters().Length == 0 ? null : new object[] { "NAME" };
            try
            {
                property.SetValue(_fixture.Features, ValueFor(property.PropertyType), index);
                alive.Add($"{type.Name}.{property.Name}");
            }
            catch (TargetInvocationException exception)
            {
                Assert.IsType<ObjectDisposedException>(exception.InnerException);
            }
        }

        Assert.Empty(alive);
    }

    /// <summary>An aborted request may end before its response has started, which freezes its headers too.</summary>
    [Fact]
    public void After_the_end_the_collection_can_be_looked_at_and_all_else_is_refused()
    {
        var headers = _fixture.Get<IHttpResponseFeature>().Headers;
        headers["X-A"] = "1";
        _fixture.End();
        IHttpResponseFeature response = _fixture.Features;

        Assert.Throws<ObjectDisposedException>(() => response.OnStarting(_ => Task.CompletedTask, ""));
        Assert.Throws<ObjectDisposedException>(() => response.OnCompleted(_ => Task.CompletedTask, ""));
        Assert.Throws<ObjectDisposedException>(() => _fixture.Collection.Set<IItemsFeature>(new ItemsFeature()));
        Assert.Throws<ObjectDisposedException>(() => _fixture.Collection.Set("unknown"));
        Assert.Throws<ObjectDisposedException>(() => ((IHttpRequestFeature)_fixture.Features).Path);
        Assert.Throws<ObjectDisposedException>(() => ((IHttpRequestLifetimeFeature)_fixture.Features).Abort());
        Assert.Throws<InvalidOperationException>(() => headers["X-B"] = "2");
        Assert.Throws<InvalidOperationException>(() => headers.Remove("X-A"));
        Assert.Null(_fixture.Collection[typeof(ITlsConnectionFeature)]);
        Assert.NotEmpty(_fixture.Collection);
    }

    private Task Note(object state)
    {
        _ran.Add(state);
        return Task.CompletedTask;
    }

    private static IEnumerable<(Type Type, PropertyInfo Property)> FeatureProperties()
        => from type in typeof(RequestFeatures).GetInterfaces()
           where type.Name.EndsWith("Feature", StringComparison.Ordinal)
           from property in type.GetProperties()
           select (type, property);

    private static object ValueFor(Type type)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        return Values.FirstOrDefault(type.IsInstanceOfType)
            ?? throw new NotSupportedException($"Say here how to make a {type}.");
    }

    private static object[] Values { get; } =
    [
        "set", 4711, 4711L, true, new MemoryStream(), new HeaderDictionary(), new CancellationToken(true), IPAddress.Any,
        new IPEndPoint(IPAddress.Any, 1), new Endpoint(null, null, null), new RouteValueDictionary(),
        new Dictionary<object, object?>(), new MinDataRate(1, TimeSpan.FromSeconds(2)),
#pragma warning disable SYSLIB0026 // An empty certificate is enough to be seen and disposed of.
        new X509Certificate2(),
#pragma warning restore SYSLIB0026
    ];
}
