namespace FastCgi.AspNetCore.Authentication;

/// <summary>The name of the scheme for users of the web server.</summary>
public static class FastCgiUserDefaults
{
    /// <summary>The name of the scheme when none is given.</summary>
    public const string AuthenticationScheme = "FastCgiUser";
}
