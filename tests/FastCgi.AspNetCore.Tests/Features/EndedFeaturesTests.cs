using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace FastCgi.AspNetCore.Tests.Features;

/// <summary>Features are dead after the end of their request: by reflection, so that no new setter is forgotten.</summary>
public sealed class EndedFeaturesTests
{
    private readonly FeaturesFixture _fixture = new(("HTTPS", "on"), ("SSL_PROTOCOL", "TLSv1.3"));

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

    [Fact]
    public void Callbacks_and_features_are_refused_after_the_end()
    {
        _fixture.End();
        IHttpResponseFeature response = _fixture.Features;

        Assert.Throws<ObjectDisposedException>(() => response.OnStarting(_ => Task.CompletedTask, ""));
        Assert.Throws<ObjectDisposedException>(() => response.OnCompleted(_ => Task.CompletedTask, ""));
        Assert.Throws<ObjectDisposedException>(() => _fixture.Collection.Set<IItemsFeature>(new ItemsFeature()));
        Assert.Throws<ObjectDisposedException>(() => _fixture.Collection.Set("unknown"));
        Assert.Throws<ObjectDisposedException>(() => ((IHttpRequestFeature)_fixture.Features).Path);
        Assert.Throws<ObjectDisposedException>(() => ((IHttpRequestLifetimeFeature)_fixture.Features).Abort());
    }

    /// <summary>An aborted request may end before its response has started, which freezes them too.</summary>
    [Fact]
    public void Headers_that_were_kept_change_no_more_after_the_end()
    {
        var headers = _fixture.Get<IHttpResponseFeature>().Headers;
        headers["X-A"] = "1";
        _fixture.End();

        Assert.Throws<InvalidOperationException>(() => headers["X-B"] = "2");
        Assert.Throws<InvalidOperationException>(() => headers.Remove("X-A"));
    }

    [Fact]
    public void The_collection_can_be_looked_at_after_the_end()
    {
        _fixture.End();

        Assert.Null(_fixture.Collection[typeof(ITlsConnectionFeature)]);
        Assert.NotEmpty(_fixture.Collection);
    }

    private static IEnumerable<(Type Type, PropertyInfo Property)> FeatureProperties()
        => from type in typeof(RequestFeatures).GetInterfaces()
           where type.Name.EndsWith("Feature", StringComparison.Ordinal)
           from property in type.GetProperties()
           select (type, property);

    private static object ValueFor(Type type)
    {
        type = Nullable.GetUnderlyingType(type) ?? type;
        if (type == typeof(string)) { return "set"; }
        if (type == typeof(int) || type == typeof(long)) { return type == typeof(int) ? 4711 : (object)4711L; }
        if (type == typeof(bool)) { return true; }
        if (type == typeof(Stream)) { return new MemoryStream(); }
        if (type == typeof(IHeaderDictionary)) { return new HeaderDictionary(); }
        if (type == typeof(CancellationToken)) { return new CancellationToken(true); }
        if (type == typeof(IPAddress)) { return IPAddress.Any; }
        if (type == typeof(EndPoint)) { return new IPEndPoint(IPAddress.Any, 1); }
        if (type == typeof(Endpoint)) { return new Endpoint(null, null, null); }
        if (type == typeof(RouteValueDictionary)) { return new RouteValueDictionary(); }
        if (type == typeof(IDictionary<object, object?>)) { return new Dictionary<object, object?>(); }
        if (type == typeof(MinDataRate)) { return new MinDataRate(1, TimeSpan.FromSeconds(2)); }
        if (type == typeof(X509Certificate2))
        {
#pragma warning disable SYSLIB0026 // An empty certificate is enough to be seen and disposed of.
            return new X509Certificate2();
#pragma warning restore SYSLIB0026
        }

        throw new NotSupportedException($"Say here how to make a {type}.");
    }
}
