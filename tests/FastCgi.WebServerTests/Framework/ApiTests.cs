using System.Net.Mime;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace FastCgi.WebServerTests.Framework;

public sealed class ApiTests
{
    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task Health_checks_answer_by_status(BackEndKind backEnd)
    {
        var isHealthy = true;
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.MapHealthChecks("/health"),
            builder => builder.Services.AddHealthChecks().AddCheck(
                "own", () => isHealthy ? HealthCheckResult.Healthy() : HealthCheckResult.Unhealthy()));
        Assert.Equal((200, "Healthy"), await HealthAsync());

        isHealthy = false;
        site.Log.ExpectError(entry => entry.Category.Contains("HealthCheck", StringComparison.Ordinal));
        Assert.Equal((503, "Unhealthy"), await HealthAsync());

        async Task<(int, string)> HealthAsync()
        {
            var response = await site.AskAsync("/health");
            return (response.Status, response.Text);
        }
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task The_OpenAPI_document_names_the_public_address(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app =>
            {
                app.MapOpenApi();
                app.MapGet("/things/{id:int}", (int id) => new Thing(id, "a"));
            },
            builder => builder.Services.AddOpenApi());
        var response = await site.SendAsync("GET /openapi/v1.json HTTP/1.1\r\nHost: www.example.com:8080\r\n\r\n");
        using var document = JsonDocument.Parse(response.Body);
        var server = document.RootElement.GetProperty("servers")[0];
        Assert.Equal("http://www.example.com:8080/", server.GetProperty("url").GetString());
        Assert.True(document.RootElement.GetProperty("paths").TryGetProperty("/things/{id}", out _));
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task Failures_become_problem_details(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app =>
            {
                app.UseExceptionHandler();
                app.UseStatusCodePages();
                app.MapGet("/throw", _ => throw new InvalidOperationException("The test's own."));
            },
            builder => builder.Services.AddProblemDetails());
        site.Log.ExpectError(entry => entry.Category.Contains("ExceptionHandler", StringComparison.Ordinal));

        foreach (var (path, status) in ((string, int)[])[("/throw", 500), ("/nowhere", 404)])
        {
            var response = await site.AskAsync(path);
            Assert.Equal(
                (status, MediaTypeNames.Application.ProblemJson), (response.Status, response.Header("Content-Type")));
            using var problem = JsonDocument.Parse(response.Body);
            Assert.Equal(status, problem.RootElement.GetProperty("status").GetInt32());
        }
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task A_megabyte_of_JSON_is_bound_and_written(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.MapPost("/", (Thing[] things) => things.Select(thing => thing with { Id = -thing.Id })),
            nginx: new NginxSettings { BuffersRequests = false });
        Thing[] things = [.. Enumerable.Range(0, 30_000).Select(i => new Thing(i, $"thing number {i}"))];
        using var response = await site.Client.PostAsJsonAsync((Uri?)null, things).Within("an answer");
        var answered = await response.Content.ReadFromJsonAsync<Thing[]>().Within("its body");
        Assert.Equal(things.Select(thing => thing with { Id = -thing.Id }), answered!);
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task JSON_that_does_not_fit_is_a_bad_request(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(backEnd, app => app.MapPost("/", (Thing thing) => thing));
        using var content = JsonContent.Create("a string");
        using var response = await site.Client.PostAsync((Uri?)null, content).Within("an answer");
        Assert.Equal(400, (int)response.StatusCode);
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task An_async_stream_of_JSON_arrives_item_by_item(BackEndKind backEnd)
    {
        const int Items = 4;
        var isRead = new SemaphoreSlim(0);
        await using var site = await Site.StartAsync(
            backEnd, app => app.MapGet("/", () => ItemsAsync()), nginx: new NginxSettings { BuffersResponses = false });
        await using var body = await site.Client.GetStreamAsync((Uri?)null).Within("an answer");

        // The serializer flushes what it has when the next item is not ready at once.
        await using var items = JsonSerializer.DeserializeAsyncEnumerable<string>(body, _small).GetAsyncEnumerator();
        for (var i = 0; i < Items; i++)
        {
            Assert.True(await items.MoveNextAsync().AsTask().Within($"item {i}"));
            Assert.StartsWith($"{i} ", items.Current, StringComparison.Ordinal);
            isRead.Release();
        }

        Assert.False(await items.MoveNextAsync().AsTask().Within("the end"));

        async IAsyncEnumerable<string> ItemsAsync()
        {
            for (var i = 0; i < Items; i++)
            {
                yield return $"{i} {new string('x', 100)}";
                await isRead.WaitAsync().Within("the client's reading");
            }
        }
    }

    [Theory, BackEnds(BackEndKind.FastCgi, BackEndKind.Kestrel)]
    public async Task Form_files_are_bound_with_their_names(BackEndKind backEnd)
    {
        var bytes = new TestBytes(3_000_000);
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.MapPost("/", async (IFormFileCollection files) =>
            {
                await using var stream = files[0].OpenReadStream();
                var hash = Convert.ToHexString(await SHA256.HashDataAsync(stream));
                return $"{files.Count} {files[0].Name} {files[0].FileName} {hash} {files[1].Length}";
            }).DisableAntiforgery());

        using var form = new MultipartFormDataContent();
        form.Add(new TestContent(bytes), "one", "a.bin");
        form.Add(new ByteArrayContent(new byte[10]), "two", "b.bin");
        using var response = await site.Client.PostAsync((Uri?)null, form).Within("an answer");
        Assert.Equal($"2 one a.bin {bytes.Hash()} 10", await response.Content.ReadAsStringAsync().Within("its body"));
    }

    /// <summary>Reads in small pieces, so that an item is given out as soon as it is there.</summary>
    private static readonly JsonSerializerOptions _small = new() { DefaultBufferSize = 64 };

    private sealed record Thing(int Id, string Name);
}
