using FastCgi.WebServerKit.Databases;

namespace FastCgi.SampleTests.Shop;

public sealed class ShopOnPostgreSql : ShopOnTestServer
{
    private PostgreSqlServer? _server;

    protected override async Task<Dictionary<string, string>> StartDatabaseAsync()
    {
        _server = await PostgreSqlServer.StartAsync();
        return new() { ["Database:Kind"] = "postgresql", ["ConnectionStrings:Database"] = _server.ConnectionString };
    }

    protected override ValueTask StopDatabaseAsync() => _server?.DisposeAsync() ?? ValueTask.CompletedTask;
}
