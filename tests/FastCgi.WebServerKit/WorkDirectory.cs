namespace FastCgi.WebServerKit;

/// <summary>A directory that only we can enter, its path short enough for a socket; deleted at the end.</summary>
internal sealed class WorkDirectory : IDisposable
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    /// <summary>A unix socket's path may have 107 bytes, which a long TMPDIR would use up.</summary>
    private const string Parent = "/tmp";

    /// <summary>The mode of a socket that a web server of any user may connect to.</summary>
    public const UnixFileMode EverybodysFile = (UnixFileMode)0b110_110_110;

    public WorkDirectory()
    {
        Path = System.IO.Path.Combine(Parent, $"fastcgi-test-{Guid.NewGuid():N}"[..24]);
        Directory.CreateDirectory(Path, OwnerOnly);
    }

    public string Path { get; }

    public string File(string name) => System.IO.Path.Combine(Path, name);

    public string Subdirectory(string name) => Directory.CreateDirectory(File(name)).FullName;

    /// <summary>Whoever knows the name of a file in it may reach it; nobody sees which there are.</summary>
    public void LetEverybodyThrough() =>
        System.IO.File.SetUnixFileMode(Path, OwnerOnly | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute);

    public void Dispose()
    {
        try
        {
            Directory.Delete(Path, recursive: true);
        }
        catch (DirectoryNotFoundException)
        {
        }
    }
}
