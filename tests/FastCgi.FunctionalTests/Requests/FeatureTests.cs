using Microsoft.AspNetCore.Connections.Features;

namespace FastCgi.FunctionalTests.Requests;

public sealed class FeatureTests : FunctionalTest
{
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

    [Theory, ClassData(typeof(Transports))]
    public async Task The_socket_is_the_one_of_the_connection(ServerTransport transport)
    {
        Socket? first = null;
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            var socket = context.Features.GetRequiredFeature<IConnectionSocketFeature>().Socket;
            Assert.Same(first ??= socket, socket);
            await context.Response.WriteAsync($"{socket.Connected} {socket.RemoteEndPoint}");
        });

        var expected = $"True {(peer.Socket.AddressFamily == AddressFamily.Unix ? "" : peer.Socket.LocalEndPoint)}";
        Assert.Equal(expected, (await peer.RoundTripAsync(Get())).BodyText);
        Assert.Equal(expected, (await peer.RoundTripAsync(Get())).BodyText);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_socket_that_was_looked_at_is_closed_with_its_connection(ServerTransport transport)
    {
        Socket? seen = null;
        var peer = await StartAndConnectAsync(transport, Run(context =>
            seen = context.Features.GetRequiredFeature<IConnectionSocketFeature>().Socket));

        await peer.RoundTripAsync(Get() with { KeepConnection = false });

        await peer.ExpectClosedAsync();
        Assert.True(SpinWait.SpinUntil(() => seen!.SafeHandle.IsClosed, Deadline.Default), "The socket is closed.");
    }

    [Fact]
    public async Task A_tag_that_requests_add_is_in_the_duration_of_their_connection_once()
    {
        await StartAsync(context =>
        {
            var feature = context.Features.GetRequiredFeature<IConnectionMetricsTagsFeature>();
            feature.Tags.Add(new("tenant", context.Request.Path.Value));
            return context.Response.WriteAsync($"{feature.Tags.Count}");
        });
        using var durations = Measurements.OfConnectionDurations(Server);

        var peer = await ConnectAsync();
        Assert.Equal("1", (await peer.RoundTripAsync(Get("/a"))).BodyText);
        Assert.Equal("1", (await peer.RoundTripAsync(Get("/b"))).BodyText);
        await peer.DisposeAsync();

        Assert.Equal("/b", Assert.Single(await durations.TagsAsync(), static tag => tag.Key == "tenant").Value);
    }

    [Fact]
    public Task Without_a_listener_there_is_nothing_to_tag() => AssertRespondsAsync((200, null, "True"), context =>
        context.Response.WriteAsync($"{context.Features.Get<IConnectionMetricsTagsFeature>() is null}"));
}
