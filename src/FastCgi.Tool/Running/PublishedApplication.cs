using System.Text.Json;

namespace FastCgi.Tool.Running;

/// <summary>A published application. Its files show whether a startup hook can replace its server.</summary>
internal sealed class PublishedApplication
{
    private const string AspNet = "Microsoft.AspNetCore.App";
    private const int OldestRuntime = 10;

    private PublishedApplication(string assembly) => Assembly = assembly;

    /// <summary>The full path of the .dll.</summary>
    public string Assembly { get; }

    /// <param name="path">App.dll, or the program App beside it.</param>
    /// <exception cref="ToolException">There is no such application, or it cannot take a startup hook.</exception>
    public static PublishedApplication Open(string path)
    {
        if (path.Length == 0)
        {
            throw Refused("the application has no name. Name the published .dll, for example /srv/app/App.dll.");
        }

        string full = Path.GetFullPath(path);
        string assembly = AssemblyOf(full);
        if (!File.Exists(full) && !File.Exists(assembly))
        {
            throw Refused($"there is no application '{path}'. Name the published .dll, for example /srv/app/App.dll.");
        }

        if (!File.Exists(assembly))
        {
            throw Refused(
                $"'{path}' has no {Path.GetFileName(assembly)} beside it: it is a single file, or compiled by " +
                "Native AOT, and takes no startup hook. Publish it without PublishSingleFile and PublishAot, or " +
                "reference the package FastCgi.AspNetCore and call UseFastCgi.");
        }

        Judge(assembly);
        return new PublishedApplication(assembly);
    }

    /// <summary>A name may contain dots, as Contoso.Shop does: only .exe is an extension.</summary>
    private static string AssemblyOf(string program) =>
        program.EndsWith(".dll", StringComparison.OrdinalIgnoreCase) ? program
        : program.EndsWith(".exe", StringComparison.OrdinalIgnoreCase) ? $"{program[..^".exe".Length]}.dll"
        : $"{program}.dll";

    private static void Judge(string assembly)
    {
        string file = Path.ChangeExtension(assembly, ".runtimeconfig.json");
        if (!File.Exists(file))
        {
            throw Refused(
                $"'{assembly}' has no {Path.GetFileName(file)} beside it: it is a library, or not published.");
        }

        JsonNode options;
        try
        {
            options = JsonNode.Parse(File.ReadAllText(file))?["runtimeOptions"] ?? new JsonObject();
        }
        catch (JsonException exception)
        {
            throw ToolException.Usage($"'{file}' cannot be read: {exception.Message}", exception);
        }

        if (options["configProperties"]?["System.StartupHookProvider.IsSupported"]?.ToString() == "false")
        {
            throw Refused(
                $"'{assembly}' was trimmed, or its startup hooks are switched off " +
                $"(System.StartupHookProvider.IsSupported in {Path.GetFileName(file)}). Publish it without " +
                "PublishTrimmed, or set StartupHookSupport to true.");
        }

        JudgeFrameworks(assembly, options);
    }

    private static void JudgeFrameworks(string assembly, JsonNode options)
    {
        JsonObject[] frameworks =
        [
            .. new[] { options["framework"] }
                .Concat(options["frameworks"] as JsonArray ?? [])
                .Concat(options["includedFrameworks"] as JsonArray ?? [])
                .OfType<JsonObject>(),
        ];
        JsonObject? aspNet = frameworks.FirstOrDefault(static framework => framework["name"]?.ToString() == AspNet);
        if (aspNet is null)
        {
            throw Refused($"'{assembly}' does not use {AspNet}: it has no web server to replace.");
        }

        string version = aspNet["version"]?.ToString() ?? "";
        bool isOld = !int.TryParse(version.Split('.')[0], out int major) || major < OldestRuntime;
        bool rollsForward = (
            options["rollForward"]?.ToString() ?? Environment.GetEnvironmentVariable("DOTNET_ROLL_FORWARD"))
            is "Major" or "LatestMajor";
        if (isOld && (!rollsForward || options["includedFrameworks"] is not null))
        {
            throw Refused(
                $"'{assembly}' runs on {AspNet} {version}, and the server needs {OldestRuntime}. Publish it for " +
                "net10.0, or set DOTNET_ROLL_FORWARD=Major to run it on the newer runtime.");
        }
    }

    private static ToolException Refused(string message) => new(ExitCode.Usage, message);
}
