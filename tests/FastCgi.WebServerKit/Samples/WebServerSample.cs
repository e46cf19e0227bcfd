namespace FastCgi.WebServerKit.Samples;

/// <summary>Where a web server listens.</summary>
/// <param name="Authority">Has signed the site's certificate, and signs those of clients.</param>
internal sealed record SampleListening(IPEndPoint Plain, IPEndPoint Encrypted, TestAuthority Authority);

/// <summary>How the web server comes to the application: one of the three.</summary>
/// <param name="PathBase">A setting for the program to start: the path it is mounted under.</param>
internal sealed record SampleReach(
    string? Socket = null, IPEndPoint? Tcp = null, StartedProgram? Program = null, string? PathBase = null);

/// <summary>Where the web server has the application, and how the application learns of it.</summary>
internal enum SampleMount
{
    /// <summary>At the root.</summary>
    Root,

    /// <summary>Under /app, and the application's own option says so.</summary>
    PathAlone,

    /// <summary>Under /app, which the web server's configuration says by the param ASPNETCORE_PATHBASE.</summary>
    PathBaseParam,

    /// <summary>Under /app, which SCRIPT_NAME tells as far as this web server can.</summary>
    ScriptName,
}

/// <summary>The documented configuration of one web server, and the changes that its comments describe.</summary>
internal abstract class WebServerSample
{
    protected const string DocumentedSocket = "/run/app/app.sock";
    protected const string DocumentedTcp = "127.0.0.1:9000";

    public abstract WebServerProgram Program { get; }

    /// <summary>Starts it on two free ports of 127.0.0.1: its own, and the one where it speaks TLS.</summary>
    public async Task<(WebServer Server, IPEndPoint Encrypted)> StartAsync(
        TestAuthority authority, SampleReach reach, SampleMount mount = SampleMount.Root)
    {
        var encrypted = new IPEndPoint(IPAddress.Loopback, 0);
        var server = await Program.StartAsync(plain =>
        {
            encrypted.Port = FreePort.Take();
            return Write(new SampleListening(plain, encrypted, authority), reach, mount);
        });
        return (server, encrypted);
    }

    /// <returns>The site: see <see cref="WebServerProgram.Configure"/>.</returns>
    protected abstract string Write(SampleListening listening, SampleReach reach, SampleMount mount);
}
