using System.Diagnostics.CodeAnalysis;

namespace FastCgi.StartupHook;

/// <summary>
/// The environment variables by which <c>fcgi run</c> speaks to this process. They are taken out of the environment, so
/// that a program that the application starts does not get them. Touches no type of ASP.NET Core.
/// </summary>
[SuppressMessage("ApiDesign", "RS0030", Justification = "No params of a request: the variables that brought us here.")]
internal static class ToolVariables
{
    private const string Hooks = "DOTNET_STARTUP_HOOKS";
    private const string HostingStartups = "ASPNETCORE_HOSTINGSTARTUPASSEMBLIES";
    private const string Endpoint = "FastCgi__Endpoints__Run__";

    /// <summary>
    /// The endpoint of <c>--listen</c>, as keys of the configuration. It stays when the configuration is read anew,
    /// which asks the environment too.
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

    /// <summary>The builders of hosts read this one, so it goes when the host is there that gets the server.</summary>
    public static void ForgetHostingStartup() =>
        Remove(HostingStartups, typeof(ToolVariables).Assembly.GetName().Name!, ';');

    private static void Remove(string variable, string own, char separator)
    {
        string[] others = [.. (Environment.GetEnvironmentVariable(variable) ?? "")
            .Split(separator, StringSplitOptions.RemoveEmptyEntries).Where(name => name != own)];
        Environment.SetEnvironmentVariable(variable, others.Length == 0 ? null : string.Join(separator, others));
    }
}
