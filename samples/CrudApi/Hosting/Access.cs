using System.Security.Claims;
using System.Security.Cryptography;
using System.Text;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.JwtBearer;
using Microsoft.Extensions.Options;

namespace CrudApiSample.Hosting;

/// <summary>Who may use the API: everybody, or those who send a key or a Bearer token.</summary>
/// <param name="HasKeys">The configuration has keys.</param>
/// <param name="HasTokens">The configuration says which Bearer tokens are valid.</param>
internal sealed record Access(bool HasKeys, bool HasTokens)
{
    private const string KeyOrToken = "KeyOrToken";

    // Where the framework's own handler looks for its settings.
    private const string TokenSettings = "Authentication:Schemes:Bearer";

    public bool IsOpen => !HasKeys && !HasTokens;

    public string Demand => (HasKeys, HasTokens) switch
    {
        (true, true) => $"The header {ApiKeyHandler.Header} has to carry a key, or Authorization a Bearer token.",
        (true, false) => $"The header {ApiKeyHandler.Header} has to carry the key.",
        _ => "The header Authorization has to carry a Bearer token.",
    };

    public static void AddTo(WebApplicationBuilder builder)
    {
        var options = builder.Configuration.GetSection("Api").Get<ApiOptions>() ?? new ApiOptions();
        var keys = options.Users.Values.Select(user => user.Key).Append(options.Key);
        var access = new Access(
            keys.Any(key => !string.IsNullOrEmpty(key)), builder.Configuration.GetSection(TokenSettings).Exists());
        builder.Services.AddSingleton(access);
        builder.Services.AddAuthorization();
        if (access.IsOpen)
        {
            builder.Services.AddAuthentication();
            return;
        }

        var schemes = builder.Services.AddAuthentication(KeyOrToken)
            .AddScheme<AuthenticationSchemeOptions, ApiKeyHandler>(ApiKeyHandler.SchemeName, configureOptions: null)
            .AddPolicyScheme(KeyOrToken, displayName: null, scheme => scheme.ForwardDefaultSelector = access.Choose);
        if (access.HasTokens)
        {
            schemes.AddJwtBearer();
        }
    }

    /// <summary>Null for the owner of <c>Api:Key</c>, who is no user; empty for a token that names nobody.</summary>
    public static string? UserOf(ClaimsPrincipal principal)
    {
        var name = principal.FindFirstValue(ClaimTypes.NameIdentifier) ?? principal.FindFirstValue("sub");
        return name ?? (principal.Identity?.AuthenticationType == ApiKeyHandler.SchemeName ? null : "");
    }

    private string Choose(HttpContext context) =>
        HasTokens && (!HasKeys || !context.Request.Headers.ContainsKey(ApiKeyHandler.Header))
            ? JwtBearerDefaults.AuthenticationScheme
            : ApiKeyHandler.SchemeName;
}

/// <summary>Signs in those who send one of the configured keys.</summary>
internal sealed class ApiKeyHandler : AuthenticationHandler<AuthenticationSchemeOptions>
{
    public const string SchemeName = "ApiKey";
    public const string Header = "X-API-Key";

    private readonly List<(byte[] Hash, ClaimsPrincipal User)> _keys = [];

    public ApiKeyHandler(
        IOptionsMonitor<AuthenticationSchemeOptions> schemes,
        ILoggerFactory loggers,
        UrlEncoder encoder,
        IOptions<ApiOptions> options)
        : base(schemes, loggers, encoder)
    {
        var users = options.Value.Users.Select(user => (Name: (string?)user.Key, user.Value.Key));
        foreach (var (name, key) in users.Prepend((null, options.Value.Key)))
        {
            if (!string.IsNullOrEmpty(key))
            {
                Claim[] claims = name is null ? [] : [new Claim(ClaimTypes.NameIdentifier, name)];
                _keys.Add((Hash(key), new ClaimsPrincipal(new ClaimsIdentity(claims, SchemeName))));
            }
        }
    }

    protected override Task<AuthenticateResult> HandleAuthenticateAsync()
    {
        if (!Request.Headers.TryGetValue(Header, out var sent))
        {
            return Task.FromResult(AuthenticateResult.NoResult());
        }

        var hash = Hash(sent.ToString());
        foreach (var (expected, user) in _keys)
        {
            if (CryptographicOperations.FixedTimeEquals(hash, expected))
            {
                return Task.FromResult(AuthenticateResult.Success(new AuthenticationTicket(user, Scheme.Name)));
            }
        }

        return Task.FromResult(AuthenticateResult.Fail("No such key."));
    }

    protected override Task HandleChallengeAsync(AuthenticationProperties properties)
    {
        Response.StatusCode = StatusCodes.Status401Unauthorized;
        Response.Headers.Append("WWW-Authenticate", $"ApiKey realm=\"{Header}\"");
        return Task.CompletedTask;
    }

    // Hashes are of one length, so comparing them tells nothing about the key's.
    private static byte[] Hash(string key) => SHA256.HashData(Encoding.UTF8.GetBytes(key));
}
