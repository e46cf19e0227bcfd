using FastCgi.Gateway.Tests.Php;
using FastCgi.WebServerKit.Databases;

namespace FastCgi.Gateway.Tests.PhpApplications;

/// <summary>
/// PHP applications of Debian, which tests/run unpacks with their libraries and PHP extensions.
/// Missing, they fail the test on a build machine and skip it elsewhere.
/// </summary>
[SupportedOSPlatform("linux")]
internal static class UnpackedPackages
{
    /// <summary>In the order in which they need each other.</summary>
    private static readonly string[] s_extensions =
    [
        "mysqlnd", "mysqli", "xml", "dom", "simplexml", "xmlreader", "xmlwriter", "mbstring", "gd", "intl", "pdo_sqlite",
        "sqlite3",
    ];

    private static string Root => Path.Combine(Repository.Root, "artifacts", "php-applications");

    /// <summary>Copies an application to where it may write; links become what they lead to.</summary>
    /// <param name="source">From the root of the packages on.</param>
    /// <param name="target">Exists, or is made.</param>
    public static Task CopyAsync(string source, string target) => DatabaseProgram.RunAsync(
        "cp", ["--recursive", "--dereference", "--no-target-directory", PathOf(source), target], Root);

    /// <summary>The files of a folder alone: some of its links lead to what an installation would make.</summary>
    public static void CopyFiles(string source, string target)
    {
        Directory.CreateDirectory(target);
        foreach (var file in new DirectoryInfo(PathOf(source)).EnumerateFiles())
        {
            if (file.LinkTarget is null)
            {
                file.CopyTo(Path.Combine(target, file.Name));
            }
        }
    }

    /// <summary>A file of a package.</summary>
    public static string PathOf(string file)
    {
        InstalledProgram.RequireFile(Path.Combine(Root, "complete"));
        return Path.Combine(Root, file);
    }

    /// <summary>PHP-FPM with the extensions of the packages, and without a way to send mail.</summary>
    /// <param name="upload">The size of the largest upload, as PHP writes it.</param>
    public static async Task<PhpFpm> StartPhpAsync(
        WorkDirectory directory, string upload = "8M", IReadOnlyDictionary<string, string>? environment = null)
    {
        string variables = string.Concat((environment ?? new Dictionary<string, string>())
            .Select(static one => $"env[{one.Key}] = {one.Value}\n"));
        string settings = $"""
            catch_workers_output = yes
            php_value[include_path] = .:{PathOf("usr/share/php")}:/usr/share/php
            php_admin_value[sendmail_path] = /bin/true
            php_admin_value[upload_max_filesize] = {upload}
            php_admin_value[post_max_size] = {upload}
            php_admin_value[upload_tmp_dir] = {directory.Path}
            php_value[error_reporting] = 22527
            php_admin_flag[display_errors] = off
            php_admin_flag[log_errors] = on
            {variables}
            """;
        return await PhpFpm.StartAsync(
            directory,
            settings,
            await ExtensionsAsync(PhpFpm.Program, directory),
            new Dictionary<string, string> { ["LD_LIBRARY_PATH"] = Libraries });
    }

    /// <summary>Runs a script on the command line to its end, which has to be a good one.</summary>
    public static async Task RunPhpAsync(WorkDirectory directory, params string[] arguments)
    {
        string program = InstalledProgram.Find("php");
        await ChildProcess.SucceedAsync(
            program,
            [.. await ExtensionsAsync(program, directory), .. arguments],
            directory.Path,
            new Dictionary<string, string> { ["LD_LIBRARY_PATH"] = Libraries },
            TimeSpan.FromMinutes(2));
    }

    private static string Libraries =>
        Directory.GetDirectories(PathOf("usr/lib"), "*-linux-gnu").FirstOrDefault() ?? "";

    /// <summary>Arguments that load what a program of PHP does not have by itself.</summary>
    private static async Task<IEnumerable<string>> ExtensionsAsync(string program, WorkDirectory directory)
    {
        var (_, present) = await ChildProcess.RunAsync(program, ["-m"], directory.Path);
        string folder = Directory.GetDirectories(PathOf("usr/lib/php"), "20*").Single();
        return s_extensions
            .Where(name => !present.Lines.Contains(name, StringComparer.OrdinalIgnoreCase))
            .SelectMany(name => (string[])["-d", $"extension={Path.Combine(folder, $"{name}.so")}"]);
    }
}
