using System.Security.Claims;
using System.Text.Encodings.Web;
using System.Text.Unicode;
using FastCgi.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Authentication;

namespace FastCgi.AspNetCore.Authentication;

/// <summary>
/// Signs in the user that the web server has verified. A challenge is a plain 401: only the web server can ask for a
/// password and verify it.
/// </summary>
internal sealed partial class FastCgiUserHandler(
    IOptionsMonitor<FastCgiUserOptions> options, ILoggerFactory loggers, UrlEncoder encoder, LogInterval warnings)
    : AuthenticationHandler<FastCgiUserOptions>(options, loggers, encoder)
{
    private new FastCgiUserEvents Events => (FastCgiUserEvents)base.Events!;

    protected override Task<object> CreateEventsAsync() => Task.FromResult<object>(new FastCgiUserEvents());

    protected override async Task<AuthenticateResult> HandleAuthenticateAsync()
    {
        // On another server, only headers could contain a name.
        if (Context.Features.Get<IFastCgiRequestFeature>() is not { } request)
        {
            return AuthenticateResult.NoResult();
        }

        var user = VouchedUser.Read(request, Options);
        if (user.Name is null)
        {
            return user.Refusal == UserRefusal.None ? AuthenticateResult.NoResult() : Refuse(user.Refusal);
        }

        var validated = new FastCgiUserValidatedContext(Context, Scheme, Options)
        {
            Principal = CreatePrincipal(user.Name, user.AuthType),
            UserName = user.Name,
            AuthType = user.AuthType,
        };
        await Events.UserValidated(validated).ConfigureAwait(false);
        if (validated.Result is null)
        {
            validated.Success();
        }

        return validated.Result!;
    }

    private ClaimsPrincipal CreatePrincipal(string name, string? authType)
    {
        var identity = new ClaimsIdentity(authType ?? Scheme.Name);
        Add(ClaimTypes.NameIdentifier, name);
        Add(ClaimTypes.Name, name);
        if (authType is not null)
        {
            Add(ClaimTypes.AuthenticationMethod, authType);
        }

        return new ClaimsPrincipal(identity);

        void Add(string type, string value) =>
            identity.AddClaim(new Claim(type, value, ClaimValueTypes.String, ClaimsIssuer));
    }

    private AuthenticateResult Refuse(UserRefusal refusal)
    {
        var reason = Describe(refusal);
        // A name that is no text is the client's fault; other refusals are faults of the configuration.
        if (refusal != UserRefusal.NotText && warnings.TryEnter(out var count))
        {
            UserRefused(Logger, Options.UserParameter, reason, count);
        }

        return AuthenticateResult.Fail($"The user in the param {Options.UserParameter} does not count: {reason}");
    }

    private static string Describe(UserRefusal refusal) => refusal switch
    {
        UserRefusal.Unverified =>
            "HAProxy sends in REMOTE_USER whatever name the client typed. Keep the verified one in a variable, in " +
            "the backend 'http-request set-var(txn.member) http_auth_user if { http_auth(<userlist>) }', send it in " +
            "a param of your own, in the fcgi-app 'set-param AUTHENTICATED_USER %[var(txn.member)]', and set " +
            "UserParameter to that.",
        UserRefusal.AuthTypeMissing =>
            "the web server sent no AUTH_TYPE, so nobody may have verified the name (nginx sends any that the client " +
            "typed). Where the web server does verify it, for nginx inside the location with auth_basic, add " +
            "'fastcgi_param AUTH_TYPE Basic;'; everywhere else add 'fastcgi_param REMOTE_USER \"\";'.",
        UserRefusal.AuthTypeUnlisted => "the AUTH_TYPE that came with it is not in AuthTypes.",
        _ => "the name is not UTF-8, or has control characters.",
    };

    [LoggerMessage(LogEvents.UserRefused, LogLevel.Warning,
        "The user in the param {Param} signs nobody in: {Reason} {Count} request(s) since this was last said.")]
    private static partial void UserRefused(ILogger logger, string? param, string reason, long count);
}

/// <summary>The web server's user in the params of a request, or the reason why the name is refused.</summary>
/// <param name="Name">Null if there is no user, or the name is refused.</param>
/// <param name="AuthType">Null if there is none.</param>
/// <param name="Refusal">Also None if there is no user.</param>
internal readonly record struct VouchedUser(string? Name, string? AuthType, UserRefusal Refusal)
{
    private const string AuthTypeParam = "AUTH_TYPE";
    private const string ServerSoftwareParam = "SERVER_SOFTWARE";

    public static VouchedUser Read(IFastCgiRequestFeature request, FastCgiUserOptions options)
    {
        if (!TryGetValue(request, options.UserParameter!, out var name))
        {
            return default;
        }

        // HAProxy takes REMOTE_USER and AUTH_TYPE from the Authorization header, unverified.
        if (options.IsRemoteUser
            && request.TryGetParameter(ServerSoftwareParam, out var software)
            && software.Length >= 7 && Ascii.EqualsIgnoreCase(software[..7], "haproxy"u8))
        {
            return Refused(UserRefusal.Unverified);
        }

        var authType = TryGetValue(request, AuthTypeParam, out var type) ? Encoding.UTF8.GetString(type) : null;
        if (authType is null && options.RequireAuthType)
        {
            return Refused(UserRefusal.AuthTypeMissing);
        }

        if (options.AuthTypes.Count > 0 && (authType is null || !options.AuthTypes.Contains(authType)))
        {
            return Refused(UserRefusal.AuthTypeUnlisted);
        }

        // With replacement characters, two different names could become equal.
        return Utf8.IsValid(name) && !name.ContainsAnyInRange((byte)0, (byte)0x1F) && !name.Contains((byte)0x7F)
            ? new VouchedUser(Encoding.UTF8.GetString(name), authType, UserRefusal.None)
            : Refused(UserRefusal.NotText);
    }

    private static VouchedUser Refused(UserRefusal refusal) => new(null, null, refusal);

    /// <summary>Logs and HAProxy write a hyphen for a missing value.</summary>
    private static bool TryGetValue(IFastCgiRequestFeature request, string name, out ReadOnlySpan<byte> value) =>
        request.TryGetParameter(name, out value) && !value.SequenceEqual("-"u8);
}

/// <summary>The reason why a name in the params is refused.</summary>
internal enum UserRefusal
{
    None,

    /// <summary>The web server sends the name that the client typed.</summary>
    Unverified,

    AuthTypeMissing,
    AuthTypeUnlisted,

    /// <summary>The name is not UTF-8, or contains control characters.</summary>
    NotText,
}
