using Microsoft.AspNetCore.Connections.Features;

namespace FastCgi.FunctionalTests.Requests;

public sealed class FeatureTests : FunctionalTest
{
    [Fact]
    public Task What_applications_need_is_there() => AssertRespondsAsync((200, "0", ""), Run(context =>
        Assert.All(
            (Type[])[
                typeof(IHttpRequestFeature), typeof(IHttpResponseFeature), typeof(IHttpResponseBodyFeature),
                typeof(IRequestBodyPipeFeature), typeof(IHttpRequestBodyDetectionFeature),
                typeof(IHttpRequestLifetimeFeature), typeof(IHttpRequestIdentifierFeature),
                typeof(IHttpConnectionFeature), typeof(IHttpBodyControlFeature), typeof(IHttpMaxRequestBodySizeFeature),
                typeof(IServerVariablesFeature), typeof(IConnectionItemsFeature), typeof(IConnectionCompleteFeature),
                typeof(IConnectionLifetimeNotificationFeature), typeof(IFastCgiRequestFeature)],
            type => Assert.True(context.Features[type] is not null, $"{type.Name} is missing."))));

    [Fact]
    public Task What_a_web_server_cannot_do_is_absent() => AssertRespondsAsync((200, "0", ""), Run(context =>
    {
        Assert.False(context.WebSockets.IsWebSocketRequest);
        Assert.False(context.Response.SupportsTrailers());
        Assert.All(
            (Type[])[
                typeof(IHttpUpgradeFeature), typeof(IHttpExtendedConnectFeature), typeof(IHttpWebSocketFeature),
                typeof(IHttpResponseTrailersFeature), typeof(IHttpResetFeature), typeof(ITlsConnectionFeature),
                typeof(IConnectionTransportFeature)],
            type => Assert.True(context.Features[type] is null, $"{type.Name} is there."));
    }));

    [Fact]
    public Task Tls_is_there_on_https_only() => AssertRespondsAsync(
        (200, null, "True True"),
        context => context.Response.WriteAsync(
            $"{context.Request.IsHttps} {context.Features.Get<ITlsConnectionFeature>() is not null}"),
        Get() with { ExtraParams = [("HTTPS", "on")] });

    [Fact]
    public async Task The_FastCGI_feature_tells_of_the_request()
    {
        var response = await RespondAsync(
            context =>
            {
                var feature = context.Features.Get<IFastCgiRequestFeature>()!;
                Assert.True(feature.TryGetParameter("REQUEST_METHOD", out var method));
                Assert.True(method.SequenceEqual("GET"u8));
                return context.Response.WriteAsync(
                    $"{feature.Protocol} {feature.Role} {feature.RequestId} {feature.KeepConnection}");
            },
            Get() with { Id = 513, Role = 2 });

        Assert.Equal("FastCgi Authorizer 513 True", response.BodyText);
    }
}
