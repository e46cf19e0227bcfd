using Microsoft.AspNetCore.Mvc.Testing;

namespace FastCgi.Testing.Tests.Documentation;

public sealed class HelloOnTestServerTests(WebApplicationFactory<Program> factory)
    : IClassFixture<WebApplicationFactory<Program>>
{
    [Fact]
    public async Task The_page_says_hello()
    {
        using var client = factory.CreateClient();

        Assert.Equal("Hello", await client.GetStringAsync("/"));
    }
}
