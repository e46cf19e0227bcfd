using System.Diagnostics;

namespace FastCgi.WebServerTests.PlainCgi;

/// <summary>The cheapest shared hosting: the web server starts the application for each request.</summary>
public sealed class PlainCgiTests
{
    private static readonly string[] s_servers = ["apache", "lighttpd"];

    public static TheoryData<string> Servers => [.. s_servers];

    [Theory, MemberData(nameof(Servers))]
    public async Task A_request_is_answered(string server)
    {
        using var directory = new WorkDirectory();
        await using var webServer = await StartAsync(server, directory);
        using var client = TestClient.Create(webServer.EndPoint);
        using var request = new HttpRequestMessage(HttpMethod.Get, "/app.cgi/a%20b?x=1&complain");
        request.Headers.TryAddWithoutValidation("Cookie", "a=b");
        request.Headers.TryAddWithoutValidation("Proxy", "http://evil.example/");
        request.Headers.TryAddWithoutValidation("Ports", "8080");
        request.Headers.TryAddWithoutValidation("X--Token", "t");

        using var response = await client.SendAsync(request);
        var text = await response.Content.ReadAsStringAsync();

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal("yes", response.Headers.GetValues("X-Answer").Single());
        Assert.StartsWith("method=GET\n", text, StringComparison.Ordinal);
        Assert.Contains("\npath=/app.cgi/a b\nquery=?x=1&complain\n", text, StringComparison.Ordinal);
        Assert.Contains($"\nhost={webServer.EndPoint}\nremote=127.0.0.1\n", text, StringComparison.Ordinal);
        Assert.Contains("\ncookie=a=b\ntoken=t\nproxy=\nports=\n", text, StringComparison.Ordinal);
        await webServer.ErrorLog.WaitForAsync("printed by the application");
        await webServer.ErrorLog.WaitForAsync("a complaint");
    }

    [Theory, MemberData(nameof(Servers))]
    public async Task A_body_and_a_status_go_through(string server)
    {
        using var directory = new WorkDirectory();
        await using var webServer = await StartAsync(server, directory);
        using var client = TestClient.Create(webServer.EndPoint);
        using var content = new ByteArrayContent(new byte[200_000]);
        content.Headers.TryAddWithoutValidation("Content-Type", "application/x-test");

        using var response = await client.PostAsync("/app.cgi?missing", content);
        var text = await response.Content.ReadAsStringAsync();

        Assert.Equal(HttpStatusCode.NotFound, response.StatusCode);
        Assert.Contains("method=POST\n", text, StringComparison.Ordinal);
        Assert.Contains("\ntype=application/x-test\n", text, StringComparison.Ordinal);
        Assert.Contains("\nbody=200000\n", text, StringComparison.Ordinal);
    }

    /// <summary>Apache passes the words of a query without "=" as arguments (RFC 3875, section 4.4).</summary>
    [Theory]
    [InlineData("apache", "--environment+Development", 400)]
    [InlineData("apache", "--environment%3DDevelopment", 400)]
    [InlineData("apache", "--environment%3DDevelopment%00x", 400)]
    [InlineData("apache", "--name%3D%2Ftmp%2F$(;)", 400)]
    [InlineData("apache", "x=1+--environment%3DDevelopment", 200)]
    [InlineData("lighttpd", "--environment+Development", 200)]
    public async Task A_client_writes_no_arguments_by_its_query(string server, string query, int status)
    {
        using var directory = new WorkDirectory();
        await using var webServer = await StartAsync(server, directory, "\"$@\"");
        using var client = TestClient.Create(webServer.EndPoint);

        using var response = await client.GetAsync($"/app.cgi?{query}");
        var text = await response.Content.ReadAsStringAsync();

        Assert.Equal(status, (int)response.StatusCode);
        Assert.Equal(status == 200, text.Contains("\nenvironment=Production\n", StringComparison.Ordinal));
        if (status == 400)
        {
            await webServer.ErrorLog.WaitForAsync("passes the query string as arguments");
        }
    }

    /// <summary>
    /// Without a web server: the descriptors and the exit code themselves. One request has no figures, so there is no
    /// status page, and nothing is said about who may read it.
    /// </summary>
    [Theory]
    [InlineData("/", 0)]
    [InlineData("/?torn", 1)]
    [InlineData("/status", 0)]
    public async Task The_program_ends_with_a_status(string target, int exitCode)
    {
        using var directory = new WorkDirectory();
        await using var process = Start(
            directory, target, "exec \"$0\" \"$@\" </dev/null 2>errors", "FastCgi__Status__Path", "/status");

        Assert.Equal(exitCode, await process.WaitAsync("the end of the program", TimeSpan.FromSeconds(30)));
        Assert.Contains("Status: 200 OK", process.Log.Lines);
        Assert.DoesNotContain(process.Log.Lines, static line => line.Contains("printed", StringComparison.Ordinal));
        Assert.DoesNotContain(
            "status page", await File.ReadAllTextAsync(directory.File("errors")), StringComparison.Ordinal);
        Assert.Empty(Directory.GetDirectories(directory.Path, "fastcgi-cgi-*"));
    }

    [Fact]
    public async Task A_setting_that_cannot_be_used_leaves_nothing_behind()
    {
        using var directory = new WorkDirectory();
        await using var process = Start(
            directory, "/", "exec \"$0\" \"$@\" </dev/null 2>&1", "FastCgi__Limits__MaxRequestBodySize", "none");

        Assert.NotEqual(0, await process.WaitAsync("the end of the program", TimeSpan.FromSeconds(30)));
        Assert.Contains(
            process.Log.Lines, static line => line.Contains("MaxRequestBodySize", StringComparison.Ordinal));
        Assert.Empty(Directory.GetDirectories(directory.Path, "fastcgi-cgi-*"));
    }

    [Theory]
    [InlineData("--contentRoot+/tmp", 1)]
    [InlineData("x", 0)]
    public async Task A_program_with_arguments_of_the_query_ends_without_a_page(string query, int exitCode)
    {
        using var directory = new WorkDirectory();
        await using var process = Start(
            directory, $"/?{query}", "exec \"$0\" \"$@\" --contentRoot /tmp </dev/null 2>&1", "QUERY_STRING", query);

        Assert.Equal(exitCode, await process.WaitAsync("the end of the program", TimeSpan.FromSeconds(30)));
        Assert.Equal(exitCode == 0, process.Log.Lines.Contains("Status: 200 OK"));
        Assert.Equal(exitCode != 0, process.Log.Lines.Contains("Status: 400 Bad Request"));
    }

    /// <summary>The web server sees the end of the response with the end of the program.</summary>
    [Fact]
    public async Task A_program_that_the_application_starts_does_not_have_the_response()
    {
        using var directory = new WorkDirectory();
        await using var process = Start(
            directory, "/?child", "\"$0\" \"$@\" </dev/null 2>/dev/null | cat", "FastCgi__Status__Path", "/status");

        Assert.Equal(0, await process.WaitAsync("the end of the response", TimeSpan.FromSeconds(30)));
        const string Child = "X-Child: ";
        var line = Assert.Single(process.Log.Lines, static line => line.StartsWith(Child, StringComparison.Ordinal));
        using var child = Process.GetProcessById(int.Parse(line.AsSpan(Child.Length), CultureInfo.InvariantCulture));
        child.Kill();
    }

    /// <summary>The program by a line of bash, as a web server would start it.</summary>
    private static ChildProcess Start(
        WorkDirectory directory, string target, string line, string setting, string value) => ChildProcess.Start(
        "bash",
        ["-c", line, "dotnet", Repository.BuiltTestProgram("FastCgi.CgiApp")],
        directory.Path,
        new Dictionary<string, string>
        {
            ["GATEWAY_INTERFACE"] = "CGI/1.1",
            ["REQUEST_METHOD"] = "GET",
            ["REQUEST_URI"] = target,
            ["PATH_INFO"] = target.Split('?')[0],
            ["SERVER_PROTOCOL"] = "HTTP/1.1",
            ["TMPDIR"] = directory.Path,
            ["FastCgi__Status__Endpoint"] = "unix:/proc/not-bound.sock",
            [setting] = value,
        });

    /// <param name="server">apache or lighttpd.</param>
    /// <param name="arguments">Those of the program: "$@" as if the web server started it without a script.</param>
    private static async Task<WebServer> StartAsync(string server, WorkDirectory directory, string arguments = "")
    {
        var folder = directory.Subdirectory("cgi");
        var script = Path.Combine(folder, "app.cgi");
        await File.WriteAllTextAsync(script, $"""
            #!/bin/sh
            export DOTNET_CLI_HOME={directory.Path} TMPDIR={directory.Path}
            exec {InstalledProgram.Find("dotnet")} {Repository.BuiltTestProgram("FastCgi.CgiApp")} {arguments}

            """);
        MakeExecutable(script);
        File.SetUnixFileMode(folder, (UnixFileMode)0b111_101_101);
        // Apache's workers are nobody.
        File.SetUnixFileMode(directory.Path, (UnixFileMode)0b111_111_111);
        return server == "apache"
            ? await StartApacheAsync(script, Path.Combine(folder, "ready.cgi"), directory.File("cgid.sock"))
            : await WebServerProgram.Lighttpd.StartAsync($"""
                server.modules += ( "mod_cgi", "mod_alias" )
                alias.url = ( "/app.cgi" => "{script}" )
                cgi.assign = ( ".cgi" => "" )
                """);
    }

    /// <summary>
    /// Apache serves a moment before its workers may reach the daemon that starts programs, and answers 503 until then.
    /// </summary>
    private static async Task<WebServer> StartApacheAsync(string script, string ready, string socket)
    {
        await File.WriteAllTextAsync(ready, "#!/bin/sh\necho 'Content-Type: text/plain'\necho\n");
        MakeExecutable(ready);
        var apache = await ApacheSample.ProgramWith("cgid").StartAsync($"""
            ScriptSock {socket}
            ScriptAlias /app.cgi {script}
            ScriptAlias /ready.cgi {ready}
            <Location "/">
                CGIPassAuth On
            </Location>
            """);
        return await apache.StartedAsync(async apache =>
        {
            using var client = TestClient.Create(apache.EndPoint);
            await Eventually.HoldsAsync(
                () => client.GetAsync("/ready.cgi").GetAwaiter().GetResult().StatusCode
                    != HttpStatusCode.ServiceUnavailable,
                apache.ErrorLog.ToString);
        });
    }

    private static void MakeExecutable(string script) =>
        File.SetUnixFileMode(script, (UnixFileMode)0b111_101_101);
}
