using System.Text;
using FastCgi.WebServerKit;
using FastCgi.WebServerKit.Databases;

namespace FastCgi.Benchmarks.Systems;

/// <summary>The scenarios, with the loads that their old figures were published for.</summary>
/// <param name="peerBuilds">The folder with the peers that no registry has; null when there is none.</param>
/// <param name="data">Gets a folder of data for each scenario.</param>
internal sealed class ScenarioCatalog(PublishedSamples samples, string? peerBuilds, string data)
{
    private const string Own = "fastcgi";
    private const string HelloWorld = "Hello, World!";
    private const string HelloJson = """{"message":"Hello, World!"}""";
    private const string HelloPage = "<!DOCTYPE html><html><body><h1>Hello World!</h1></body></html>";

    // PHP-CRUD-API reads its settings from variables of this prefix.
    private const string PhpCrudApi = "PHP_CRUD_API_";

    public static IReadOnlyList<string> Names { get; } =
        ["crud", "crud-records", "crud-mariadb", "shop", "wave", "bench", "shop-on-kestrel", "mvc"];

    public async Task<SystemScenario> CreateAsync(string name) => name switch
    {
        "crud" => Crud(),
        "crud-records" => CrudRecords(
            "SQLite",
            ["--data", CrudFolder],
            new() { ["CRUD_DSN"] = $"sqlite:{BlogFile}" },
            new() { [$"{PhpCrudApi}DRIVER"] = "sqlite", [$"{PhpCrudApi}ADDRESS"] = BlogFile },
            ("pdo_sqlite", "php-sqlite3")),
        "crud-mariadb" => await CrudOnMariaDbAsync(),
        "shop" => Shop(),
        "wave" => Wave(),
        "bench" => Bench(),
        "shop-on-kestrel" => ShopOnKestrel(),
        "mvc" => Mvc(),
        _ => throw new ArgumentOutOfRangeException(nameof(name), name, "No such scenario."),
    };

    private string CrudFolder => Path.Combine(data, "crud");

    private string BlogFile => Path.Combine(CrudFolder, "blog.db");

    /// <summary>A data API and the same request to a script of PHP, from one SQLite file.</summary>
    private SystemScenario Crud()
    {
        var post = new Workload("post", "/posts/2") { Title = "one record as JSON", Check = NotEmpty };
        return new SystemScenario(
            "crud",
            "A record of a data API",
            [
                new SampleTarget(Own, samples, "CrudApi") { Arguments = ["--data", CrudFolder] },
                new PhpTarget("crud-php", "crud.php", new() { ["CRUD_DSN"] = $"sqlite:{BlogFile}" })
                {
                    Module = ("pdo_sqlite", "php-sqlite3"),
                },
            ],
            [
                new SystemCase(post, 20_000, 8) { WarmUp = 2_000 },
                new SystemCase(post, 20_000, 8) { WarmUp = 40_000 },
                new SystemCase(post, 20_000, 8) { WarmUp = 200_000 },
                new SystemCase(post, 40_000, 32) { KeepsClientConnections = true, WarmUp = 200_000 },
            ])
        {
            Essence = AnswerEssence.OfJson,
        };
    }

    /// <summary>The same record under the path of PHP-CRUD-API, beside the script of one route and the whole of it.</summary>
    private SystemScenario CrudRecords(
        string database,
        IReadOnlyList<string> arguments,
        Dictionary<string, string> script,
        Dictionary<string, string> whole,
        (string Name, string Package) module)
    {
        var post = new Workload("record", "/records/posts/2") { Title = "one record as JSON", Check = NotEmpty };
        return new SystemScenario(
            "crud-records",
            $"A record of PHP-CRUD-API, {database}",
            [
                new SampleTarget(Own, samples, "CrudApi") { Arguments = arguments },
                new PhpTarget("crud-php", "crud.php", script) { Module = module },
                new PhpTarget(Path.Combine(peerBuilds ?? "", "php-crud-api"), "api.php", whole, "api.php")
                {
                    Module = module,
                },
            ],
            [
                new SystemCase(post, 20_000, 8) { WarmUp = 40_000 },
                new SystemCase(post, 40_000, 32) { KeepsClientConnections = true, WarmUp = 100_000 },
            ])
        {
            Essence = AnswerEssence.OfJson,
        };
    }

    /// <summary>The same from a MariaDB of its own.</summary>
    private async Task<SystemScenario> CrudOnMariaDbAsync()
    {
        const string User = "php-crud-api";
        var server = await MariaDbServer.StartAsync();
        string blog = Path.Combine(Repository.Root, "samples", "CrudApi", "Blog");
        foreach (string script in (string[])["mariadb.sql", "records.sql"])
        {
            await server.RunAsync(await File.ReadAllTextAsync(Path.Combine(blog, script)));
        }

        await server.RunAsync($"""
            CREATE USER '{User}'@'127.0.0.1' IDENTIFIED BY '{User}';
            GRANT ALL ON blog.* TO '{User}'@'127.0.0.1';
            """);
        return CrudRecords(
            "MariaDB",
            ["--Database:Kind", "mariadb", "--ConnectionStrings:Database", server.ConnectionString],
            new()
            {
                ["CRUD_DSN"] = $"\"mysql:host=127.0.0.1;port={server.Port};dbname=blog;charset=utf8mb4\"",
                ["CRUD_USER"] = User,
                ["CRUD_PASSWORD"] = User,
            },
            new()
            {
                [$"{PhpCrudApi}DRIVER"] = "mysql",
                [$"{PhpCrudApi}ADDRESS"] = "127.0.0.1",
                [$"{PhpCrudApi}PORT"] = $"{server.Port}",
                [$"{PhpCrudApi}DATABASE"] = "blog",
            },
            ("pdo_mysql", "php-mysql")) with
        {
            Name = "crud-mariadb",
            Database = server,
        };
    }

    /// <summary>The home page of a shop and the same rows by Web Forms, from one SQLite file.</summary>
    private SystemScenario Shop()
    {
        string folder = Path.Combine(data, "shop");
        var home = new Workload("home", "/") { Title = "the shop's home page", VariesInLength = true, Check = NotEmpty };
        return new SystemScenario(
            "shop",
            "The home page of a shop",
            [
                new SampleTarget(Own, samples, "Shop") { Arguments = ["--data", folder] },
                new MonoTarget("shop-mono", Path.Combine(folder, "shop.db")),
            ],
            [
                new SystemCase(home, 1_000, 1) { WarmUp = 5_000 },
                new SystemCase(home, 2_000, 10) { WarmUp = 10_000 },
            ])
        {
            Essence = AnswerEssence.OfPage,
        };
    }

    /// <summary>A few bytes, by middleware and by a controller, on two servers.</summary>
    private SystemScenario Wave()
    {
        Workload[] routes =
        [
            new("plaintext", "/plaintext") { Title = "plaintext by middleware", Check = Is(HelloWorld) },
            new("json", "/json") { Title = "JSON by middleware", Check = Is(HelloJson) },
            new("mvc-plaintext", "/mvc/plaintext") { Title = "plaintext by MVC", Check = Is(HelloWorld) },
            new("mvc-json", "/mvc/json") { Title = "JSON by MVC", Check = Is(HelloJson) },
        ];
        string[] onKestrel = ["--server", "kestrel"];
        return new SystemScenario(
            "wave",
            "A few bytes",
            [
                new SampleTarget(Own, samples, "Wave"),
                new SampleTarget("kestrel", samples, "Wave") { Arguments = onKestrel, IsOnKestrel = true },
                new SampleTarget("kestrel-alone", samples, "Wave")
                {
                    Arguments = onKestrel,
                    IsOnKestrel = true,
                    HasNoWebServer = true,
                },
            ],
            [.. routes.Select(static route =>
                new SystemCase(route, 200_000, 8) { KeepsClientConnections = true, WarmUp = 500_000 })]);
    }

    /// <summary>FastCGI-bench: four processes behind one upstream, measured from their first request on.</summary>
    private SystemScenario Bench()
    {
        var hello = new Workload("hello", "/hello") { Title = "a page of 62 bytes", Check = Is(HelloPage) };
        SystemCase[] loads =
        [
            new(hello, 20_000, 20),
            new(hello, 200_000, 400),
            new(hello, 200_000, 400) { KeepsClientConnections = true },
        ];
        return new SystemScenario(
            "bench",
            "FastCGI-bench",
            [
                new DotnetTarget(Own, ServerKind.FastCgi),
                new NodeTarget(),
                new PeerBuildTarget("asyncfastcgi", peerBuilds, "AsyncFastCGI"),
                new PeerBuildTarget("lb-fastcgi", peerBuilds, "LbFastCGI"),
            ],
            [.. new[] { false, true }.SelectMany(keeps => loads.Select(
                load => load with { KeepsConnections = keeps, Processes = 4, IsTcp = true }))]);
    }

    /// <summary>The same home page on two servers.</summary>
    private SystemScenario ShopOnKestrel()
    {
        string[] arguments = ["--data", Path.Combine(data, "shop-on-kestrel")];
        var home = new Workload("home", "/") { Title = "the shop's home page", VariesInLength = true, Check = NotEmpty };
        return new SystemScenario(
            "shop-on-kestrel",
            "The home page of a shop, Razor and SQLite",
            OnBoth("Shop", arguments),
            [.. CasesOf(home)])
        {
            Essence = AnswerEssence.OfPage,
        };
    }

    /// <summary>Pages of an MVC application: by cookie, session and antiforgery token, and by Entity Framework.</summary>
    private SystemScenario Mvc()
    {
        var account = new Workload("account", "/account")
        {
            Title = "a page for whoever is signed in", VariesInLength = true, Check = NotEmpty,
        };
        var notes = new Workload("notes", "/api/notes") { Title = "20 rows by EF Core as JSON", Check = NotEmpty };
        var guestbook = new Workload("guestbook", "/notes")
        {
            Title = "the guestbook, EF Core and Razor", VariesInLength = true, Check = NotEmpty,
        };
        return new SystemScenario(
            "mvc",
            "An MVC application",
            OnBoth("Mvc", ["--data", Path.Combine(data, "mvc")]),
            [.. new[] { account, notes, guestbook }.SelectMany(CasesOf)])
        {
            Essence = AnswerEssence.OfPage,
            EnterAsync = MvcVisitor.EnterAsync,
        };
    }

    private SampleTarget[] OnBoth(string sample, string[] arguments) =>
    [
        new(Own, samples, sample) { Arguments = arguments },
        new("kestrel", samples, sample) { Arguments = arguments, IsOnKestrel = true, IsSwitchedFromOutside = true },
    ];

    private static SystemCase[] CasesOf(Workload workload) =>
    [
        new(workload, 5_000, 1) { KeepsClientConnections = true, WarmUp = 30_000 },
        new(workload, 20_000, 32) { KeepsClientConnections = true, WarmUp = 200_000 },
    ];

    private static Func<byte[], string?> Is(string expected) => body =>
        body.AsSpan().SequenceEqual(Encoding.UTF8.GetBytes(expected)) ? null : $"other bytes, {body.Length} of them";

    private static string? NotEmpty(byte[] body) => body.Length > 0 ? null : "nothing";
}
