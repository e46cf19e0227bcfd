using Microsoft.Data.Sqlite;

namespace MvcSample.Storage;

/// <summary>The one directory that the application writes to, named by the setting <c>Data</c>.</summary>
public sealed class DataDirectory
{
    private DataDirectory(string root)
    {
        ConnectionString = new SqliteConnectionStringBuilder { DataSource = Path.Combine(root, "notes.db") }.ToString();
        Keys = Directory.CreateDirectory(Path.Combine(root, "keys"));
        Uploads = Directory.CreateDirectory(Path.Combine(root, "uploads"));
    }

    public string ConnectionString { get; }

    public DirectoryInfo Keys { get; }

    public DirectoryInfo Uploads { get; }

    /// <summary>A relative path starts at the content root.</summary>
    public static DataDirectory Create(IConfiguration configuration, IHostEnvironment environment)
        => new(Path.Combine(environment.ContentRootPath, configuration["Data"] ?? "App_Data"));
}
