using FastCgi.WebServerKit.Databases;

namespace FastCgi.SampleTests.Shop;

public sealed class ShopOnMariaDb : ShopOnTestServer
{
    private MariaDbServer? _server;

    protected override async Task<Dictionary<string, string>> StartDatabaseAsync()
    {
        _server = await MariaDbServer.StartAsync();
        return new() { ["Database:Kind"] = "mariadb", ["ConnectionStrings:Database"] = _server.ConnectionString };
    }

    protected override ValueTask StopDatabaseAsync() => _server?.DisposeAsync() ?? ValueTask.CompletedTask;
}
