using System.Security.Claims;
using FastCgi.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication;

namespace FastCgi.FunctionalTests.Identity;

/// <summary>The users that a web server has verified, at the level of params.</summary>
public sealed class UserTests : FunctionalTest
{
    private static readonly RequestDelegate s_describe = async context =>
    {
        var result = await context.AuthenticateAsync(FastCgiUserDefaults.AuthenticationScheme);
        var claims = result.Principal?.Claims.Select(static claim => $"{claim.Type.Split('/')[^1]}={claim.Value}");
        await context.Response.WriteAsync(result.Succeeded
            ? $"{result.Principal!.Identity!.AuthenticationType}: {string.Join(" ", claims!)}"
            : result.None ? "nobody" : "refused");
    };

    [Fact]
    public async Task A_verified_name_becomes_the_user_with_its_claims()
    {
        var peer = await ConnectToAsync();

        Assert.Equal(
            "Digest: nameidentifier=ann name=ann authenticationmethod=Digest",
            await AskAsync(peer, ("REMOTE_USER", "ann"), ("AUTH_TYPE", "Digest")));
        Assert.Equal("nobody", await AskAsync(peer));
    }

    [Fact]
    public async Task No_header_makes_a_user()
    {
        var peer = await ConnectToAsync();

        Assert.Equal("nobody", await AskAsync(
            peer, ("HTTP_REMOTE_USER", "evil"), ("HTTP_AUTH_TYPE", "Basic"), ("http_remote_user", "evil"),
            ("HTTP_AUTHORIZATION", "Basic ZXZpbDp4"), ("REDIRECT_REMOTE_USER", "evil"), ("AUTH_TYPE", "Basic")));
    }

    [Fact]
    public async Task A_name_without_AUTH_TYPE_is_refused_and_one_warning_says_what_to_do()
    {
        var peer = await ConnectToAsync();
        for (var request = 0; request < 3; request++)
        {
            Assert.Equal("refused", await AskAsync(peer, ("REMOTE_USER", "evil")));
        }

        var warning = Assert.Single(Logs.Entries, static entry => entry.EventId.Id == UserRefused);
        Assert.Equal(LogLevel.Warning, warning.Level);
        Assert.Contains("fastcgi_param AUTH_TYPE Basic;", warning.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("evil", warning.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_name_that_is_no_UTF8_is_refused_rather_than_mended()
    {
        var peer = await ConnectToAsync();
        byte[] pairs = [
            .. RecordBuilder.Pairs(new RequestScript().ToParams()),
            .. RecordBuilder.Pair("AUTH_TYPE", "Basic"),
            .. RecordBuilder.Pair(Encoding.UTF8.GetBytes("REMOTE_USER"), Encoding.Latin1.GetBytes("Zo\u00EB")),
        ];

        Assert.Equal("refused", (await peer.RoundTripAsync(FromParams(pairs))).BodyText);
        Assert.DoesNotContain(Logs.Entries, static entry => entry.EventId.Id == UserRefused);
    }

    [Fact]
    public async Task The_application_may_add_roles_or_refuse_the_user()
    {
        var peer = await ConnectToAsync(static options => options.Events.OnUserValidated = static context =>
        {
            if (context.UserName == "mallory")
            {
                context.Fail("Not this one.");
            }

            context.Principal!.Identities.First().AddClaim(new Claim(ClaimTypes.Role, $"staff-{context.AuthType}"));
            return Task.CompletedTask;
        });

        Assert.EndsWith(
            " role=staff-Basic",
            await AskAsync(peer, ("REMOTE_USER", "ann"), ("AUTH_TYPE", "Basic")),
            StringComparison.Ordinal);
        Assert.Equal("refused", await AskAsync(peer, ("REMOTE_USER", "mallory"), ("AUTH_TYPE", "Basic")));
    }

    [Fact]
    public async Task Derived_events_decide_as_the_delegate_does()
    {
        var peer = await ConnectToAsync(static options => options.Events = new NoMallory());

        Assert.Equal("refused", await AskAsync(peer, ("REMOTE_USER", "mallory"), ("AUTH_TYPE", "Basic")));
        Assert.NotEqual("refused", await AskAsync(peer, ("REMOTE_USER", "ann"), ("AUTH_TYPE", "Basic")));
    }

    [Fact]
    public async Task Events_can_come_from_the_services()
    {
        var peer = await StartAndConnectAsync(s_describe, configure: static builder =>
        {
            builder.Services.AddScoped<NoMallory>();
            builder.Services.AddAuthentication().AddFastCgiUser(static options =>
            {
                options.UserParameter = "REMOTE_USER";
                options.EventsType = typeof(NoMallory);
            });
        });

        Assert.Equal("refused", await AskAsync(peer, ("REMOTE_USER", "mallory"), ("AUTH_TYPE", "Basic")));
        Assert.NotEqual("refused", await AskAsync(peer, ("REMOTE_USER", "ann"), ("AUTH_TYPE", "Basic")));
    }

    private Task<ScriptedPeer> ConnectToAsync(Action<FastCgiUserOptions>? configure = null) => StartAndConnectAsync(
        s_describe,
        configure: builder => builder.Services.AddAuthentication().AddFastCgiUser(options =>
        {
            options.UserParameter = "REMOTE_USER";
            configure?.Invoke(options);
        }));

    private sealed class NoMallory : FastCgiUserEvents
    {
        public override Task UserValidated(FastCgiUserValidatedContext context)
        {
            if (context.UserName == "mallory")
            {
                context.Fail("Not this one.");
            }

            return base.UserValidated(context);
        }
    }
}
