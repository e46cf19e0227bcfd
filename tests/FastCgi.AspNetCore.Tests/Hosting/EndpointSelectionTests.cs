using System.Globalization;

namespace FastCgi.AspNetCore.Tests.Hosting;

public class EndpointSelectionTests
{
    private readonly LogRecorder _logs = new();
    private readonly FastCgiServerOptions _options = new();
    private readonly FastCgiServerOptions _status = new();

    [Fact]
    public void Without_any_word_it_is_port_9000_of_loopback()
    {
        Assert.Equal(["fastcgi://127.0.0.1:9000"], Choose([]));
        Assert.Empty(_logs.Entries);
    }

    [Fact]
    public void Addresses_take_the_place_of_the_default() =>
        Assert.Equal(
            ["fastcgi://127.0.0.1:9001", "fastcgi://unix:/run/x.sock"], Choose(["fastcgi://127.0.0.1:9001", "/run/x.sock"]));

    [Fact]
    public void Endpoints_in_options_win_over_addresses_with_a_warning()
    {
        _options.ListenUnixSocket("/run/x.sock");

        Assert.Equal(["fastcgi://unix:/run/x.sock"], Choose(["fastcgi://127.0.0.1:9001"]));
        AssertOneWarning(LogEvents.AddressesOverridden, "fastcgi://127.0.0.1:9001");
    }

    [Fact]
    public void Addresses_win_over_endpoints_when_hosting_urls_are_preferred()
    {
        _options.ListenUnixSocket("/run/x.sock");

        Assert.Equal(["fastcgi://127.0.0.1:9001"], Choose(["fastcgi://127.0.0.1:9001"], preferHostingUrls: true));
        AssertOne(LogEvents.EndpointsOverridden, "fastcgi://unix:/run/x.sock");
    }

    [Fact]
    public void Preferred_hosting_urls_that_are_none_of_ours_leave_the_endpoints()
    {
        _options.ListenUnixSocket("/run/x.sock");

        Assert.Equal(["fastcgi://unix:/run/x.sock"], Choose(["http://*:80"], preferHostingUrls: true));
        AssertOneWarning(LogEvents.AddressNotBound, "http://*:80");
    }

    [Fact]
    public void HTTP_addresses_give_one_warning_in_all_and_are_not_bound()
    {
        Assert.Equal(["fastcgi://127.0.0.1:9000"], Choose(["http://*:8080", "https://localhost:5001"]));
        AssertOneWarning(LogEvents.AddressNotBound, "http://*:8080, https://localhost:5001");
        Assert.Contains("No other address is left", Assert.Single(_logs.Entries).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("fastcgi://127.0.0.1:9001", false)]
    [InlineData("fastcgi://unix:/run/x.sock", true)]
    public void HTTP_addresses_beside_others_are_told_as_not_bound_and_not_as_overridden(string other, bool byOptions)
    {
        if (byOptions)
        {
            _options.ListenUnixSocket("/run/x.sock");
        }

        Assert.Equal([other], Choose(byOptions ? ["http://*:8080"] : ["http://*:8080", other]));
        AssertOneWarning(LogEvents.AddressNotBound, "http://*:8080");
    }

    [Theory]
    [InlineData("http://*:8080", "fastcgi://fd:0")]
    [InlineData("127.0.0.1:9001", "fastcgi://127.0.0.1:9001")]
    public void A_listening_descriptor_0_is_used_when_no_address_is_given(string address, string chosen) =>
        Assert.Equal([chosen], Choose([address], ServerUnderTest.Launch(listeningDescriptor: 0)));

    [Theory]
    [InlineData(0, "fastcgi://fd:3, fastcgi://fd:4")]
    [InlineData(1, "fastcgi://127.0.0.1:9000")]
    public void Sockets_of_systemd_are_used_when_they_are_for_this_process(int others, string chosen) =>
        Assert.Equal(chosen, string.Join(", ", Choose([], Systemd(Environment.ProcessId + others, "2"))));

    [Fact]
    public void A_socket_that_systemd_passed_for_the_status_page_is_not_the_applications()
    {
        var launch = Systemd(Environment.ProcessId, "2") with
        {
            ReadAddress = static handle => new UnixDomainSocketEndPoint($"/run/{handle}.sock"),
        };
        _status.ListenUnixSocket("/run/4.sock");

        Assert.Equal(["fastcgi://fd:3"], Choose([], launch));
        _status.ListenHandle(3);
        Assert.Equal(["fastcgi://127.0.0.1:9000"], Choose([], launch));
    }

    [Fact]
    public void Endpoint_defaults_hold_for_addresses_too()
    {
        _options.ConfigureEndpointDefaults(static listen => listen.Backlog = 7);
        var feature = new ServerAddresses();
        feature.Addresses.Add("127.0.0.1:9001");

        Assert.Equal(7, Assert.Single(Selection(ServerUnderTest.Launch()).Choose(feature)).Backlog);
    }

    [Fact]
    public void Endpoints_of_a_gateway_come_last_and_replace_the_default()
    {
        const string Gateway = "fastcgi://unix:/run/gateway.sock";
        Assert.Equal([Gateway], Choose([], hasGateway: true));
        Assert.Equal(["fastcgi://127.0.0.1:9001", Gateway], Choose(["fastcgi://127.0.0.1:9001"], hasGateway: true));
        _options.ListenUnixSocket("/run/x.sock");
        Assert.Equal(["fastcgi://unix:/run/x.sock", Gateway], Choose([], hasGateway: true));
        Assert.Empty(_logs.Entries);
    }

    [Fact]
    public void Endpoint_defaults_do_not_hold_for_a_gateway()
    {
        _options.ConfigureEndpointDefaults(static listen => listen.Protocol = FastCgiEndpointProtocol.Scgi);

        Assert.Equal(["fastcgi://unix:/run/gateway.sock"], Choose([], hasGateway: true));
    }

    private static LaunchContext Systemd(int processId, string count) => ServerUnderTest.Launch(new Dictionary<string, string>
    {
        ["LISTEN_PID"] = processId.ToString(CultureInfo.InvariantCulture),
        ["LISTEN_FDS"] = count,
    });

    private IEnumerable<string> Choose(
        string[] addresses, LaunchContext? launch = null, bool preferHostingUrls = false, bool hasGateway = false)
    {
        var feature = new ServerAddresses { PreferHostingUrls = preferHostingUrls };
        Array.ForEach(addresses, feature.Addresses.Add);
        return Selection(launch ?? ServerUnderTest.Launch())
            .Choose(feature, hasGateway ? static gateway => gateway.ListenUnixSocket("/run/gateway.sock") : null)
            .Select(listen => listen.ToString());
    }

    private EndpointSelection Selection(LaunchContext launch) =>
        new(_options, launch, new ServerNotices(_logs.CreateLogger("test")), _status.GetEndpoints());

    private void AssertOneWarning(int eventId, string named) =>
        Assert.Equal(LogLevel.Warning, AssertOne(eventId, named).Level);

    private LogEntry AssertOne(int eventId, string named)
    {
        var entry = Assert.Single(_logs.Entries);
        Assert.Equal(eventId, entry.EventId.Id);
        Assert.Contains(named, entry.Message, StringComparison.Ordinal);
        return entry;
    }
}
