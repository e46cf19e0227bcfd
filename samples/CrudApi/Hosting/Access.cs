using System.Security.Claims;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Authentication.JwtBearer;

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
