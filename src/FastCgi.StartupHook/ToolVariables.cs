using System.Diagnostics.CodeAnalysis;

namespace FastCgi.StartupHook;

/// <summary>
/// The environment variables from <c>fcgi run</c> to this process. They are removed from the environment, so that
/// programs that the application starts do not inherit them. Uses no type of ASP.NET Core.
/// </summary>
[SuppressMessage("ApiDesign", "RS0030", Justification = "No params of a request: the variables that brought us here.")]
internal static class ToolVariables
{
    private const string Hooks = "DOTNET_STARTUP_HOOKS";
    private const string HostingStartups = "ASPNETCORE_HOSTINGSTARTUPASSEMBLIES";
    private const string Endpoint = "FastCgi__Endpoints__Run__";

    /// <summary>
    /// The endpoint of <c>--listen</c>, as configuration keys. Kept here because a reload of the configuration reads
    /// the environment again.
    /// </summary>
    public static Dictionary<string, string?> Settings { get; } = [];

    /// <param name="hook">The path of this assembly.</param>
    public static void Take(string hook)
    {
        Remove(Hooks, hook, Path.PathSeparator);
        foreach (string name in (string[])["Url", "UnixMode"])
        {
            if (Environment.GetEnvironmentVariable(Endpoint + name) is { } value)
            {
                Settings[(Endpoint + name).Replace("__", ":", StringComparison.Ordinal)] = value;
                Environment.SetEnvironmentVariable(Endpoint + name, null);
            }
        }
    }

    /// <summary>Called when the host that gets the server exists, because host builders read this variable.</summary>
    public static void ForgetHostingStartup() =>
        Remove(HostingStartups, typeof(ToolVariables).Assembly.GetName().Name!, ';');

    private static void Remove(string variable, string own, char separator)
    {
        string[] others = [.. (Environment.GetEnvironmentVariable(variable) ?? "")
            .Split(separator, StringSplitOptions.RemoveEmptyEntries).Where(name => name != own)];
        Environment.SetEnvironmentVariable(variable, others.Length == 0 ? null : string.Join(separator, others));
    }
}
