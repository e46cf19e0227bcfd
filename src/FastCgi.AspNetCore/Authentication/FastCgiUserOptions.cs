using FastCgi.AspNetCore.Cgi;
using Microsoft.AspNetCore.Authentication;

namespace FastCgi.AspNetCore.Authentication;

/// <summary>
/// The user that the web server has verified. Some web servers send in REMOTE_USER the name that the client typed,
/// unverified. You must name the param that your web server verifies. There is no default.
/// </summary>
public sealed class FastCgiUserOptions : AuthenticationSchemeOptions
{
    internal const string RemoteUser = "REMOTE_USER";

    /// <summary>Creates options that sign in no user until <see cref="UserParameter"/> is set.</summary>
    public FastCgiUserOptions() => Events = new FastCgiUserEvents();

    /// <summary>
    /// The param with the name of the user, in UTF-8, for instance <c>REMOTE_USER</c>. No default: without it the
    /// application does not start. An empty value or <c>-</c> in a request means no user.
    /// </summary>
    /// <exception cref="ArgumentException">
    /// The name begins with <c>HTTP_</c>: any client can send such a param.
    /// </exception>
    public string? UserParameter
    {
        get;
        set => field = ClientMadeParam.Refuse(value, nameof(UserParameter), RemoteUser);
    }

    /// <summary>
    /// Accepts a name only with an AUTH_TYPE, in which the web server tells how it has verified the user. Default true.
    /// It can be false only with a param of your own: REMOTE_USER alone may be the name that the client typed.
    /// </summary>
    public bool RequireAuthType { get; set; } = true;

    /// <summary>
    /// The accepted values of AUTH_TYPE, in any case, for instance <c>Basic</c>. Default empty, which accepts any
    /// value. If there are some, AUTH_TYPE must be one of them, even if <see cref="RequireAuthType"/> is false.
    /// </summary>
    public ISet<string> AuthTypes { get; } = new HashSet<string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// The callbacks for a user. If <see cref="AuthenticationSchemeOptions.EventsType"/> is set, the services provide
    /// it, as a class derived from <see cref="FastCgiUserEvents"/>.
    /// </summary>
    public new FastCgiUserEvents Events
    {
        get => (FastCgiUserEvents)base.Events!;
        set => base.Events = value;
    }

    internal bool IsRemoteUser => RemoteUser.Equals(UserParameter, StringComparison.OrdinalIgnoreCase);

    /// <summary>Called at the start of the application.</summary>
    /// <exception cref="InvalidOperationException">The options would sign in no user, or any user.</exception>
    public override void Validate()
    {
        base.Validate();
        if (UserParameter is null)
        {
            throw new InvalidOperationException(
                $"{nameof(FastCgiUserOptions)}.{nameof(UserParameter)} is not set. Name the param in which your web " +
                $"server sends the user that it has verified, for instance {RemoteUser} behind Apache or lighttpd. " +
                "There is no default, since some web servers send a name that nobody has verified.");
        }

        if (IsRemoteUser && !RequireAuthType)
        {
            throw new InvalidOperationException(
                $"{RemoteUser} without AUTH_TYPE can be any name that the client typed: nginx sends it so. Leave " +
                $"{nameof(RequireAuthType)} true, or let the web server send the verified name in a param of your " +
                "own.");
        }
    }
}
