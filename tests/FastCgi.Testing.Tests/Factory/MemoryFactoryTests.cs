using FastCgi.Testing.Hosting;
using FastCgi.Testing.Tests.Documentation;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.Testing.Tests.Factory;

/// <summary>A factory whose server opens no socket.</summary>
public sealed class MemoryFactoryTests(MemoryFactory factory) : IClassFixture<MemoryFactory>
{
    [Fact]
    public async Task The_server_has_no_address()
    {
        using var client = factory.CreateClient();

        Assert.Equal("Hello", await client.GetStringAsync("/").Within("a page"));
        Assert.Empty(factory.Services.GetRequiredService<IServer>().Features
            .GetRequiredFeature<IServerAddressesFeature>().Addresses);
    }

    [Theory, InlineData(1), InlineData(7), InlineData(null)]
    public async Task Pieces_of_any_size_and_bodies_beyond_the_buffers_arrive(int? writeSize)
    {
        using var client = factory.CreateFastCgiClient(new FastCgiTestClientOptions { WriteSize = writeSize });
        byte[] body = new byte[writeSize is null ? 1_000_000 : 5_000];
        new Random(1).NextBytes(body);
        using var content = new ByteArrayContent(body);

        using var response = await client.PostAsync("/echo", content).Within("the response");

        Assert.Equal(body, await response.Content.ReadAsByteArrayAsync().Within("its body"));
    }

    [Fact]
    public async Task Many_clients_have_their_own_answers()
    {
        using var client = factory.CreateFastCgiClient();
        var answers = await Task.WhenAll(Enumerable.Range(0, 50).Select(async number =>
        {
            using var response = await client.PostAsync("/echo", new StringContent($"{number}"));
            return await response.Content.ReadAsStringAsync();
        })).Within("all answers");

        Assert.Equal(Enumerable.Range(0, 50).Select(static number => $"{number}"), answers);
    }

    [Fact]
    public async Task A_stopped_server_takes_no_connection()
    {
        await using var own = new MemoryFactory();
        own.CreateClient().Dispose();
        var server = Assert.IsType<FastCgiTestServer>(own.Server);
        await own.DisposeAsync().AsTask().Within("the disposal");

        var exception = await Assert.ThrowsAsync<InvalidOperationException>(
            () => server.ConnectAsync(new FastCgiTestClientOptions(), CancellationToken.None).Within("a refusal"));
        Assert.Contains("The server takes no connections", exception.Message, StringComparison.Ordinal);
    }
}
