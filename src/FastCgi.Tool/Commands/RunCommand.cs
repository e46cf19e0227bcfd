using System.Runtime.InteropServices;
using FastCgi.Tool.Running;

namespace FastCgi.Tool.Commands;

/// <summary>fcgi run: lets a published application without FastCGI support serve FastCGI.</summary>
internal sealed class RunCommand : ExampleCommand
{
    private const string Hook = "FastCgi.StartupHook";
    private const string Hooks = "DOTNET_STARTUP_HOOKS";
    private const string HostingStartups = "ASPNETCORE_HOSTINGSTARTUPASSEMBLIES";
    private const string Endpoint = "FastCgi__Endpoints__Run__";

    private readonly Argument<string> _application = new("application")
    {
        Description = "The published application: App.dll, or the program App beside it.",
    };
    private readonly Argument<string[]> _arguments = new("arguments")
    {
        Description = "Arguments of the application, behind --.",
        DefaultValueFactory = static _ => [],
    };
    private readonly Option<string?> _listen = SharedOptions.Of<string?>(
        "--listen",
        "Where to listen: unix:/run/app/app.sock, 127.0.0.1:9000. Default: the sockets that systemd passes, or the " +
        "application's own section FastCgi.",
        "address",
        "-l");
    private readonly Option<string?> _mode = SharedOptions.Of<string?>(
        "--unix-mode", "The mode of the socket file of --listen, for example 0660.", "mode");

    public RunCommand()
        : base(
            "run",
            "Runs a published ASP.NET Core application that serves FastCGI in place of HTTP, without recompiling " +
            "it. The tool becomes the application: its process id stays.",
            "fcgi run /srv/app/App.dll --listen unix:/run/app/app.sock",
            "fcgi run App.dll --listen 127.0.0.1:9000 -- --environment Staging")
    {
        Add(_application);
        Add(_arguments);
        AddAll(_listen, _mode);
        SetAction(Run);
    }

    private int Run(ParseResult parsed)
    {
        PublishedApplication application = PublishedApplication.Open(parsed.GetRequiredValue(_application));
        string hook = FindHook();
        var variables = new Dictionary<string, string>
        {
            [Hooks] = Joined(Hooks, hook, Path.PathSeparator),
            [HostingStartups] = Joined(HostingStartups, Hook, ';'),
        };
        string? mode = parsed.GetValue(_mode);
        string? listen = parsed.GetValue(_listen);
        if (mode is not null && (listen is null || SharedOptions.ReadEndpoint(listen).SocketPath is null))
        {
            throw ToolException.Usage(
                $"--unix-mode {mode} is for the socket file of --listen. Add --listen unix:/run/app/app.sock, or set " +
                "UnixMode in the application's section FastCgi.");
        }

        if (listen is not null)
        {
            SharedOptions.ReadEndpoint(listen);
            variables[$"{Endpoint}Url"] = listen;
        }

        if (mode is not null)
        {
            variables[$"{Endpoint}UnixMode"] = mode;
        }

        return ProgramReplacement.Run(
            FindDotnet(), [application.Assembly, .. parsed.GetValue(_arguments) ?? []], variables);
    }

    private static string Joined(string variable, string own, char separator)
    {
        string others = Environment.GetEnvironmentVariable(variable) ?? "";
        return others.Length == 0 ? own : $"{others}{separator}{own}";
    }

    /// <summary>
    /// Finds the hook, with the server beside it. The package also has both precompiled for two platforms, so that a
    /// start need not compile the server.
    /// </summary>
    private static string FindHook()
    {
        string plain = Path.Combine(AppContext.BaseDirectory, $"{Hook}.dll");
        string compiled = Path.Combine(
            AppContext.BaseDirectory, "ahead", RuntimeInformation.RuntimeIdentifier, $"{Hook}.dll");
        return File.Exists(compiled) ? compiled
            : File.Exists(plain) ? plain
            : throw new ToolException(
                ExitCode.Defect, $"the file '{plain}' of the tool is missing. Install the tool anew.");
    }

    /// <summary>Finds the program dotnet of the runtime that runs the tool itself.</summary>
    private static string FindDotnet()
    {
        string name = OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet";
        // shared/Microsoft.NETCore.App/10.0.0/
        string path = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", name));
        return File.Exists(path)
            ? path
            : throw ToolException.Usage($"there is no '{path}'. Install the .NET 10 runtime.");
    }
}
