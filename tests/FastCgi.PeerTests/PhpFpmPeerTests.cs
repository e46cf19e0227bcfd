namespace FastCgi.PeerTests;

/// <summary>PHP-FPM of Debian, with two children.</summary>
public sealed class PhpFpmPeerTests(PhpFpmPeerTests.Peer application) : PeerTest<PhpFpmPeerTests.Peer>(application)
{
    protected override bool IsDuplex => false;

    protected override bool HasStandardError => true;

    [Fact]
    public async Task PHP_sees_the_request()
    {
        using var client = await ClientAsync();
        using var request = new HttpRequestMessage(HttpMethod.Get, "https://example.org/server.php/path%20info?q=1");
        using var response = await client.SendAsync(request).Within("a response");
        using var server = JsonDocument.Parse(await response.Content.ReadAsStringAsync());
        string Value(string name) => server.RootElement.GetProperty(name).ToString();
        Assert.Equal("/server.php/path%20info?q=1", Value("REQUEST_URI"));
        Assert.Equal("/server.php", Value("SCRIPT_NAME"));
        Assert.Equal("/path info", Value("PATH_INFO"));
        Assert.Equal("/server.php/path info", Value("PHP_SELF"));
        Assert.Equal("q=1", Value("QUERY_STRING"));
        Assert.Equal("on", Value("HTTPS"));
        Assert.Equal("example.org", Value("HTTP_HOST"));
        Assert.Equal("127.0.0.1", Value("REMOTE_ADDR"));
        Assert.EndsWith("/server.php", Value("SCRIPT_FILENAME"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_kept_connection_serves_request_after_request()
    {
        using var client = await ClientAsync(static options =>
        {
            options.KeepConnection = true;
            options.MaxConnections = 2;
        });
        await Task.WhenAll(Enumerable.Range(0, 50).Select(async i =>
        {
            using var response = await client.PostAsync("/echo", new StringContent($"{i}")).Within("a response");
            Assert.Equal($"{i}", await response.Content.ReadAsStringAsync());
        }));
    }

    [Fact]
    public async Task A_script_that_is_not_there_is_not_found()
    {
        using var client = await ClientAsync();
        using var response = await client.GetAsync("/nothing.php").Within("a response");
        Assert.Equal(404, (int)response.StatusCode);
        Assert.Equal("File not found.\n", await response.Content.ReadAsStringAsync());
    }

    public sealed class Peer : PhpFpmApplication;
}
