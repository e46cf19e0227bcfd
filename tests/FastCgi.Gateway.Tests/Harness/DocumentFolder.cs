namespace FastCgi.Gateway.Tests.Harness;

/// <summary>A document root of its own, with empty scripts and files that say their path.</summary>
internal sealed class DocumentFolder : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("fcgi-root-");

    public DocumentFolder(params string[] files)
    {
        foreach (string file in files)
        {
            string path = Path + file;
            Directory.CreateDirectory(System.IO.Path.GetDirectoryName(path)!);
            if (!file.EndsWith('/'))
            {
                File.WriteAllText(path, $"source of {file}");
            }
        }
    }

    public string Path => _directory.FullName;

    public void Dispose() => _directory.Delete(recursive: true);
}
