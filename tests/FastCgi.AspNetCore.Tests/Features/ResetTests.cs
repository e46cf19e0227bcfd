using System.Collections;
using System.Net;
using System.Reflection;
using System.Security.Cryptography.X509Certificates;
using FastCgi.AspNetCore.Cgi;
using FastCgi.AspNetCore.Features;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;

namespace FastCgi.AspNetCore.Tests.Features;

/// <summary>Nothing of a request survives it: by reflection, so that no new field or setter is forgotten.</summary>
public sealed class ResetTests
{
    private const BindingFlags Instance = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

    private static readonly string[] s_meantToLast = ["_revision", "_ownResponseHeaders"];

    private readonly FeaturesFixture _fixture = new(("HTTPS", "on"), ("SSL_PROTOCOL", "TLSv1.3"));

    [Fact]
    public void Every_field_is_dirty_after_everything_was_set_and_new_after_a_reset()
    {
        SetEverything();
        var clean = new RequestFeatures<object>();
        var fields = typeof(RequestFeatures).GetFields(Instance)
            .Where(field => !s_meantToLast.Contains(field.Name)).ToArray();
        var untouched = fields.Where(field => Same(field, clean)).Select(field => field.Name);
        Assert.True(!untouched.Any(), $"This test does not reach: {string.Join(", ", untouched)}");

        _fixture.End();

        var dirty = fields.Where(field => !Same(field, clean)).Select(field => field.Name);
        Assert.True(!dirty.Any(), $"Reset forgets: {string.Join(", ", dirty)}");
    }

    [Fact]
    public void Every_setter_of_every_feature_is_dead_between_requests()
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
    public void Callbacks_and_features_are_refused_between_requests()
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

    [Fact]
    public void The_collection_can_be_looked_at_between_requests()
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

    private void SetEverything()
    {
        _fixture.Collection.Set("unknown");
        foreach (var type in FeatureSlots.Types)
        {
            // Asked for, so that what is looked up late is there.
            _ = _fixture.Collection[type];
        }

        foreach (var (_, property) in FeatureProperties())
        {
            var index = property.GetIndexParameters().Length == 0 ? null : new object[] { "NAME" };
            if (property.CanWrite)
            {
                property.SetValue(_fixture.Features, ValueFor(property.PropertyType), index);
            }
        }

        _ = ((IRequestBodyPipeFeature)_fixture.Features).Reader;
        ((IHttpResponseFeature)_fixture.Features).OnStarting(_ => Task.CompletedTask, "");
        ((IHttpResponseFeature)_fixture.Features).OnCompleted(_ => Task.CompletedTask, "");
        ((IConnectionCompleteFeature)_fixture.Features)
            .OnCompleted(_ => Task.CompletedTask, "");
        _fixture.Features.SetBadRequest(new BadHttpRequestException("bad"));
        _fixture.Collection.Set<IItemsFeature>(new ItemsFeature());

        // Only a certificate of the params is the features' own.
        typeof(RequestFeatures).GetField("_ownCertificate", Instance)!
            .SetValue(_fixture.Features, ValueFor(typeof(X509Certificate2)));
    }

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
        if (type == typeof(X509Certificate2))
        {
#pragma warning disable SYSLIB0026 // An empty certificate is enough to be seen and disposed of.
            return new X509Certificate2();
#pragma warning restore SYSLIB0026
        }

        throw new NotSupportedException($"Say here how to make a {type}.");
    }

    private bool Same(FieldInfo field, RequestFeatures clean)
        => Same(field.GetValue(_fixture.Features), field.GetValue(clean), clean);

    private bool Same(object? mine, object? its, RequestFeatures clean)
        => (mine, its) switch
        {
            // The object itself stands in its slots.
            (RequestFeatures, RequestFeatures)
                => ReferenceEquals(mine, _fixture.Features) && ReferenceEquals(its, clean),
            // Kept empty, to be used again.
            (ResponseHeaderDictionary headers, ResponseHeaderDictionary) => headers.Count == 0 && !headers.IsReadOnly,
            (CallbackStack stack, CallbackStack) => stack.IsEmpty && HoldsNothing(stack),
            (object?[] array, object?[] other) => array.Zip(other).All(pair => Same(pair.First, pair.Second, clean)),
            (IList { Count: 0 }, null) => true,
            _ => Equals(mine, its),
        };

    private static bool HoldsNothing(CallbackStack stack)
        => ((Array)typeof(CallbackStack).GetField("_entries", Instance)!.GetValue(stack)!)
            .Cast<ValueType>().All(entry => entry.Equals(Activator.CreateInstance(entry.GetType())));
}
