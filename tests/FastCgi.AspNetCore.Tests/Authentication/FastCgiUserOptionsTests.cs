using FastCgi.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.Options;

namespace FastCgi.AspNetCore.Tests.Authentication;

/// <summary>What would sign in nobody, or anybody, stops the application before its first request.</summary>
public class FastCgiUserOptionsTests
{
    public static TheoryData<string> NamesOfHeaders =>
    [
        "HTTP_REMOTE_USER", "http_remote_user", "Http_X", "HTTP_", "HTTP-REMOTE-USER", "HTTP-X_Y",
        "REDIRECT_HTTP_AUTHORIZATION", "Redirect_Redirect_http_x", "", " ",
    ];

    [Theory, MemberData(nameof(NamesOfHeaders))]
    public void A_param_that_a_client_can_make_names_no_user_and_holds_no_certificate(string name)
    {
        Assert.Throws<ArgumentException>(() => new FastCgiUserOptions { UserParameter = name });
        var exception = Assert.Throws<ArgumentException>(
            () => new FastCgiServerOptions { ClientCertificateParameter = name });
        Assert.Contains($"'{name}'", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("REMOTE_USER")]
    [InlineData("HTTPS_USER")]
    [InlineData("REDIRECT_REMOTE_USER")]
    [InlineData("MY_HTTP_USER")]
    public void Any_other_param_may_be_vouched_for(string name) =>
        Assert.Equal(name, new FastCgiUserOptions { UserParameter = name }.UserParameter);

    /// <summary>Each overload of its kin: name, display name and options, or the defaults.</summary>
    [Fact]
    public async Task Every_overload_adds_a_scheme_whose_options_are_validated()
    {
        var builder = WebApplication.CreateBuilder();
        builder.WebHost.UseTestServer();
        foreach (var name in new[] { FastCgiUserDefaults.AuthenticationScheme, "named" })
        {
            builder.Services.Configure<FastCgiUserOptions>(name, static options => options.UserParameter = "MY_USER");
        }

        builder.Services.AddAuthentication()
            .AddFastCgiUser()
            .AddFastCgiUser("named")
            .AddFastCgiUser("configured", static options => options.UserParameter = "MY_USER")
            .AddFastCgiUser("shown", "A name", static options => options.UserParameter = "MY_USER");
        await using var app = builder.Build();
        await app.StartAsync();

        var schemes = await app.Services.GetRequiredService<IAuthenticationSchemeProvider>().GetAllSchemesAsync();
        Assert.Equal(
            [("FastCgiUser", null), ("configured", null), ("named", null), ("shown", "A name")],
            schemes.Select(static scheme => (scheme.Name, scheme.DisplayName))
                .OrderBy(static scheme => scheme.Name, StringComparer.Ordinal));
        var options = app.Services.GetRequiredService<IOptionsMonitor<FastCgiUserOptions>>();
        Assert.All(schemes, scheme => Assert.Equal("MY_USER", options.Get(scheme.Name).UserParameter));
    }

    [Theory]
    [InlineData(null, "UserParameter is not set", "REMOTE_USER")]
    [InlineData("REMOTE_USER", "without AUTH_TYPE")]
    [InlineData("Remote_User", "without AUTH_TYPE")]
    public async Task Without_a_param_or_without_AUTH_TYPE_beside_REMOTE_USER_the_application_does_not_start(
        string? name, params string[] reasons)
    {
        await using var app = Build(services => services.AddAuthentication().AddFastCgiUser(options =>
        {
            if (name is not null)
            {
                options.UserParameter = name;
                options.RequireAuthType = false;
            }
        }));

        var exception = await Assert.ThrowsAsync<InvalidOperationException>(() => app.StartAsync().Within("the start"));

        Assert.All(reasons, reason => Assert.Contains(reason, exception.Message, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_second_scheme_is_checked_as_the_first()
    {
        await using var app = Build(services => services.AddAuthentication()
            .AddFastCgiUser(static options => options.UserParameter = "REMOTE_USER")
            .AddFastCgiUser("other", static _ => { }));

        await Assert.ThrowsAsync<InvalidOperationException>(() => app.StartAsync().Within("the start"));
    }

    [Fact]
    public async Task A_param_of_ones_own_needs_no_AUTH_TYPE()
    {
        await using var app = Build(services => services.AddAuthentication().AddFastCgiUser(static options =>
        {
            options.UserParameter = "MEMBER";
            options.RequireAuthType = false;
        }));

        await app.StartAsync().Within("the start");
        await app.StopAsync().Within("the stop");
    }

    private static WebApplication Build(Action<IServiceCollection> services)
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseTestServer();
        services(builder.Services);
        return builder.Build();
    }
}
