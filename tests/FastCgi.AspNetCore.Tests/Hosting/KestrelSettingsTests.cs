using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Options;

namespace FastCgi.AspNetCore.Tests.Hosting;

public sealed class KestrelSettingsTests : IDisposable
{
    private readonly LogRecorder _logs = new();
    private readonly WebApplicationBuilder _builder = WebApplication.CreateBuilder();

    public KestrelSettingsTests()
    {
        _builder.Logging.ClearProviders().AddProvider(_logs).SetMinimumLevel(LogLevel.Information);
        _builder.WebHost.UseFastCgi(options => options.Listen(System.Net.IPAddress.Loopback, 0));
    }

    public void Dispose() => _logs.AssertNoUnexpectedErrors();

    [Fact]
    public async Task Limits_that_differ_from_Kestrels_defaults_are_taken_over_and_named()
    {
        _builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.Limits.MaxRequestBodySize = null;
            kestrel.Limits.MaxRequestHeaderCount = 7;
            kestrel.Limits.MinResponseDataRate = new(bytesPerSecond: 100, gracePeriod: TimeSpan.FromSeconds(10));
            kestrel.AllowSynchronousIO = true;
        });

        var options = await StartAsync();
        Assert.Equal(100, options.Limits.MinResponseDataRate?.BytesPerSecond);
        Assert.Null(options.Limits.MaxRequestBodySize);
        Assert.Equal((7, true), (options.Limits.MaxRequestHeaderCount, options.AllowSynchronousIO));
        Assert.Equal(32 * 1024, options.Limits.MaxRequestHeadersTotalSize);
        AssertLogged(
            LogEvents.KestrelSettingsTaken,
            "MaxRequestBodySize = null, MaxRequestHeaderCount = 7, MinResponseDataRate = (100, 00:00:10), " +
            "AllowSynchronousIO = True");
    }

    [Fact]
    public async Task What_both_servers_have_is_taken_over_and_the_rest_is_named_as_without_effect()
    {
        Func<string, Encoding?> requests = static _ => Encoding.Latin1;
        Func<string, Encoding?> responses = static _ => Encoding.UTF8;
        _builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.Limits.KeepAliveTimeout = TimeSpan.FromMinutes(10);
            kestrel.RequestHeaderEncodingSelector = requests;
            kestrel.ResponseHeaderEncodingSelector = responses;
            kestrel.DisableStringReuse = true;
            kestrel.AddServerHeader = false;
            kestrel.AllowResponseHeaderCompression = false;
            kestrel.AllowAlternateSchemes = true;
            kestrel.AllowHostHeaderOverride = true;
            kestrel.Limits.Http2.MaxStreamsPerConnection = 7;
            kestrel.Limits.Http2.KeepAlivePingDelay = TimeSpan.FromSeconds(30);
            kestrel.Limits.Http3.MaxRequestHeaderFieldSize = 9000;
        });

        var options = await StartAsync();

        Assert.Equal(TimeSpan.FromMinutes(10), options.Limits.KeepAliveTimeout);
        Assert.Same(requests, options.RequestHeaderEncodingSelector);
        Assert.Same(responses, options.ResponseHeaderEncodingSelector);
        Assert.Equal((true, false), (options.DisableStringReuse, options.AddServerHeader));
        AssertLogged(
            LogEvents.KestrelSettingsTaken,
            ": KeepAliveTimeout = 00:10:00, DisableStringReuse = True, AddServerHeader = False, " +
            "RequestHeaderEncodingSelector, ResponseHeaderEncodingSelector.");
        AssertLogged(
            LogEvents.KestrelSettingsIgnored,
            ": AllowResponseHeaderCompression, AllowAlternateSchemes, AllowHostHeaderOverride, " +
            "Limits.Http2.MaxStreamsPerConnection, Limits.Http2.KeepAlivePingDelay, " +
            "Limits.Http3.MaxRequestHeaderFieldSize.",
            LogLevel.Information);
    }

    [Fact]
    public async Task The_section_and_the_code_for_FastCgi_win()
    {
        _builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.Limits.MaxRequestBodySize = 1;
            kestrel.Limits.MaxRequestHeaderCount = 7;
            kestrel.Limits.MaxRequestLineSize = 9000;
        });
        _builder.Configuration.AddInMemoryCollection([new("FastCgi:Limits:MaxRequestBodySize", "2")]);
        _builder.WebHost.ConfigureFastCgi(fastCgi => fastCgi.Limits.MaxRequestHeaderCount = 8);

        var limits = (await StartAsync()).Limits;
        Assert.Equal((2L, 8, 9000), (limits.MaxRequestBodySize, limits.MaxRequestHeaderCount, limits.MaxRequestLineSize));
        AssertLogged(LogEvents.KestrelSettingsTaken, ": MaxRequestLineSize = 9000.");
    }

    [Fact]
    public async Task Endpoints_of_Kestrel_are_named_as_ignored()
    {
        _builder.WebHost.ConfigureKestrel(kestrel => kestrel.ListenLocalhost(5123));

        await StartAsync();
        AssertLogged(LogEvents.KestrelEndpointsIgnored, "http://localhost:5123");
    }

    [Theory, InlineData(true), InlineData(false)]
    public async Task Endpoints_of_Kestrels_section_are_named_as_ignored(bool hasKestrel)
    {
        var builder = hasKestrel ? _builder : WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        if (!hasKestrel)
        {
            builder.Logging.AddProvider(_logs);
            builder.WebHost.UseFastCgi(options => options.Listen(System.Net.IPAddress.Loopback, 0));
        }

        builder.Configuration.AddInMemoryCollection(
            [new("Kestrel:Endpoints:Web:Url", "http://*:5125"), new("Kestrel:Endpoints:Bare:Protocols", "Http1")]);

        await StartAsync(builder);

        AssertLogged(
            LogEvents.KestrelEndpointsIgnored,
            "endpoints (Kestrel:Endpoints:Bare), http://*:5125 (Kestrel:Endpoints:Web).",
            LogLevel.Warning);
    }

    [Fact]
    public async Task Code_for_Kestrel_that_throws_does_not_stop_the_start()
    {
        _builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(
            System.Net.IPAddress.Loopback, 5124, listen => listen.UseHttps("/nonexistent/certificate.pfx")));
        _builder.WebHost.ConfigureKestrel(kestrel => kestrel.Limits.MaxRequestBodySize = 5);

        Assert.Equal(5, (await StartAsync()).Limits.MaxRequestBodySize);
        AssertLogged(LogEvents.KestrelConfigurationFailed, "Exception: ");
        Assert.Single(_logs.Entries, entry => entry.EventId.Id == LogEvents.KestrelEndpointsIgnored);
    }

    [Fact]
    public async Task Without_any_nothing_is_said()
    {
        await StartAsync();
        Assert.DoesNotContain(
            _logs.Entries,
            entry => entry.EventId.Id is (>= LogEvents.KestrelSettingsTaken and <= LogEvents.KestrelConfigurationFailed)
                or LogEvents.KestrelSettingsIgnored);
    }

    [Fact]
    public void Kestrels_own_options_are_left_alone()
    {
        _builder.WebHost.ConfigureKestrel(kestrel => kestrel.Limits.MaxRequestBodySize = 5);
        using var services = _builder.Services.BuildServiceProvider();

        Assert.Equal(5, services.GetRequiredService<IOptions<FastCgiServerOptions>>().Value.Limits.MaxRequestBodySize);
        Assert.Equal(5, services.GetRequiredService<IOptions<KestrelServerOptions>>().Value.Limits.MaxRequestBodySize);
    }

    private void AssertLogged(int eventId, string text, LogLevel? level = null)
    {
        var entry = Assert.Single(_logs.Entries, entry => entry.EventId.Id == eventId);
        Assert.Equal(level ?? entry.Level, entry.Level);
        Assert.Contains(text, entry.Message, StringComparison.Ordinal);
    }

    private Task<FastCgiServerOptions> StartAsync() => StartAsync(_builder);

    private static async Task<FastCgiServerOptions> StartAsync(WebApplicationBuilder builder)
    {
        await using var app = builder.Build();
        await app.StartAsync().Within("the start");
        await app.StopAsync().Within("the stop");
        return app.Services.GetRequiredService<IOptions<FastCgiServerOptions>>().Value;
    }
}
