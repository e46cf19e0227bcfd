using FastCgi.WebServerKit.Databases;

namespace FastCgi.SampleTests.CrudApi;

public sealed class CrudOnMariaDb : CrudSite
{
    private const string OwnTypes = """
        CREATE TABLE own_types (
            id UUID PRIMARY KEY DEFAULT UUID(),
            positive BIGINT UNSIGNED,
            bits BIT(4),
            flag BIT(1),
            document JSON,
            feeling ENUM('sad', 'ok', 'happy'),
            long_time TIME,
            moment DATETIME(6),
            made YEAR,
            big DECIMAL(40, 2),
            single FLOAT
        );
        CREATE TABLE places (id INTEGER AUTO_INCREMENT PRIMARY KEY, spot POINT, area GEOMETRY);
        """;

    private MariaDbServer? _server;

    internal MariaDbServer Server => _server!;

    protected override string Kind => "mariadb";

    protected override async Task<string> CreateDatabaseAsync()
    {
        _server = await MariaDbServer.StartAsync();
        await _server.RunAsync(
            BlogScripts.All(
                "mariadb", '`', "INTEGER AUTO_INCREMENT PRIMARY KEY", ("DOUBLE", "BLOB", "DATETIME")) + OwnTypes);
        return _server.ConnectionString;
    }

    protected override ValueTask DeleteDatabaseAsync() => _server?.DisposeAsync() ?? ValueTask.CompletedTask;
}
