namespace FastCgi.AspNetCore.Authentication;

/// <summary>Where an application takes part in signing in the web server's user.</summary>
public sealed class FastCgiUserEvents
{
    /// <summary>
    /// Called with the user that the web server has verified, for each request that asks for the user. It may add claims
    /// to the principal, such as roles, put another one in its place, or refuse the user by <c>Fail</c>. An exception
    /// ends the request. Default: leaves the user as it is.
    /// </summary>
    public Func<FastCgiUserValidatedContext, Task> OnUserValidated { get; set; } = static _ => Task.CompletedTask;
}
