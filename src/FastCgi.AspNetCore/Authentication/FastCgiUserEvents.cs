namespace FastCgi.AspNetCore.Authentication;

/// <summary>
/// Callbacks of the sign-in of the web server's user: assign a delegate, or derive a class and set
/// <see cref="FastCgiUserOptions.Events"/> or <c>EventsType</c> to it.
/// </summary>
public class FastCgiUserEvents
{
    /// <summary>Called by <see cref="UserValidated"/>. Default: leaves the user as it is.</summary>
    public Func<FastCgiUserValidatedContext, Task> OnUserValidated { get; set; } = static _ => Task.CompletedTask;

    /// <summary>
    /// Called for each request that asks for the user, with the user that the web server has verified. It may add
    /// claims such as roles to the principal, replace the principal, or refuse the user with <c>Fail</c>. An exception
    /// ends the request.
    /// </summary>
    /// <param name="context">The user and the request.</param>
    public virtual Task UserValidated(FastCgiUserValidatedContext context) => OnUserValidated(context);
}
