namespace FastCgi.WebServerKit.Samples;

/// <summary>
/// An application in a directory that every user can enter, with the script by which a web server starts it:
/// samples/web-servers/app.fcgi.
/// </summary>
internal sealed class StartedProgram : IDisposable
{
    private const UnixFileMode Executable = (UnixFileMode)0b111_101_101;

    private const UnixFileMode Everybodys = (UnixFileMode)0b111_111_111;

    private readonly WorkDirectory _directory = new();
    private int _socketDirectories;

    /// <param name="program">The built program, which is copied with everything beside it.</param>
    public StartedProgram(string program, IReadOnlyDictionary<string, string> settings)
    {
        _directory.LetEverybodyThrough();
        foreach (var file in Directory.EnumerateFiles(Path.GetDirectoryName(program)!))
        {
            File.Copy(file, _directory.File(Path.GetFileName(file)));
        }

        var lines = string.Concat(settings.Select(setting => $"export {setting.Key}='{setting.Value}'\n"));
        var script = SampleFile.Read("app.fcgi")
            .Replace(
                "exec /usr/bin/dotnet /srv/app/App.dll",
                $"{lines}exec {InstalledProgram.Find("dotnet")} {_directory.File(Path.GetFileName(program))}")
            .ToString();
        File.WriteAllText(Script, $"{script}\n");
        File.SetUnixFileMode(Script, Executable);
    }

    public string Folder => _directory.Path;

    public string Script => _directory.File("app.fcgi");

    /// <summary>A directory where one web server, of whichever user, makes its sockets.</summary>
    public string CreateSocketDirectory()
    {
        var sockets = _directory.Subdirectory($"{Interlocked.Increment(ref _socketDirectories)}");
        File.SetUnixFileMode(sockets, Everybodys);
        return sockets;
    }

    public void Dispose() => _directory.Dispose();
}
