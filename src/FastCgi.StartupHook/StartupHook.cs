using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using FastCgi.StartupHook;

/// <summary>
/// Runs before Main if DOTNET_STARTUP_HOOKS names this file (docs.microsoft.com: host startup hook). The runtime
/// requires this name, without a namespace.
/// </summary>
[SuppressMessage("Design", "CA1050", Justification = "The runtime looks for a class without a namespace.")]
internal static class StartupHook
{
    private const int Failed = 70;

    private static readonly string s_folder =
        Path.GetDirectoryName(Assembly.GetExecutingAssembly().Location) ?? AppContext.BaseDirectory;

    /// <summary>Uses no type of ASP.NET Core, because programs without it also start with this hook.</summary>
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

    /// <summary>Ends the process: an application that should serve FastCGI must not serve HTTP instead.</summary>
    private static void Fail(Exception exception)
    {
        Console.Error.WriteLine($"fcgi run: the application cannot serve FastCGI: {exception}");
        Environment.Exit(Failed);
    }

    /// <summary>Loads assemblies that the application lacks. The application's own files come first.</summary>
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
