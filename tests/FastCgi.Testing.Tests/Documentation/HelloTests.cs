namespace FastCgi.Testing.Tests.Documentation;

public sealed class HelloTests(FastCgiApplicationFactory<Program> factory)
    : IClassFixture<FastCgiApplicationFactory<Program>>
{
    [Fact]
    public async Task The_page_says_hello()
    {
        using var client = factory.CreateClient();

        Assert.Equal("Hello", await client.GetStringAsync("/"));
    }
}
