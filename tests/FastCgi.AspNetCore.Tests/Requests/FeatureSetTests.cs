using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Hosting.Server.Abstractions;
using Microsoft.AspNetCore.Http.Features.Authentication;
using Microsoft.AspNetCore.Http.Timeouts;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>Which features there are, and which not, on purpose.</summary>
public sealed class FeatureSetTests
{
    public static TheoryData<Type> Served =>
    [
        typeof(IHttpRequestFeature), typeof(IHttpResponseFeature), typeof(IHttpResponseBodyFeature),
        typeof(IRequestBodyPipeFeature), typeof(IHttpRequestBodyDetectionFeature), typeof(IHttpRequestLifetimeFeature),
        typeof(IHttpRequestIdentifierFeature), typeof(IHttpConnectionFeature), typeof(IHttpBodyControlFeature),
        typeof(IHttpMaxRequestBodySizeFeature), typeof(IEndpointFeature), typeof(IRouteValuesFeature),
        typeof(IBadRequestExceptionFeature), typeof(IHttpRequestTrailersFeature), typeof(IServerVariablesFeature),
        typeof(IFastCgiRequestFeature), typeof(IConnectionItemsFeature), typeof(IConnectionCompleteFeature),
        typeof(IConnectionEndPointFeature), typeof(IConnectionLifetimeFeature),
        typeof(IConnectionLifetimeNotificationFeature), typeof(IHttpMinRequestBodyDataRateFeature),
        typeof(IHttpMinResponseDataRateFeature), typeof(IConnectionSocketFeature),
    ];

    public static TheoryData<Type> SetByTheFramework =>
    [
        typeof(IItemsFeature), typeof(IQueryFeature), typeof(IFormFeature), typeof(IRequestCookiesFeature),
        typeof(IResponseCookiesFeature), typeof(IServiceProvidersFeature), typeof(ISessionFeature),
        typeof(IHttpAuthenticationFeature), typeof(IAuthenticationFeature), typeof(IAuthenticateResultFeature),
        typeof(IHttpActivityFeature), typeof(IHttpMetricsTagsFeature), typeof(IHttpRequestTimeoutFeature),
    ];

#pragma warning disable CA2252 // IHttpWebTransportFeature is in preview; that it is absent holds either way.
    public static TheoryData<Type> Absent =>
    [
        typeof(IHttpUpgradeFeature), typeof(IHttpExtendedConnectFeature), typeof(IHttpWebSocketFeature),
        typeof(IHttpWebTransportFeature), typeof(IHttpResponseTrailersFeature), typeof(IHttpResetFeature),
        typeof(IHttpsCompressionFeature), typeof(IConnectionTransportFeature), typeof(IConnectionUserFeature),
        typeof(IConnectionNamedPipeFeature), typeof(IPersistentStateFeature), typeof(IConnectionMetricsTagsFeature),
        typeof(ITlsConnectionFeature), typeof(ITlsHandshakeFeature),
    ];
#pragma warning restore CA2252

    [Theory, MemberData(nameof(Served))]
    public void The_server_serves_the_feature_itself(Type type)
    {
        var fixture = new FeaturesFixture();

        Assert.Same(fixture.Features, fixture.Collection[type]);
        Assert.True(type.IsInstanceOfType(fixture.Features));
    }

    [Theory, MemberData(nameof(SetByTheFramework))]
    public void What_the_framework_sets_is_absent_until_then(Type type)
        => Assert.Null(new FeaturesFixture().Collection[type]);

    [Theory, MemberData(nameof(Absent))]
    public void What_FastCGI_cannot_do_is_absent(Type type) => Assert.Null(new FeaturesFixture().Collection[type]);

    [Fact]
    public void Every_known_feature_has_a_slot_of_its_own()
    {
        var known = Served.Concat(SetByTheFramework).Select(row => row.Data)
            .Append(typeof(ITlsConnectionFeature)).Append(typeof(ITlsHandshakeFeature))
            .Append(typeof(IHttpUpgradeFeature)).Append(typeof(IConnectionMetricsTagsFeature)).ToArray();

        Assert.Equal(known.ToHashSet(), FeatureSlots.Types.ToArray().ToHashSet());
        Assert.Equal((int)FeatureSlot.Count, FeatureSlots.Types.Length);
        foreach (var type in known)
        {
            var slot = FeatureSlots.Find(type);
            Assert.Equal(type, FeatureSlots.Types[(int)slot]);
        }
    }

    [Fact]
    public void What_the_object_implements_is_what_it_serves()
    {
        var implemented = typeof(RequestFeatures).GetInterfaces()
            .Where(type => type.Name.EndsWith("Feature", StringComparison.Ordinal));

        Assert.Equal(
            implemented.ToHashSet(),
            Enumerable.Range(0, (int)FeatureSlot.Items).Select(slot => FeatureSlots.Types[slot]).ToHashSet());
    }

    /// <summary>The host would reuse one HttpContext, and a task that kept it would reach the next client.</summary>
    [Fact]
    public void The_collection_keeps_no_context_of_the_host() =>
        Assert.IsNotAssignableFrom<IHostContextContainer<object>>(new FeaturesFixture().Collection);
}
