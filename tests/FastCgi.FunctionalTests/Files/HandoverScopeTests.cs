using System.Net.Sockets;
using FastCgi.AspNetCore;

namespace FastCgi.FunctionalTests.Files;

/// <summary>Whose files are left to the web server: those of an endpoint, unless a request keeps its own.</summary>
public sealed class HandoverScopeTests : FunctionalTest
{
    private const int NotHandedOver = 321;
    private const string Content = "the content of the file";

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("fcgi-files-");

    public HandoverScopeTests() => File.WriteAllText(PathOf("a.txt"), Content);

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _folder.Delete(recursive: true);
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task Each_endpoint_has_its_own_directories(ServerTransport transport)
    {
        await StartAsync(transport, SendAsync, options =>
        {
            ByUri(options);
            options.ListenUnixSocket(PathOf("default.sock"));
            options.ListenUnixSocket(PathOf("none.sock"), static listen => listen.FileHandover.Clear());
            options.ListenUnixSocket(PathOf("path.sock"), listen => listen.FileHandover.AddXSendfile(_folder.FullName));
        });

        Assert.Equal("/_files/a.txt", (await RespondAsync("default.sock")).Header("X-Accel-Redirect"));
        var sent = await RespondAsync("none.sock");
        Assert.Equal((null, Content), (sent.Header("X-Accel-Redirect"), sent.BodyText));
        Assert.Equal(PathOf("a.txt"), (await RespondAsync("path.sock")).Header("X-Sendfile"));
    }

    [Theory, ClassData(typeof(Transports))]
    public async Task A_request_can_keep_its_files_to_this_server(ServerTransport transport)
    {
        var peer = await StartAndConnectAsync(transport, async context =>
        {
            var feature = context.Features.Get<IFastCgiRequestFeature>()!;
            Assert.True(feature.AllowFileHandover);
            if (context.Request.Path == "/kept")
            {
                feature.AllowFileHandover = false;
                Assert.False(feature.AllowFileHandover);
            }
            else if (context.Request.Path == "/late")
            {
                context.Response.OnStarting(() =>
                {
                    feature.AllowFileHandover = false;
                    return Task.CompletedTask;
                });
            }

            await SendAsync(context);
            Assert.Throws<InvalidOperationException>(() => feature.AllowFileHandover = true);
        }, ByUri);

        Assert.Equal("/_files/a.txt", (await peer.RoundTripAsync(Get())).Header("X-Accel-Redirect"));
        foreach (var path in (string[])["/kept", "/late"])
        {
            var sent = await peer.RoundTripAsync(Get(path));
            Assert.Equal((null, Content), (sent.Header("X-Accel-Redirect"), sent.BodyText));
        }

        Assert.Equal("/_files/a.txt", (await peer.RoundTripAsync(Get())).Header("X-Accel-Redirect"));
        Assert.All(
            Logs.Entries.Where(static entry => entry.EventId.Id == NotHandedOver),
            static entry => Assert.Contains("AllowFileHandover", entry.Message, StringComparison.Ordinal));
        Assert.Equal(2, Logs.Entries.Count(static entry => entry.EventId.Id == NotHandedOver));
    }

    private async Task<CgiResponse> RespondAsync(string socket)
    {
        await using var peer = await ScriptedPeer.ConnectAsync(new UnixDomainSocketEndPoint(PathOf(socket)));
        return await peer.RoundTripAsync(Get());
    }

    private void ByUri(FastCgiServerOptions options) => options.ConfigureEndpointDefaults(
        listen => listen.FileHandover.AddXAccelRedirect(_folder.FullName, "/_files/"));

    private Task SendAsync(HttpContext context)
    {
        context.Response.ContentType = "text/plain";
        return context.Response.SendFileAsync(PathOf("a.txt"));
    }

    private string PathOf(string name) => Path.Combine(_folder.FullName, name);
}
