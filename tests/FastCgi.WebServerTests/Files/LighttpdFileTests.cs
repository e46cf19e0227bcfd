namespace FastCgi.WebServerTests.Files;

public sealed class LighttpdFileTests : FileTests
{
    private protected override Task<FileSite> StartAsync() => FileSite.StartAsync(
        (app, folder) => LighttpdServer.StartAsync(FileSite.Documented("lighttpd", "x-sendfile")
            .Replace("/run/app/app.sock", app.SocketPath, StringComparison.Ordinal)
            .Replace("/srv/app/files", folder, StringComparison.Ordinal)),
        FileSite.SendByXSendfile);

    private protected override bool CanName(string name) =>
        !name.Contains('%', StringComparison.Ordinal) && !name.Any(char.IsControl);
}
