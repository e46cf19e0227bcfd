using CrudApiSample.Catalogues;
using CrudApiSample.Hosting;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Configuration.EnvironmentVariables;
using Microsoft.Extensions.Options;
using static System.Net.HttpStatusCode;

namespace FastCgi.SampleTests.CrudApi;

/// <summary>What the settings change, on the blog that comes with the sample.</summary>
public sealed class CrudSettingsTests : IDisposable
{
    private readonly WorkDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task With_a_key_only_those_who_know_it_reach_the_records()
    {
        using var client = Client(("Api:Key", "open sesame"));
        foreach (var wrong in (string?[])[null, "", "open", "open sesame!", "OPEN SESAME"])
        {
            client.Http.DefaultRequestHeaders.Remove("X-API-Key");
            if (wrong is not null)
            {
                client.Http.DefaultRequestHeaders.Add("X-API-Key", wrong);
            }

            (await client.GetAsync("/posts/1")).ExpectProblem(Unauthorized, "X-API-Key");
            (await client.DeleteAsync("/posts/1")).ExpectProblem(Unauthorized);
            (await client.GetAsync("/nothing")).ExpectProblem(Unauthorized);
        }

        using var refused = await client.Http.GetAsync(new Uri("/posts", UriKind.Relative)).Within("the refusal");
        Assert.Equal("ApiKey", Assert.Single(refused.Headers.WwwAuthenticate).Scheme);

        // The page asks for the key, so it has to open without.
        (await client.GetAsync("/")).Expect(OK);
        var document = (await client.GetAsync("/openapi.json")).Expect(OK).Json;
        Assert.Equal(
            "X-API-Key",
            document.GetProperty("components").GetProperty("securitySchemes")
                .GetProperty("key").GetProperty("name").GetString());
        Assert.Equal(1, document.GetProperty("security").GetArrayLength());

        client.Http.DefaultRequestHeaders.Remove("X-API-Key");
        client.Http.DefaultRequestHeaders.Add("X-API-Key", "open sesame");
        (await client.GetAsync("/posts/1")).Expect(OK);
    }

    [Theory]
    [InlineData(null, "https://a.example", null)]
    [InlineData("https://a.example", "https://a.example", "https://a.example")]
    [InlineData("https://a.example", "https://b.example", null)]
    [InlineData("*", "https://b.example", "*")]
    public async Task Pages_of_other_origins_may_use_it_when_they_are_named(
        string? configured, string origin, string? allowed)
    {
        (string, string)[] settings = configured is null ? [] : [("Api:CorsOrigins:0", configured), ("Api:Key", "k")];
        await using var application = Start(settings);
        using var client = application.CreateClient();

        using var preflight = new HttpRequestMessage(HttpMethod.Options, new Uri("/posts/1", UriKind.Relative));
        preflight.Headers.Add("Origin", origin);
        preflight.Headers.Add("Access-Control-Request-Method", "PATCH");
        preflight.Headers.Add("Access-Control-Request-Headers", "x-api-key,content-type");
        using var answer = await client.SendAsync(preflight).Within("the answer to the preflight");
        Assert.Equal(allowed, AllowedOrigin(answer));
        Assert.Equal(allowed is not null, answer.Headers.Contains("Access-Control-Allow-Methods"));

        // A problem is for the page as well.
        using var request = new HttpRequestMessage(HttpMethod.Get, new Uri("/nothing", UriKind.Relative));
        request.Headers.Add("Origin", origin);
        request.Headers.Add("X-API-Key", "k");
        using var problem = await client.SendAsync(request).Within("the problem");
        Assert.Equal((NotFound, allowed), (problem.StatusCode, AllowedOrigin(problem)));
    }

    [Fact]
    public async Task The_limits_are_those_of_the_settings()
    {
        using var client = Client(
            ("Api:PageSize", "2"), ("Api:MaxPageSize", "3"), ("Api:MaxRecords", "1"), ("Api:MaxBodySize", "30"));
        Assert.Equal([1, 2], (await client.GetAsync("/posts")).Ids);
        Assert.Equal([4, 5], (await client.GetAsync("/posts?page=2,3")).Ids);
        (await client.GetAsync("/posts?page=1,4")).ExpectProblem(BadRequest, "3 records");
        (await client.GetAsync("/posts/1,2")).ExpectProblem(BadRequest, "1 records");
        (await client.PostAsync("/tags", $"{{\"name\":\"{new string('x', 20)}\"}}"))
            .ExpectProblem(RequestEntityTooLarge, "30 bytes");
    }

    [Fact]
    public async Task Only_the_tables_of_the_settings_are_served_and_only_as_they_say()
    {
        using var client = Client(
            ("Api:Tables:posts", "Read"), ("Api:Tables:tags", "Read, Create"), ("Api:Tables:categories", "None"));
        (await client.GetAsync("/posts/1")).Expect(OK);
        var refused = (await client.DeleteAsync("/posts/1")).ExpectProblem(MethodNotAllowed, "DELETE is not allowed");
        Assert.Equal("GET, HEAD", refused.Allow);
        (await client.PostAsync("/tags", "{\"name\":\"new\"}")).Expect(Created);
        refused = (await client.PatchAsync("/records/tags/1", "{}")).ExpectProblem(MethodNotAllowed, "PATCH");
        Assert.Equal("GET, HEAD, POST", refused.Allow);
        (await client.GetAsync("/categories")).ExpectProblem(NotFound);
        (await client.GetAsync("/comments")).ExpectProblem(NotFound);

        var paths = (await client.GetAsync("/openapi.json")).Expect(OK).Json.GetProperty("paths");
        Assert.Equal(
            ["/posts", "/posts/{keys}", "/tags", "/tags/{keys}"], paths.EnumerateObject().Select(path => path.Name));
        Assert.Equal(
            ["get"], paths.GetProperty("/posts/{keys}").EnumerateObject().Select(path => path.Name)
                .Where(name => name != "parameters"));
    }

    [Fact]
    public async Task Columns_are_hidden_or_read_only_or_hold_JSON_as_the_settings_say()
    {
        using var client = Client(
            ("Api:Columns:comments:author", "Hidden"), ("Api:Columns:comments:post_id", "ReadOnly"),
            ("Api:Columns:posts:content", "Json"), ("Api:Columns:post_tags:post_id", "Hidden"));
        (await client.GetAsync("/comments?filter=author,eq,Ann")).ExpectProblem(BadRequest, "'author'");
        (await client.GetAsync("/comments?order=author")).ExpectProblem(BadRequest, "'author'");
        (await client.GetAsync("/posts?filter=comments.author,eq,Ann")).ExpectProblem(BadRequest, "'author'");
        (await client.PatchAsync("/comments/1", "{\"author\":\"x\"}")).ExpectProblem(BadRequest, "'author'");
        Assert.Empty((await client.GetAsync("/comments?search=Ann")).Ids);
        foreach (var target in (string[])
            ["/comments/1", "/comments", "/comments?format=csv", "/posts/1?join=comments", "/openapi.json"])
        {
            Assert.DoesNotContain(
                "author", (await client.GetAsync(target)).Expect(OK).Text, StringComparison.OrdinalIgnoreCase);
        }

        // The way from posts to tags leads over the hidden column.
        (await client.GetAsync("/posts/1?join=tags")).ExpectProblem(BadRequest, "'tags'");

        (await client.PatchAsync("/comments/1", "{\"post_id\":2}")).ExpectProblem(UnprocessableEntity, "'post_id'");
        Assert.Equal(1, (await client.GetAsync("/comments/1")).Json.GetProperty("post_id").GetInt32());

        Assert.Equal(JsonValueKind.String, (await client.GetAsync("/posts/1")).Json.GetProperty("content").ValueKind);
        var changed = (await client.PatchAsync("/posts/1", "{\"content\":{\"a\":[1.50,null]}}")).Expect(OK).Json;
        Assert.Equal("{\"a\":[1.50,null]}", changed.GetProperty("content").GetRawText());
        Assert.Equal([1], (await client.GetAsync("/posts?filter=content,cs,1.50")).Ids);
    }

    [Fact]
    public async Task Joins_reach_only_tables_that_may_be_read_and_not_too_many_records()
    {
        using var client = Client(
            ("Api:Tables:*", "Read"), ("Api:Tables:tags", "Create"), ("Api:Tables:categories", "None"),
            ("Api:MaxJoinedRecords", "1"));
        (await client.GetAsync("/posts/1?join=tags")).ExpectProblem(NotFound, "'tags'");
        (await client.GetAsync("/posts/1?join=categories")).ExpectProblem(NotFound, "'categories'");
        (await client.GetAsync("/posts/4?join=comments")).Expect(OK);
        (await client.GetAsync("/posts/1?join=comments")).ExpectProblem(BadRequest, "More than 1 records of 'comments'");
    }

    [Fact]
    public async Task A_table_made_later_is_there_when_the_catalogue_has_grown_old()
    {
        var time = new ManualTimeProvider();
        await using var application = Start().WithWebHostBuilder(webHost =>
            webHost.ConfigureTestServices(services => services.AddSingleton<TimeProvider>(time)));
        using var client = new CrudClient(application.CreateClient());
        (await client.GetAsync("/later")).ExpectProblem(NotFound);
        await SqliteFile.ExecuteAsync(File, "CREATE TABLE later (id INTEGER PRIMARY KEY); DROP TABLE post_tags");
        time.Advance(TimeSpan.FromSeconds(59));
        (await client.GetAsync("/later")).ExpectProblem(NotFound);
        time.Advance(TimeSpan.FromSeconds(1));
        (await client.GetAsync("/later")).Expect(OK);
        (await client.GetAsync("/post_tags")).ExpectProblem(NotFound);
    }

    [Fact]
    public async Task Any_SQLite_database_is_served_whatever_is_stored_in_it()
    {
        await SqliteFile.ExecuteAsync(File, """
            CREATE TABLE loose (id INTEGER PRIMARY KEY, anything, day DATE, flag BOOLEAN, number INTEGER);
            INSERT INTO loose VALUES (1, 'text', 20240131, 7, 'no number'), (2, 1.5, '2024-01-31', 1, 2),
                (3, x'0001', NULL, 0, 3.5),
                (4, CAST(x'ff41' AS TEXT), 9e999, NULL, NULL);
            CREATE VIRTUAL TABLE found USING fts5(content);
            CREATE TABLE parents (a INTEGER, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
            """);
        using var client = Client(("ConnectionStrings:Database", $"Data Source={File}"));
        Assert.Equal(
            "[{\"id\":1,\"anything\":\"text\",\"day\":20240131,\"flag\":7,\"number\":\"no number\"},"
            + "{\"id\":2,\"anything\":1.5,\"day\":\"2024-01-31\",\"flag\":true,\"number\":2},"
            + "{\"id\":3,\"anything\":\"AAE=\",\"day\":null,\"flag\":false,\"number\":3.5},"
            + "{\"id\":4,\"anything\":\"\uFFFDA\",\"day\":\"Infinity\",\"flag\":null,\"number\":null}]",
            (await client.GetAsync("/loose/1,2,3,4")).Expect(OK).Text);
        (await client.PostAsync("/loose", "[{\"anything\":true},{\"anything\":\"x\"},{\"anything\":2}]"))
            .Expect(Created);
        (await client.PostAsync("/loose", "{\"anything\":[]}")).ExpectProblem(UnprocessableEntity, "'anything'");
        (await client.PostAsync("/found", "{}")).ExpectProblem(MethodNotAllowed);
        (await client.GetAsync("/found_content")).ExpectProblem(NotFound);
        (await client.GetAsync("/parents")).Expect(OK);
    }

    [Theory]
    [InlineData("Database:Kind", "oracle", "sqlite, postgresql or mariadb")]
    [InlineData("Database:Kind", "mariadb", "ConnectionStrings:Database")]
    [InlineData("ConnectionStrings:Database", "Data Sauce=x", "ConnectionStrings:Database")]
    [InlineData("ConnectionStrings:Database", "Data Source=/nowhere/x.db", "SQLite")]
    [InlineData("Api:PageSize", "0", "PageSize")]
    [InlineData("Api:PageSize", "many", "PageSize")]
    [InlineData("Api:Tables:posts", "Reed", "posts")]
    [InlineData("Api:Users:ann:Tables:posts", "Reed", "Api:Users:ann:Tables:posts")]
    [InlineData("Api:Tables", "posts,tags", "Api:Tables")]
    [InlineData("Api:Columns:posts:title", "Hiden", "Api:Columns:posts:title")]
    [InlineData("Api:Columns:posts:secret", "Hidden", "Api:Columns:posts:secret")]
    [InlineData("Api:Columns:secrets:id", "Hidden", "Api:Columns:secrets:id")]
    [InlineData("Api:Columns:posts:created", "Json", "Api:Columns:posts:created")]
    [InlineData("Api:Columns:posts", "title", "Api:Columns:posts")]
    [InlineData("Api:Users:ann:Tables", "posts", "Api:Users:ann:Tables")]
    [InlineData("Api:RecordHandler", "x", "RecordHandler")]
    [InlineData("Api:Users:ann:RecordHandler", "x", "RecordHandler")]
    [InlineData("authorization.recordHandler", "x", "authorization.recordHandler")]
    [InlineData("authorization:columnHandler", "x", "authorization.columnHandler")]
    [InlineData("multiTenancy.handler", "x", "multiTenancy.handler")]
    [InlineData("middlewares", "authorization", "middlewares")]
    [InlineData("Mapping", "wp_posts=posts", "mapping")]
    [InlineData("tables", "posts", "tables")]
    [InlineData("PHP_CRUD_API_TABLES", "posts", "PHP_CRUD_API_TABLES")]
    public void A_wrong_setting_ends_the_start_and_is_named(string name, string value, string part)
    {
        var error = FailingStart((name, value));
        Assert.True(error is InvalidOperationException or OptionsValidationException, error.ToString());
        // The binder names what is inside a user by the cause.
        Assert.Contains(part, $"{error.Message} {error.GetBaseException().Message}", StringComparison.Ordinal);
    }

    [Fact]
    public void The_names_of_the_settings_of_PHP_CRUD_API_may_be_variables_of_the_environment()
    {
        var environment = new Dictionary<string, string?> { ["DEBUG"] = "1", ["Port"] = "80", ["CORS"] = "*" };
        var refused = new Dictionary<string, string?> { ["ipAddress:tables"] = "all" };
        var variables = new VariablesSource(environment);
        MovedSettings.Refuse(new ConfigurationBuilder().Add(variables).Build());
        variables = new VariablesSource(refused);
        Assert.Throws<InvalidOperationException>(
            () => MovedSettings.Refuse(new ConfigurationBuilder().Add(variables).Build()));
        Assert.Throws<InvalidOperationException>(
            () => MovedSettings.Refuse(new ConfigurationBuilder().AddInMemoryCollection(environment).Build()));
    }

    [Fact]
    public void The_page_for_those_who_move_names_every_setting_of_PHP_CRUD_API()
    {
        var page = System.IO.File.ReadAllText(
            Path.Combine(Repository.Root, "samples", "CrudApi", "php-crud-api.md"));
        Assert.All(
            MovedSettings.Names, name => Assert.Contains($"`{name}`", page, StringComparison.Ordinal));
    }

    [Fact]
    public void A_database_that_is_not_there_ends_the_start()
    {
        foreach (var (kind, connectionString) in ((string, string)[])
            [
                ("postgresql", $"Host={_directory.Path};Username=nobody;Database=none"),
                ("mariadb", "Server=127.0.0.1;Port=1;User ID=nobody;Database=none"),
            ])
        {
            var error = Assert.IsType<InvalidOperationException>(
                FailingStart(("Database:Kind", kind), ("ConnectionStrings:Database", connectionString)));
            Assert.Contains("cannot be read", error.Message, StringComparison.Ordinal);
        }
    }

    private string File => Path.Combine(_directory.Subdirectory("data"), "blog.db");

    /// <summary>
    /// What ends the start. The factory and the program both start the host; when the program has disposed of it first,
    /// the factory meets that alone, and the cause is in the log.
    /// </summary>
    private Exception FailingStart(params (string Name, string Value)[] settings)
    {
        var log = new LogRecorder();
        using var started = Start(settings);
        using var application = started.WithWebHostBuilder(
            host => host.ConfigureLogging(logging => logging.AddProvider(log)));
        var error = Assert.ThrowsAny<Exception>(() => application.Server);
        return error is ObjectDisposedException
            ? log.Entries.First(static entry => entry.Exception is not null).Exception!
            : error;
    }

    private WebApplicationFactory<Table> Start(params (string Name, string Value)[] settings) =>
        CrudSite.Start([.. settings, ("Data", _directory.File("data"))]);

    private CrudClient Client(params (string Name, string Value)[] settings)
    {
        var application = Start(settings);
        return new CrudClient(application.CreateClient(), application);
    }

    private static string? AllowedOrigin(HttpResponseMessage response) =>
        response.Headers.TryGetValues("Access-Control-Allow-Origin", out var values) ? values.Single() : null;

    private sealed class VariablesSource(Dictionary<string, string?> variables) : IConfigurationSource
    {
        public IConfigurationProvider Build(IConfigurationBuilder builder) => new Provider { Variables = variables };

        private sealed class Provider : EnvironmentVariablesConfigurationProvider
        {
            public required Dictionary<string, string?> Variables { get; init; }

            public override void Load() =>
                Data = new Dictionary<string, string?>(Variables, StringComparer.OrdinalIgnoreCase);
        }
    }
}
