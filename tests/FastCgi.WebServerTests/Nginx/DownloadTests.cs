namespace FastCgi.WebServerTests.Nginx;

public sealed class DownloadTests(SharedSite shared) : IClassFixture<SharedSite>
{
    private const long FiftyMegabytes = 50_000_000;

    private static readonly TimeSpan _transfer = TimeSpan.FromSeconds(60);

    public static MatrixTheoryData<BackEndKind, bool, bool> Answers =>
        new(Enum.GetValues<BackEndKind>(), [true, false], [true, false]);

    [Theory, MemberData(nameof(Answers))]
    public async Task A_large_answer_arrives_unchanged(BackEndKind backEnd, bool hasLength, bool isBuffered)
    {
        var bytes = new TestBytes(FiftyMegabytes);
        var site = await shared.StartedAsync(
            () => Site.StartAsync(
                backEnd,
                app => app.MapGet("/{hasLength}", (HttpContext context, bool hasLength) =>
                {
                    context.Response.ContentLength = hasLength ? bytes.Length : null;
                    return bytes.WriteToAsync(context.Response.Body, context.RequestAborted);
                }),
                nginx: new NginxSettings { BuffersResponses = isBuffered }),
            (backEnd, isBuffered));
        Assert.Equal(bytes.Hash(), await HashAsync(site.Client, $"{hasLength}"));
    }

    [Theory, BackEnds]
    public async Task A_large_file_arrives_unchanged(BackEndKind backEnd)
    {
        using var directory = new WorkDirectory();
        var bytes = new TestBytes(FiftyMegabytes);
        await using (var file = File.Create(directory.File("file")))
        {
            await bytes.WriteToAsync(file);
        }

        await using var site = await Site.StartAsync(
            backEnd, app => app.MapGet("/", () => Results.File(directory.File("file"), "text/x-test")));
        Assert.Equal(bytes.Hash(), await HashAsync(site.Client));
    }

    [Theory, BackEnds]
    public async Task A_slow_reader_gets_everything(BackEndKind backEnd)
    {
        var bytes = new TestBytes(5_000_000);
        await using var site = await Site.StartAsync(
            backEnd,
            app => app.Run(context => bytes.WriteToAsync(context.Response.Body, context.RequestAborted)),
            nginx: new NginxSettings { BuffersResponses = false });
        await using var client = await site.ConnectAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n");

        var body = client.ReadBody(await client.ReadHeadAsync());
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        while (await body.ReadAsync() is { IsEmpty: false } piece)
        {
            hash.AppendData(piece.Span);
            await Task.Yield();
        }

        Assert.False(body.IsTorn);
        Assert.Equal(bytes.Hash(), Convert.ToHexString(hash.GetHashAndReset()));
    }

    [Theory, BackEnds]
    public async Task What_the_application_writes_for_HEAD_stays_unsent(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd, app => app.Run(context => context.Response.WriteAsync("body")));
        await using var client = await site.ConnectAsync("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal(200, (await client.ReadResponseAsync(isHead: true)).Status);
        await client.SendAsync("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        Assert.Equal("body", (await client.ReadResponseAsync()).Text);
    }

    [Theory, BackEnds]
    public async Task An_answer_without_a_body_leaves_the_connection_usable(BackEndKind backEnd)
    {
        await using var site = await Site.StartAsync(
            backEnd, app => app.MapGet("/{status:int}", (int status) => Results.StatusCode(status)));
        await using var client = await site.ConnectAsync();
        foreach (var status in (int[])[204, 304, 205, 204, 200])
        {
            await client.SendAsync($"GET /{status.ToString(CultureInfo.InvariantCulture)} HTTP/1.1\r\nHost: h\r\n\r\n");
            var response = await client.ReadResponseAsync();
            Assert.Equal((status, 0, false), (response.Status, response.Body.Length, response.IsTorn));
        }
    }

    private static async Task<string> HashAsync(HttpClient client, string path = "")
    {
        await using var body = await client.GetStreamAsync(path).Within("an answer");
        return Convert.ToHexString(await SHA256.HashDataAsync(body).AsTask().Within("its body", deadline: _transfer));
    }
}
