namespace FastCgi.Tool.CommandLine;

/// <summary>Arguments and options of several commands, with the same wording.</summary>
internal static class SharedOptions
{
    public static Argument<string> Endpoint() => new("endpoint")
    {
        Description = "Where the application listens: unix:/run/app/app.sock, 127.0.0.1:9000, scgi://127.0.0.1:9001.",
    };

    public static Option<bool> Flag(string name, string description, params string[] aliases) =>
        new(name, aliases) { Description = description };

    /// <param name="name">The name as typed.</param>
    /// <param name="description">Its purpose, in a sentence.</param>
    /// <param name="value">The name of the value in the help; null for the option's name.</param>
    /// <param name="aliases">Shorter names.</param>
    public static Option<T> Of<T>(string name, string description, string? value = null, params string[] aliases) =>
        new(name, aliases) { Description = description, HelpName = value };

    /// <summary>An option with a default, which the help shows.</summary>
    public static Option<T> WithDefault<T>(T usual, string name, string description, params string[] aliases) =>
        new(name, aliases) { Description = description, DefaultValueFactory = _ => usual };

    public static Option<bool> Json() => Flag("--json", "Print JSON for programs.");

    public static Option<double> Timeout(
        double seconds, string description = "Seconds after which the command gives up.") => new("--timeout", "-m")
    {
        Description = description,
        DefaultValueFactory = _ => seconds,
        HelpName = "seconds",
    };

    /// <exception cref="ToolException">The text is not an address to connect to.</exception>
    public static FastCgiEndpoint ReadEndpoint(string text)
    {
        if (!FastCgiEndpoint.TryParse(text, out FastCgiEndpoint? endpoint, out string? reason))
        {
            throw ToolException.Usage(
                $"the endpoint '{text}' cannot be used: {reason}. Write it like unix:/run/app/app.sock, " +
                "127.0.0.1:9000, [::1]:9000, or scgi:// in front of any of these for SCGI.");
        }

        return endpoint;
    }

    /// <exception cref="ToolException">The number is not a valid time.</exception>
    public static TimeSpan ReadSeconds(double seconds, string option) => seconds is > 0 and <= 86400
        ? TimeSpan.FromSeconds(seconds)
        : throw ToolException.Usage($"{option} {seconds} is no time. Give seconds above 0, 86400 at most.");
}
