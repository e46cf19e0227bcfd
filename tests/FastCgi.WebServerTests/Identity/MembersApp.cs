using System.Security.Claims;
using System.Text;
using FastCgi.AspNetCore.Authentication;

namespace FastCgi.WebServerTests.Identity;

/// <summary>An application whose members the web server knows, and whose roles it knows itself.</summary>
internal static class MembersApp
{
    /// <summary>ann, bob and zoë, each with the password "secret", as htpasswd writes them.</summary>
    public const string Passwords =
        "ann:$apr1$members$G3ww8lWtqKfB7xWNSx67z/\n" +
        "bob:$apr1$members$G3ww8lWtqKfB7xWNSx67z/\n" +
        "zo\u00EB:$apr1$members$G3ww8lWtqKfB7xWNSx67z/\n";

    public static void Build(WebApplicationBuilder builder, string userParam)
    {
        builder.Services.AddAuthentication(FastCgiUserDefaults.AuthenticationScheme).AddFastCgiUser(options =>
        {
            options.UserParameter = userParam;
            options.Events.OnUserValidated = static context =>
            {
                if (context.UserName == "ann")
                {
                    context.Principal!.Identities.First().AddClaim(new Claim(ClaimTypes.Role, "boss"));
                }

                return Task.CompletedTask;
            };
        });
        builder.Services.AddAuthorization();
    }

    public static void Configure(WebApplication app)
    {
        app.MapGet("/members/me", Describe).RequireAuthorization();
        app.MapGet("/members/books", Describe).RequireAuthorization(static policy => policy.RequireRole("boss"));
        app.MapGet("/members/header", static (HttpRequest request) => $"{request.Headers.Authorization}");

        // Below no path that a web server protects.
        app.MapGet("/open", Describe);
        app.MapGet("/staff", Describe).RequireAuthorization();
    }

    public static string Credentials(string user, string password = "secret") =>
        $"Authorization: Basic {Convert.ToBase64String(Encoding.UTF8.GetBytes($"{user}:{password}"))}\r\n";

    private static string Describe(ClaimsPrincipal user) =>
        user.Identity is { IsAuthenticated: true, Name: var name, AuthenticationType: var type }
            ? $"{name} by {type}"
            : "nobody";
}
