namespace ShopSample.Hosting;

/// <summary>The one directory that the application writes to, named by the setting <c>Data</c>.</summary>
public sealed class DataDirectory
{
    private DataDirectory(string root)
    {
        Keys = Directory.CreateDirectory(Path.Combine(root, "keys"));
        DatabaseFile = Path.Combine(root, "shop.db");
    }

    /// <summary>SQLite's file; unused with another database.</summary>
    public string DatabaseFile { get; }

    /// <summary>What cookies and form tokens are protected with.</summary>
    public DirectoryInfo Keys { get; }

    /// <summary>A relative path starts at the content root.</summary>
    /// <exception cref="SetupException">It cannot be made or written to.</exception>
    public static DataDirectory Create(IConfiguration configuration, IHostEnvironment environment)
    {
        var root = Path.GetFullPath(Path.Combine(environment.ContentRootPath, configuration["Data"] ?? "App_Data"));
        try
        {
            var data = new DataDirectory(root);
            // A directory that is there already may still be somebody else's.
            File.Create(Path.Combine(root, ".writable"), bufferSize: 1, FileOptions.DeleteOnClose).Dispose();
            return data;
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            throw new SetupException(
                $"the data directory {root} is not writable ({problem.Message}). Name another one with --data.",
                problem);
        }
    }
}
