using System.Diagnostics.Metrics;

namespace FastCgi.AspNetCore.Tests.Diagnostics;

public class ServerMetricsTests
{
    private const string Tags = "network.transport=tcp network.type=ipv4 server.address=127.0.0.1 server.port=9000";

    private static readonly IPEndPoint s_endPoint = new(IPAddress.Loopback, 9000);

    [Fact]
    public void A_connection_goes_up_and_down_with_the_tags_of_its_endpoint()
    {
        using var meters = new Meters();
        var metrics = meters.NewMetrics();

        var context = metrics.ConnectionStarted(s_endPoint);
        metrics.ConnectionStopped(context, TimeSpan.FromSeconds(1.5), ConnectionEndReason.ClientClosed);

        Assert.Equal(
            [
                $"fastcgi.active_connections 1 {Tags}",
                $"fastcgi.active_connections -1 {Tags}",
                $"fastcgi.connection.duration 1.5 {Tags}",
            ],
            meters.Measured);
    }

    [Theory]
    [InlineData(ConnectionEndReason.ClientClosed, null)]
    [InlineData(ConnectionEndReason.RequestsEnded, null)]
    [InlineData(ConnectionEndReason.KeepAliveTimeout, "keep_alive_timeout")]
    [InlineData(ConnectionEndReason.SendTimeout, "send_timeout")]
    [InlineData(ConnectionEndReason.MinResponseDataRate, "min_response_data_rate")]
    [InlineData(ConnectionEndReason.ConnectionReset, "connection_reset")]
    [InlineData(ConnectionEndReason.ProtocolViolation, "protocol_violation")]
    [InlineData(ConnectionEndReason.AbortedByApplication, "aborted_by_app")]
    [InlineData(ConnectionEndReason.RequestTimeout, "request_timeout")]
    [InlineData(ConnectionEndReason.StopTimeout, "app_shutdown_timeout")]
    public void A_connection_that_did_not_end_as_it_should_says_why(object reason, string? error)
    {
        using var meters = new Meters();
        var metrics = meters.NewMetrics();

        metrics.ConnectionStopped(metrics.ConnectionStarted(null), TimeSpan.Zero, (ConnectionEndReason)reason);

        Assert.Equal(
            error is null ? "fastcgi.connection.duration 0" : $"fastcgi.connection.duration 0 error.type={error}",
            meters.Measured.Last());
    }

    [Fact]
    public void Every_reason_is_tested() => Assert.Equal(10, Enum.GetValues<ConnectionEndReason>().Length);

    [Fact]
    public void What_a_listener_throws_stays_with_it()
    {
        var calls = 0;
        using var meters = new Meters(_ => throw new InvalidOperationException($"{++calls}"));
        var metrics = meters.NewMetrics();

        metrics.ConnectionStopped(metrics.ConnectionStarted(null), default, ConnectionEndReason.ClientClosed);
        metrics.ConnectionRejected(null);
        metrics.UpgradedStarted(null);
        metrics.UpgradedEnded(null);

        Assert.Equal(6, calls);
    }

    [Fact]
    public void A_unix_socket_has_a_path_and_no_port()
    {
        using var meters = new Meters();
        var metrics = meters.NewMetrics();

        metrics.ConnectionRejected(new UnixDomainSocketEndPoint("/run/x.sock"));

        Assert.Equal(
            ["fastcgi.rejected_connections 1 network.transport=unix server.address=/run/x.sock"], meters.Measured);
    }

    [Fact]
    public void An_upgraded_connection_has_the_tags_of_its_endpoint_and_never_counts_below_zero()
    {
        using var meters = new Meters(isListening: false);
        var server = new ServerContext(new FastCgiServerOptions(), NullLoggerFactory.Instance, TimeProvider.System)
        {
            Metrics = new ServerMetrics(meters, static () => 2),
        };

        Assert.True(server.TryOpenUpgraded(s_endPoint, out var isFirstMeasured));
        meters.Listen();
        Assert.True(server.TryOpenUpgraded(s_endPoint, out var isSecondMeasured));
        server.CloseUpgraded(s_endPoint, isFirstMeasured);
        server.CloseUpgraded(s_endPoint, isSecondMeasured);

        Assert.Equal(
            [$"fastcgi.upgraded_connections 1 {Tags}", $"fastcgi.upgraded_connections -1 {Tags}"], meters.Measured);
    }

    [Fact]
    public void Queues_and_refusals_are_asked_for()
    {
        using var meters = new Meters();
        _ = new ServerMetrics(meters, static () => 2, static () => 3, static () => [(s_endPoint, 4)]);

        meters.Observe();

        Assert.Contains("fastcgi.rejected_requests 3", meters.Measured);
        Assert.Contains($"fastcgi.queued_connections 4 {Tags}", meters.Measured);
    }

    [Fact]
    public void A_connection_that_began_unmeasured_ends_unmeasured()
    {
        using var meters = new Meters(isListening: false);
        var metrics = meters.NewMetrics();

        var context = metrics.ConnectionStarted(s_endPoint);
        meters.Listen();
        metrics.ConnectionStopped(context, TimeSpan.Zero, ConnectionEndReason.ClientClosed);

        Assert.Empty(meters.Measured);
    }

    [Fact]
    public async Task A_running_server_shows_its_threads_and_its_refusals()
    {
        using var meters = new Meters();
        await using var server = new ServerUnderTest(
            static options =>
            {
                options.ThreadCount = 3;
                options.Listen(IPAddress.Loopback, 0, static listen => listen.AllowedClients.Add(IPNetwork.Parse("10.0.0.5/32")));
            },
            services: services => services.AddSingleton<IMeterFactory>(meters));
        await server.StartAsync();

        await using var peer = await server.ConnectAsync();
        await peer.ExpectClosedAsync();
        meters.Observe();

        Assert.Contains(meters.Measured, static text => text.StartsWith("fastcgi.rejected_connections 1 ", StringComparison.Ordinal));
        Assert.Contains($"fastcgi.worker_threads {(OperatingSystem.IsLinux() ? 3 : 0)}", meters.Measured);
    }

    [Fact]
    public async Task A_request_behind_another_of_the_same_read_is_counted_until_it_runs()
    {
        using var meters = new Meters();
        await using var server = new ServerUnderTest(
            services: services => services.AddSingleton<IMeterFactory>(meters));
        await server.StartAsync();
        await using var peer = await server.ConnectAsync();

        await peer.SendAsync(new RecordBuilder().Request(new RequestScript()).Request(new RequestScript { Id = 2 }));
        await peer.ExpectResponseAsync(1);
        await peer.ExpectResponseAsync(2);

        string tags = "network.transport=tcp network.type=ipv4 server.address=127.0.0.1 " +
            $"server.port={((IPEndPoint)peer.Socket.RemoteEndPoint!).Port}";
        Assert.Equal(
            [$"fastcgi.queued_requests 1 {tags}", $"fastcgi.queued_requests -1 {tags}"],
            meters.Measured.Where(static text => text.Contains("queued_requests", StringComparison.Ordinal)));
    }
}
