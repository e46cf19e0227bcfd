using System.Diagnostics.Metrics;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.FunctionalTests.Requests;

/// <summary>The socket below a request, and the tags of its metrics.</summary>
public sealed class ConnectionFeatureTests : FunctionalTest
{
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
        var peer = await StartAndConnectAsync(transport, context =>
        {
            seen = context.Features.GetRequiredFeature<IConnectionSocketFeature>().Socket;
            return Task.CompletedTask;
        });

        await peer.RoundTripAsync(Get() with { KeepConnection = false });

        await peer.ExpectClosedAsync();
        Assert.True(SpinWait.SpinUntil(() => seen!.SafeHandle.IsClosed, Deadline.Default), "The socket is closed.");
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_tag_that_requests_add_is_in_the_duration_of_their_connection_once(ServerTransport transport)
    {
        SyncPoint measured = "the duration of the connection";
        var tags = new List<string>();
        await StartAsync(transport, context =>
        {
            var feature = context.Features.GetRequiredFeature<IConnectionMetricsTagsFeature>();
            feature.Tags.Add(new("tenant", context.Request.Path.Value));
            return context.Response.WriteAsync($"{feature.Tags.Count}");
        });
        using var listener = ListenToDuration(of =>
        {
            tags.AddRange(of);
            measured.Reach();
        });

        var peer = await ConnectAsync();
        Assert.Equal("1", (await peer.RoundTripAsync(Get("/a"))).BodyText);
        Assert.Equal("1", (await peer.RoundTripAsync(Get("/b"))).BodyText);
        await peer.DisposeAsync();
        await measured.WaitAsync();

        Assert.Equal("tenant=/b", Assert.Single(tags, tag => tag.StartsWith("tenant", StringComparison.Ordinal)));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Without_a_listener_there_is_nothing_to_tag(ServerTransport transport)
    {
        var response = await RespondAsync(transport, context => context.Response.WriteAsync(
            $"{context.Features.Get<IConnectionMetricsTagsFeature>() is null}"));

        Assert.Equal("True", response.BodyText);
    }

    private MeterListener ListenToDuration(Action<IEnumerable<string>> take)
    {
        var factory = Server.Services.GetRequiredService<IMeterFactory>();
        var listener = new MeterListener
        {
            InstrumentPublished = (instrument, listening) =>
            {
                if (instrument.Name == "fastcgi.connection.duration"
                    && ReferenceEquals(instrument.Meter.Scope, factory))
                {
                    listening.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<double>((_, _, tags, _) =>
        {
            var all = new List<string>();
            foreach (var tag in tags)
            {
                all.Add($"{tag.Key}={tag.Value}");
            }

            take(all);
        });
        listener.Start();
        return listener;
    }
}
