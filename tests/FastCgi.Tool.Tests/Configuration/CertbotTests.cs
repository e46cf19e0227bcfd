using System.Net;
using FastCgi.Tool.Tests.Doctor;

namespace FastCgi.Tool.Tests.Configuration;

/// <summary>
/// The step of docs/quick-start.md that brings https: certbot's own plugin for nginx changes the site's file, with a
/// certificate of Pebble, the test server of Let's Encrypt. It asks the site for the challenge, as the real one does.
/// </summary>
public sealed class CertbotTests : IDisposable
{
    private const string Site = "www.example.com";

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Without it Pebble refuses one nonce of twenty on purpose. Certbot tries once more and gives up when the second one
    /// is refused too.
    /// </summary>
    private static readonly Dictionary<string, string> s_pebbleEnvironment = new()
    {
        ["PEBBLE_VA_NOSLEEP"] = "1",
        ["PEBBLE_WFE_NONCEREJECT"] = "0",
    };

    private readonly WorkDirectory _directory = new();
    private readonly TestAuthority _authority = new();
    private readonly int _encryptedPort = FreePort.Take();
    private readonly int _namesPort = FreePort.Take();
    private readonly int _acmePort = FreePort.Take();

    public void Dispose()
    {
        _authority.Dispose();
        _directory.Dispose();
    }

    [Fact]
    public async Task Certbot_gives_the_site_https()
    {
        var certbot = InstalledProgram.Find("certbot");
        await using var app = await ServedApp.StartOnUnixAndTcpAsync(MountedApplication.Configure);
        var config = await ToolRun.OfAsync(
            "config", "nginx", "--endpoint", $"unix:{app.SocketPath}", "--server-name", Site);
        Assert.True(config.ExitCode == ExitCode.Success, config.Error);
        var site = _directory.File("site.conf");
        await using var nginx = await WebServerProgram.Nginx.StartAsync(endPoint =>
        {
            File.WriteAllText(site, config.Output
                .Replace("listen 80;", $"listen {endPoint};", StringComparison.Ordinal)
                .Replace("include ", "include /etc/nginx/", StringComparison.Ordinal));
            return $"include {site};";
        });
        await using var names = await StartNamesAsync();
        await using var pebble = await StartPebbleAsync(nginx.EndPoint.Port);

        await ChildProcess.SucceedAsync(
            certbot,
            Arguments(nginx),
            _directory.Path,
            new Dictionary<string, string> { ["REQUESTS_CA_BUNDLE"] = _authority.CertificateFile },
            s_patience);

        using var client = new HttpClient(CreateHandler()) { Timeout = Deadline.Of(s_patience) };
        var text = await client.GetStringAsync(new Uri($"https://{Site}:{_encryptedPort}/a"));
        Assert.Equal("https", SeedSite.Line(text, "scheme"));
        Assert.Equal($"{Site}:{_encryptedPort}", SeedSite.Line(text, "host"));
        Assert.Contains("managed by Certbot", await File.ReadAllTextAsync(site), StringComparison.Ordinal);
        var doctor = await ToolRun.OfAsync("doctor", nginx.ConfigurationFile);
        Assert.True(doctor.ExitCode == ExitCode.Success, doctor.Output);
    }

    /// <summary>
    /// Those of the page, and what a test needs that is neither root nor on the internet. The redirection is not here:
    /// certbot makes one for port 80 alone.
    /// </summary>
    private string[] Arguments(WebServer nginx)
    {
        var control = _directory.File("nginx");
        File.WriteAllText(control, $"#!/bin/sh\nexec '{InstalledProgram.Find("nginx")}' -e stderr \"$@\"\n");
        File.SetUnixFileMode(control, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        return
        [
            "--nginx", "-d", Site,
            "--non-interactive", "--agree-tos", "--register-unsafely-without-email",
            "--server", $"https://localhost:{_acmePort}/dir",
            "--http-01-port", $"{nginx.EndPoint.Port}", "--https-port", $"{_encryptedPort}",
            "--nginx-server-root", Path.GetDirectoryName(nginx.ConfigurationFile)!, "--nginx-ctl", control,
            "--config-dir", _directory.Subdirectory("certificates"),
            "--work-dir", _directory.Subdirectory("work"),
            "--logs-dir", _directory.Subdirectory("logs"),
        ];
    }

    /// <summary>Every name is 127.0.0.1.</summary>
    private async Task<ChildProcess> StartNamesAsync()
    {
        var process = ChildProcess.Start(
            InstalledProgram.Find("pebble-challtestsrv"),
            ["-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-dns01", $"127.0.0.1:{_namesPort}",
                "-management", $"127.0.0.1:{FreePort.Take()}", "-http01", "", "-https01", "", "-tlsalpn01", ""],
            _directory.Path);
        await process.Log.WaitForAsync("Starting management server");
        return process;
    }

    private async Task<ChildProcess> StartPebbleAsync(int plainPort)
    {
        var file = _directory.File("pebble.json");
        await File.WriteAllTextAsync(file, $$"""
            {
              "pebble": {
                "listenAddress": "127.0.0.1:{{_acmePort}}",
                "managementListenAddress": "127.0.0.1:{{FreePort.Take()}}",
                "certificate": "{{_authority.SiteFile}}",
                "privateKey": "{{_authority.SiteKeyFile}}",
                "httpPort": {{plainPort}},
                "tlsPort": {{_encryptedPort}}
              }
            }
            """);
        var process = ChildProcess.Start(
            InstalledProgram.Find("pebble"),
            ["-config", file, "-dnsserver", $"127.0.0.1:{_namesPort}"],
            _directory.Path,
            s_pebbleEnvironment);
        await process.Log.WaitForAsync("ACME directory available at");
        return process;
    }

    /// <summary>Connects to this machine whatever the name; Pebble's authority is a new one at each start.</summary>
    private static SocketsHttpHandler CreateHandler()
    {
        var handler = new SocketsHttpHandler { AllowAutoRedirect = false, UseProxy = false };
        handler.SslOptions.RemoteCertificateValidationCallback = static (_, certificate, _, _) =>
            certificate?.Issuer.Contains("Pebble", StringComparison.Ordinal) == true;
        handler.ConnectCallback = static (context, token) =>
            TestDialer.ConnectAsync(new IPEndPoint(IPAddress.Loopback, context.DnsEndPoint.Port), token);
        return handler;
    }
}
