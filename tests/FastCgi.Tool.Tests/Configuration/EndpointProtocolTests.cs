namespace FastCgi.Tool.Tests.Configuration;

/// <summary>The protocol of an endpoint is what the server reads from the same settings.</summary>
public sealed class EndpointProtocolTests
{
    private const string Scgi = """{ "Protocol": "Scgi" }""";
    private const string FastCgi = """{ "Protocol": "FastCgi" }""";

    [Theory]
    [InlineData("{ }", """ "Url": "127.0.0.1:9001", "Protocol": "scgi" """, "scgi_pass app_ws;")]
    [InlineData("{ }", """ "Url": "scgi://127.0.0.1:9001", "Protocol": "FastCgi" """, "fastcgi_pass app;")]
    [InlineData(Scgi, """ "Url": "127.0.0.1:9001" """, "scgi_pass app_ws;")]
    [InlineData(Scgi, """ "Url": "127.0.0.1:9001", "Protocol": "FastCgi" """, "fastcgi_pass app;")]
    [InlineData(FastCgi, """ "Url": "scgi://127.0.0.1:9001" """, "scgi_pass app_ws;")]
    public async Task The_endpoint_comes_before_its_scheme_and_the_defaults(
        string defaults, string endpoint, string pass)
    {
        var run = await RunAsync(defaults, endpoint, "--name", "Sockets");

        run.Succeeds(pass, "server 127.0.0.1:9001;");
    }

    /// <summary>The server reads an array as a section whose names are numbers.</summary>
    [Theory]
    [InlineData(null, "server 127.0.0.1:9001;")]
    [InlineData("0", "server 127.0.0.1:9001;")]
    [InlineData("1", "server 127.0.0.1:9002;")]
    public async Task Endpoints_in_an_array_have_numbers(string? name, string server)
    {
        var run = await RunWithAsync(
            """{ "FastCgi": { "Endpoints": [ { "Url": "127.0.0.1:9001" }, { "Url": "127.0.0.1:9002" } ] } }""",
            name is null ? [] : ["--name", name]);

        run.Succeeds(server);
    }

    [Fact]
    public async Task The_option_names_its_own_protocol()
    {
        var run = await RunAsync(Scgi, """ "Url": "127.0.0.1:9001" """, "--endpoint", "127.0.0.1:9002");

        Assert.Contains("fastcgi_pass app;", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_protocol_that_the_server_refuses_is_status_2()
    {
        var run = await RunAsync("{ }", """ "Url": "127.0.0.1:9001", "Protocol": "http" """);

        run.Fails(ExitCode.Usage, "FastCgi:Endpoints:Sockets:Protocol 'http'");
    }

    private static Task<ToolRun> RunAsync(string defaults, string endpoint, params string[] arguments) => RunWithAsync(
        $$"""
        { "FastCgi": { "EndpointDefaults": {{defaults}}, "Endpoints": { "Sockets": { {{endpoint}} } } } }
        """,
        arguments);

    private static async Task<ToolRun> RunWithAsync(string settings, params string[] arguments)
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(directory.File("appsettings.json"), settings);
        return await ToolRun.OfAsync(
            ["config", "nginx", "--settings", directory.File("appsettings.json"), .. arguments]);
    }
}
