using System.Text;
using System.Text.Unicode;

namespace FastCgi.AspNetCore.Authentication;

/// <summary>Whom the params of a request name as the web server's user, or why their name does not count.</summary>
/// <param name="Name">Null without a user, or when the name does not count.</param>
/// <param name="AuthType">Null where there is none.</param>
/// <param name="Refusal">None also without a user.</param>
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

        // HAProxy takes both REMOTE_USER and AUTH_TYPE from the Authorization header, unverified.
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

        // Decoded with replacement characters, two names could become one.
        return Utf8.IsValid(name) && !name.ContainsAnyInRange((byte)0, (byte)0x1F) && !name.Contains((byte)0x7F)
            ? new VouchedUser(Encoding.UTF8.GetString(name), authType, UserRefusal.None)
            : Refused(UserRefusal.NotText);
    }

    private static VouchedUser Refused(UserRefusal refusal) => new(null, null, refusal);

    /// <summary>A hyphen is what logs, and HAProxy, write for nothing.</summary>
    private static bool TryGetValue(IFastCgiRequestFeature request, string name, out ReadOnlySpan<byte> value) =>
        request.TryGetParameter(name, out value) && !value.SequenceEqual("-"u8);
}

/// <summary>Why a name in the params signs nobody in.</summary>
internal enum UserRefusal
{
    None,

    /// <summary>The web server fills in what the client typed.</summary>
    Unverified,

    /// <summary>There is no AUTH_TYPE.</summary>
    AuthTypeMissing,

    /// <summary>AUTH_TYPE is not one of those that count.</summary>
    AuthTypeUnlisted,

    /// <summary>The name is no UTF-8, or has control characters.</summary>
    NotText,
}
