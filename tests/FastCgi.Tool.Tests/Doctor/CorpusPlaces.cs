using System.Net;
using System.Text.RegularExpressions;
using FastCgi.Gateway.Tests.Php;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>What the sites of the corpus lead to, and the folders that they name.</summary>
public sealed partial class CorpusPlaces : IAsyncLifetime
{
    private readonly SeedPlaces _places = new();
    private readonly WorkDirectory _directory = new();
    private PhpFpm? _php;

    public async ValueTask InitializeAsync()
    {
        _directory.LetEverybodyThrough();
        _directory.Subdirectory("empty");
        var www = _directory.Subdirectory("www");
        await File.WriteAllTextAsync(Path.Combine(www, "plain.txt"), "a file");
        foreach (var script in (string[])["index.php", "hello.php"])
        {
            await File.WriteAllTextAsync(
                Path.Combine(www, script), "<?php echo 'php:', $_SERVER['SCRIPT_NAME'], $_SERVER['PATH_INFO'] ?? '';");
        }

        await _places.InitializeAsync();
    }

    /// <summary>Starts PHP for all tests of the class. Skips the test where it is not installed.</summary>
    internal async Task StartPhpAsync() => _php ??= await PhpFpm.StartAsync(_directory, "listen.mode = 0666");

    /// <summary>The text with the places of this machine. PHP has started.</summary>
    /// <param name="work">For what the site writes.</param>
    internal string Fill(string text, WorkDirectory work) => _places.Fill(
        Certificate().Replace(text, "")
            .Replace("443 ssl http2", "443", StringComparison.Ordinal)
            .Replace("unix:/run/php/php-fpm.sock", _php!.Endpoint, StringComparison.Ordinal)
            .Replace("/run/app/app.sock", "SOCKET", StringComparison.Ordinal)
            .Replace("/run/app/app-ws.sock", "SOCKET.scgi", StringComparison.Ordinal)
            .Replace("/run/app/", work.File(""), StringComparison.Ordinal)
            .Replace("127.0.0.1:9000", "TCPADDRESS", StringComparison.Ordinal)
            .Replace("/srv/www", _directory.File("www"), StringComparison.Ordinal)
            .Replace("/srv/empty", _directory.File("empty"), StringComparison.Ordinal),
        new IPEndPoint(IPAddress.Loopback, 80),
        work);

    public async ValueTask DisposeAsync()
    {
        if (_php is not null)
        {
            await _php.DisposeAsync();
        }

        await _places.DisposeAsync();
        _directory.Dispose();
    }

    /// <summary>The tests of TLS are elsewhere.</summary>
    [GeneratedRegex(@"ssl_[a-z_]+ [^;]+;\s*")]
    private static partial Regex Certificate();
}
