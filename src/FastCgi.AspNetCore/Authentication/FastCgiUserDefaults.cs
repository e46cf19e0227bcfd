namespace FastCgi.AspNetCore.Authentication;

/// <summary>What the scheme for users of the web server is called.</summary>
public static class FastCgiUserDefaults
{
    /// <summary>The name of the scheme when none is given.</summary>
    public const string AuthenticationScheme = "FastCgiUser";
}
