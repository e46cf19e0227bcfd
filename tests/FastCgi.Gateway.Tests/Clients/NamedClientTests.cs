using System.Diagnostics.Metrics;

namespace FastCgi.Gateway.Tests.Clients;

/// <summary>Clients of IHttpClientFactory.</summary>
public sealed class NamedClientTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_named_client_reaches_the_application(bool isScgi)
    {
        await using FunctionalServer server = await GatewayBack.StartAsync(
            isScgi, context => context.Response.WriteAsync($"{context.Request.Host}{context.Request.Path}"));
        var services = new ServiceCollection();
        services.AddHttpClient("app", client => client.BaseAddress = new Uri("http://app.example/"))
            .UseFastCgiHandler(server.Address);
        await using ServiceProvider provider = services.BuildServiceProvider();
        using HttpClient client = provider.GetRequiredService<IHttpClientFactory>().CreateClient("app");

        string answer = await client.GetStringAsync(new Uri("a/b", UriKind.Relative)).Within("the answer");

        Assert.Equal("app.example/a/b", answer);
    }

    [Fact]
    public void Options_are_set_and_a_wrong_endpoint_is_named()
    {
        var services = new ServiceCollection();
        string? seen = null;
        IMeterFactory? meters = null;
        services.AddMetrics().AddHttpClient("php").UseFastCgiHandler("unix:/run/php.sock", options =>
        {
            seen = options.Endpoint;
            meters = options.MeterFactory;
            options.DocumentRoot = "/srv/blog";
        });
        services.AddHttpClient("wrong").UseFastCgiHandler("http://example.org");
        using ServiceProvider provider = services.BuildServiceProvider();
        var factory = provider.GetRequiredService<IHttpClientFactory>();

        factory.CreateClient("php").Dispose();
        var error = Assert.Throws<FormatException>(() => factory.CreateClient("wrong"));

        Assert.Equal("unix:/run/php.sock", seen);
        Assert.Same(provider.GetRequiredService<IMeterFactory>(), meters);
        Assert.Contains("http://example.org", error.Message, StringComparison.Ordinal);
    }
}
