namespace FastCgi.Tool.CommandLine;

/// <summary>Arguments and options that several commands have, in one wording.</summary>
internal static class SharedOptions
{
    public static Argument<string> Endpoint() => new("endpoint")
    {
        Description = "Where the application listens: unix:/run/app/app.sock, 127.0.0.1:9000, scgi://127.0.0.1:9001.",
    };

    public static Option<bool> Json() => new("--json") { Description = "Print JSON for programs." };

    public static Option<double> Timeout(
        double seconds, string description = "Seconds after which the command gives up.") => new("--timeout", "-m")
    {
        Description = description,
        DefaultValueFactory = _ => seconds,
        HelpName = "seconds",
    };

    /// <exception cref="ToolException">The text names nothing to connect to.</exception>
    public static FastCgiEndpoint ReadEndpoint(string text)
    {
        if (!FastCgiEndpoint.TryParse(text, out FastCgiEndpoint? endpoint, out string? reason))
        {
            throw new ToolException(
                ExitCode.Usage,
                $"the endpoint '{text}' cannot be used: {reason}. Write it like unix:/run/app/app.sock, " +
                "127.0.0.1:9000, [::1]:9000, or scgi:// in front of any of these for SCGI.");
        }

        return endpoint;
    }

    /// <exception cref="ToolException">The number is no time.</exception>
    public static TimeSpan ReadSeconds(double seconds, string option) => seconds is > 0 and <= 86400
        ? TimeSpan.FromSeconds(seconds)
        : throw new ToolException(
            ExitCode.Usage, $"{option} {seconds} is no time. Give seconds above 0, 86400 at most.");
}
