using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using FastCgi.StartupHook;

/// <summary>
/// Runs before Main if DOTNET_STARTUP_HOOKS names this file (docs.microsoft.com: host startup hook).
/// The name and the lack of a namespace are the runtime's rules.
/// </summary>
[SuppressMessage("Design", "CA1050", Justification = "The runtime looks for a class without a namespace.")]
internal static class StartupHook
{
    private const int Failed = 70;

    private static readonly string s_folder =
        Path.GetDirectoryName(Assembly.GetExecutingAssembly().Location) ?? AppContext.BaseDirectory;

    /// <summary>Touches no type of ASP.NET Core: programs without it start with this hook as well.</summary>
    public static void Initialize()
    {
        try
        {
            ToolVariables.Take(Assembly.GetExecutingAssembly().Location);
            AssemblyLoadContext.Default.Resolving += Resolve;
            Watch();
        }
        catch (Exception exception)
        {
            Fail(exception);
        }
    }

    /// <summary>Ends the process: an application that was to serve FastCGI must not serve HTTP instead.</summary>
    private static void Fail(Exception exception)
    {
        Console.Error.WriteLine($"fcgi run: the application cannot serve FastCGI: {exception}");
        Environment.Exit(Failed);
    }

    /// <summary>Files of the application win: this runs only for what is not among them.</summary>
    private static Assembly? Resolve(AssemblyLoadContext context, AssemblyName name)
    {
        string path = Path.Combine(s_folder, $"{name.Name}.dll");
        return name.Name?.StartsWith("FastCgi.", StringComparison.Ordinal) == true && File.Exists(path)
            ? context.LoadFromAssemblyPath(path)
            : null;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Watch() => HostWatcher.Start(Fail);
}
