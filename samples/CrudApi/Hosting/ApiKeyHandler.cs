using System.Security.Claims;
using System.Security.Cryptography;
using System.Text;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.Extensions.Options;

namespace CrudApiSample.Hosting;

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
