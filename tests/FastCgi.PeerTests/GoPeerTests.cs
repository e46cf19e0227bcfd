using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.PeerTests;

/// <summary>Go's net/http/fcgi.</summary>
public sealed class GoPeerTests(GoPeerTests.Peer application) : PeerTest<GoPeerTests.Peer>(application)
{
    /// <summary>
    /// Go ends an aborted request at once, while its handler runs on and answers. The first client has gone by then,
    /// and the answer belongs to no other one.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Through_the_gateway_an_answer_that_comes_too_late_reaches_no_other_client(bool isShared)
    {
        await Application.StartAsync();
        await using WebApplication gateway = await StartGatewayAsync(Application.Endpoint, isShared);
        var address = new Uri(gateway.Services.GetRequiredService<IServer>().Features
            .Get<IServerAddressesFeature>()!.Addresses.Single());
        using var bob = new HttpClient { BaseAddress = address, Timeout = Deadline.Default };
        for (int round = 0; round < 3; round++)
        {
            // 1. Kept by these, a shared connection stays open when one of its requests is aborted.
            foreach (Task<HttpResponseMessage> before in (Task<HttpResponseMessage>[])
                [bob.GetAsync("/echo"), bob.GetAsync("/echo"), bob.GetAsync("/echo")])
            {
                (await before.Within("an answer")).Dispose();
            }

            // 2. The gateway gives up, because no head comes; the body has not come whole.
            using var ada = new TcpClient();
            await ada.ConnectAsync(address.Host, address.Port).Within("a connection to Kestrel");
            await ada.GetStream().WriteAsync(Encoding.ASCII.GetBytes(
                $"POST /held?A{round} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc"));
            string late = await new StreamReader(ada.GetStream(), Encoding.ASCII).ReadLineAsync().Within("an answer") ?? "";
            Assert.StartsWith("HTTP/1.1 504 ", late, StringComparison.Ordinal);

            // 3. The application answers now, and other requests come behind it.
            Assert.Equal("released", await bob.GetStringAsync("/release").Within("an answer"));
            for (int i = 0; i < 20; i++)
            {
                string own = $"B{round}.{i}";
                using HttpResponseMessage answer = await bob.GetAsync($"/echo?{own}").Within("an answer");
                Assert.Equal(own, answer.Headers.GetValues("X-Query").Single());
                Assert.Empty(await answer.Content.ReadAsStringAsync().Within("the body"));
            }
        }
    }

    private static async Task<WebApplication> StartGatewayAsync(string endpoint, bool isShared)
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrel(static server =>
        {
            server.Listen(IPAddress.Loopback, 0);

            // The held request sends no more of its body, and the gateway is to end it.
            server.Limits.MinRequestBodyDataRate = null;
        });
        builder.Services.AddRouting();
        WebApplication gateway = builder.Build();
        gateway.UseRouting();
        gateway.MapFastCgi("/{**path}", endpoint, options =>
        {
            // Only the held request may run into it.
            options.ResponseTimeout = Deadline.Of(TimeSpan.FromSeconds(3));
            options.ConfigureHandler = handler =>
            {
                handler.KeepConnection = true;
                handler.MultiplexRequests = isShared;
            };
        });
        gateway.UseEndpoints(static _ => { });
        await gateway.StartAsync().Within("the start of Kestrel");
        return gateway;
    }

    public sealed class Peer : PeerApplication
    {
        private protected override async Task<(string Program, string[] Arguments)> PrepareAsync()
        {
            string program = Path.Combine(Directory, "peer");
            await BuildAsync(InstalledProgram.Find("go"), ["build", "-o", program, "."], Sources("go"));
            return (program, [SocketPath]);
        }
    }
}
