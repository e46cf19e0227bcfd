namespace FastCgi.WebServerKit;

/// <summary>Commands of the SDK, which leave nothing behind but what is in a directory of the test.</summary>
internal static class Sdk
{
    private static readonly TimeSpan s_deadline = TimeSpan.FromMinutes(8);

    /// <summary>Runs <c>dotnet</c>; a status other than 0 fails the test.</summary>
    /// <param name="home">Takes what the SDK keeps: templates that were installed, build servers' files.</param>
    public static async Task<string> RunAsync(WorkDirectory home, string directory, params string[] arguments)
    {
        var environment = new Dictionary<string, string>(BuildEnvironment.In(home))
        {
            ["DOTNET_CLI_HOME"] = home.Subdirectory("home"),
            ["DOTNET_NOLOGO"] = "true",
            ["DOTNET_CLI_TELEMETRY_OPTOUT"] = "true",
            ["DOTNET_GENERATE_ASPNET_CERTIFICATE"] = "false",
        };

        return (await ChildProcess.SucceedAsync("dotnet", arguments, directory, environment, s_deadline)).ToString();
    }
}
