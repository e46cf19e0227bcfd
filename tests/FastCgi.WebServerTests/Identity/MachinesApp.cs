using System.Security.Claims;
using System.Text.Encodings.Web;
using FastCgi.AspNetCore;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace FastCgi.WebServerTests.Identity;

/// <summary>An application whose clients are machines with certificates of one authority.</summary>
internal static class MachinesApp
{
    private const string Scheme = "certificate";

    public static void Build(WebApplicationBuilder builder, TestAuthority authority)
    {
        builder.Services.Configure<FastCgiServerOptions>(
            static options => options.ClientCertificateParameter = "SSL_CLIENT_CERT");
        builder.Services.AddSingleton(authority);
        builder.Services.AddAuthentication(Scheme).AddScheme<AuthenticationSchemeOptions, Handler>(Scheme, null);
        builder.Services.AddAuthorization(static options => options.AddPolicy(
            "machine 7", static policy => policy.RequireClaim(ClaimTypes.Name, "CN=machine-7")));
    }

    public static void Configure(WebApplication app)
    {
        app.MapGet("/certificate", static async (HttpContext context) =>
            (await context.Connection.GetClientCertificateAsync(context.RequestAborted))?.Thumbprint ?? "none");
        app.MapGet("/verified", static (HttpContext context) => context.GetServerVariable("SSL_CLIENT_VERIFY") ?? "");
        app.MapGet("/machines", static (ClaimsPrincipal user) => user.Identity!.Name).RequireAuthorization();
        app.MapGet("/seven", static () => "seven").RequireAuthorization("machine 7");
    }

    /// <summary>Certificate authentication in short: the chain is the application's to build, whoever let it in.</summary>
    private sealed class Handler(
        IOptionsMonitor<AuthenticationSchemeOptions> options,
        ILoggerFactory loggers,
        UrlEncoder encoder,
        TestAuthority authority)
        : AuthenticationHandler<AuthenticationSchemeOptions>(options, loggers, encoder)
    {
        protected override async Task<AuthenticateResult> HandleAuthenticateAsync()
        {
            if (await Context.Connection.GetClientCertificateAsync(Context.RequestAborted) is not { } certificate)
            {
                return AuthenticateResult.NoResult();
            }

            if (!authority.Signed(certificate))
            {
                return AuthenticateResult.Fail("Not of our authority.");
            }

            var identity = new ClaimsIdentity([new Claim(ClaimTypes.Name, certificate.Subject)], Scheme.Name);
            return AuthenticateResult.Success(new AuthenticationTicket(new ClaimsPrincipal(identity), Scheme.Name));
        }
    }
}
