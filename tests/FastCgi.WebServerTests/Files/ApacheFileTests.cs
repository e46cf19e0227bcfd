namespace FastCgi.WebServerTests.Files;

/// <summary>mod_proxy_fcgi with mod_xsendfile.</summary>
public sealed class ApacheFileTests : FileTests
{
    private const string Module = "/usr/lib/apache2/modules/mod_xsendfile.so";

    private protected override Task<FileSite> StartAsync()
    {
        var isThere = File.Exists(Module) || Environment.GetEnvironmentVariable("CI") == "true";
        Assert.SkipUnless(isThere, "mod_xsendfile is missing: 'bash tests/run' installs it, or says how.");
        return FileSite.StartAsync(
            (app, folder) => ApacheServer.StartAsync(["authz_core", "env", "proxy", "proxy_fcgi", "xsendfile"], $"""
                SetEnv ap_trust_cgilike_cl 1
                ProxyPass "/" "unix:{app.SocketPath}|fcgi://app/" enablereuse=on
                {FileSite.Documented("apache", "XSendFile").Replace("/srv/app/files", folder, StringComparison.Ordinal)}
                """),
            FileSite.SendByXSendfile);
    }

    private protected override bool CanName(string name) =>
        !name.Contains('%', StringComparison.Ordinal) && !name.Any(char.IsControl);
}
