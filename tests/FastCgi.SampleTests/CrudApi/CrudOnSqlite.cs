namespace FastCgi.SampleTests.CrudApi;

public sealed class CrudOnSqlite : CrudSite
{
    private readonly WorkDirectory _directory = new();

    protected override string Kind => "sqlite";

    protected override async Task<string> CreateDatabaseAsync()
    {
        var file = _directory.File("blog.db");
        await SqliteFile.ExecuteAsync(file, BlogScripts.All(
            "sqlite", '"', "INTEGER PRIMARY KEY AUTOINCREMENT", ("DOUBLE PRECISION", "BLOB", "DATETIME")));
        return SqliteFile.ConnectionString(file);
    }

    protected override ValueTask DeleteDatabaseAsync()
    {
        _directory.Dispose();
        return ValueTask.CompletedTask;
    }
}
