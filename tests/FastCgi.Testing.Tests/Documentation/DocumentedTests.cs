using System.Net;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.Testing.Tests.Documentation;

/// <summary>The tests of docs/testing.md, as they stand there.</summary>
public sealed class DocumentedTests(FastCgiApplicationFactory<Program> factory)
    : IClassFixture<FastCgiApplicationFactory<Program>>
{
    [Fact]
    public async Task The_application_knows_the_client()
    {
        using var client = factory.CreateFastCgiClient(new FastCgiTestClientOptions
        {
            BaseAddress = new Uri("https://shop.example"),
            RemoteAddress = IPAddress.Parse("203.0.113.7"),
            RemoteUser = "ann",
            AuthenticationType = "Basic",
        });

        Assert.Equal("203.0.113.7", await client.GetStringAsync("/address"));
        Assert.Equal("ann", await client.GetStringAsync("/params/REMOTE_USER"));
    }

    [Fact]
    public async Task An_upload_cut_short_is_refused()
    {
        using var connection = await factory.ConnectFastCgiAsync();

        var response = await connection.SendAsync(
            new FastCgiTestRequest("POST", "/upload") { Body = new byte[10], ContentLength = 100 });

        Assert.Equal(400, response.StatusCode);
    }

    [Fact]
    public async Task Two_requests_use_one_connection()
    {
        using var connection = await factory.ConnectFastCgiAsync();

        var first = await connection.SendAsync(new FastCgiTestRequest("GET", "/visits"));
        var second = await connection.SendAsync(new FastCgiTestRequest("GET", "/visits"));

        Assert.Equal((200, "1"), (first.StatusCode, first.Text));
        Assert.Equal((200, "1"), (second.StatusCode, second.Text));
    }

    [Fact]
    public async Task A_client_that_leaves_ends_its_request()
    {
        using var connection = await factory.ConnectFastCgiAsync();
        var request = await connection.StartAsync(new FastCgiTestRequest("GET", "/wait/leaves"));

        await request.AbortAsync();

        Assert.True((await request.ReadToEndAsync()).IsComplete);
        await factory.Services.GetRequiredService<Witness>().AwaitAsync("leaves: aborted");
    }

    [Fact]
    public async Task A_slow_upload_is_read_as_it_comes()
    {
        using var connection = await factory.ConnectFastCgiAsync();
        var upload = await connection.StartAsync(new FastCgiTestRequest("POST", "/pieces/slow") { ContentLength = 10 });

        await upload.WriteAsync("first"u8.ToArray());
        await factory.Services.GetRequiredService<Witness>().AwaitAsync("slow: first");
        await upload.WriteAsync("again"u8.ToArray());
        await upload.CompleteAsync();

        Assert.Equal(200, (await upload.ReadToEndAsync()).StatusCode);
    }

    [Fact]
    public async Task A_slow_reader_gets_all_of_it()
    {
        using var connection = await factory.ConnectFastCgiAsync();
        var download = await connection.StartAsync(new FastCgiTestRequest("GET", "/large/reader"));

        var head = await download.ReadHeadAsync();
        var piece = await download.ReadAsync(1000);

        Assert.Equal((200, 1000), (head.StatusCode, piece.Length));
        Assert.Equal(16 * 1024 * 1024, (await download.ReadToEndAsync()).Body.Length);
    }

    [Fact]
    public async Task Records_may_be_cut_anywhere()
    {
        using var client = factory.CreateFastCgiClient(new FastCgiTestClientOptions { WriteSize = 1 });

        Assert.Equal("Hello", await client.GetStringAsync("/"));
    }
}
