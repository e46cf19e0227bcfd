using ShopSample.Catalog;

namespace FastCgi.SampleTests.Shop;

/// <summary>The shop in memory, as its own developers would test it.</summary>
public abstract class ShopInMemory(bool overFastCgi = false) : InMemorySample<Item>(overFastCgi)
{
    /// <summary>In the environment of tests, which is Development, browsers would not keep static files.</summary>
    internal const string KeepsFiles = "EnableStaticAssetsDevelopmentCaching";

    protected override Task<(string Name, string Value)[]> StartDatabaseAsync() =>
        Task.FromResult<(string, string)[]>([(KeepsFiles, "true")]);
}

/// <summary>Program.cs as it is, its server replaced.</summary>
public sealed class ShopOnTestServer : ShopInMemory;

/// <summary>The shop over FastCGI, by the clients that TestServer has too.</summary>
public sealed class ShopOnFastCgi() : ShopInMemory(overFastCgi: true);

public sealed class ShopOnMariaDb : ShopInMemory
{
    private MariaDbServer? _server;

    protected override async Task<(string Name, string Value)[]> StartDatabaseAsync()
    {
        _server = await MariaDbServer.StartAsync();
        return
        [
            .. await base.StartDatabaseAsync(),
            ("Database:Kind", "mariadb"), ("ConnectionStrings:Database", _server.ConnectionString),
        ];
    }

    protected override ValueTask StopDatabaseAsync() => _server?.DisposeAsync() ?? ValueTask.CompletedTask;
}

public sealed class ShopOnPostgreSql : ShopInMemory
{
    private PostgreSqlServer? _server;

    protected override async Task<(string Name, string Value)[]> StartDatabaseAsync()
    {
        _server = await PostgreSqlServer.StartAsync();
        return
        [
            .. await base.StartDatabaseAsync(),
            ("Database:Kind", "postgresql"), ("ConnectionStrings:Database", _server.ConnectionString),
        ];
    }

    protected override ValueTask StopDatabaseAsync() => _server?.DisposeAsync() ?? ValueTask.CompletedTask;
}

/// <summary>The same application as a process of its own, on our server behind nginx.</summary>
public sealed class ShopBehindNginx : ServedSample
{
    internal static Task<ProcessSite> StartWithAsync(string data) => ProcessSite.StartAsync(
        "dotnet",
        [SampleProgram.FileOf("Shop"), "--data", data, $"--{ShopInMemory.KeepsFiles}", "true"],
        SampleProgram.FolderOf("Shop"),
        // The environment that WebApplicationFactory chooses.
        new Dictionary<string, string> { ["ASPNETCORE_ENVIRONMENT"] = "Development" });

    private protected override Task<ProcessSite> StartAsync(string data) => StartWithAsync(data);
}

public sealed class ShopOnTestServerTests(ShopOnTestServer site) : ShopTests(site), IClassFixture<ShopOnTestServer>;

public sealed class ShopOnFastCgiTests(ShopOnFastCgi site) : ShopTests(site), IClassFixture<ShopOnFastCgi>;

public sealed class ShopOnMariaDbTests(ShopOnMariaDb site) : ShopTests(site), IClassFixture<ShopOnMariaDb>;

public sealed class ShopOnPostgreSqlTests(ShopOnPostgreSql site) : ShopTests(site), IClassFixture<ShopOnPostgreSql>;
