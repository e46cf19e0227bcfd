namespace FastCgi.AspNetCore.Authentication;

/// <summary>Where an application takes part in signing in the web server's user.</summary>
public sealed class FastCgiUserEvents
{
    /// <summary>
    /// Called for each request that asks for the user, with the user that the web server has verified. It may add
    /// claims to the principal, such as roles, replace the principal, or refuse the user by <c>Fail</c>. An exception
    /// ends the request. Default: leaves the user as it is.
    /// </summary>
    public Func<FastCgiUserValidatedContext, Task> OnUserValidated { get; set; } = static _ => Task.CompletedTask;
}
