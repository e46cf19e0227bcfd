using System.Text.RegularExpressions;

namespace FastCgi.SampleTests.Wave;

/// <summary>Kestrel alone, on a free port.</summary>
public sealed partial class WaveOnKestrel : IWaveSite, IAsyncLifetime
{
    private SampleProcess? _sample;
    private HttpClient? _client;

    public HttpClient Client => _client!;

    public string Server => "Microsoft.AspNetCore.Server.Kestrel";

    public async ValueTask InitializeAsync()
    {
        _sample = await SampleProcess.StartAsync("Wave", "--server", "kestrel", "--urls", "http://127.0.0.1:0");
        var line = await _sample.Log.WaitForAsync("Now listening on: ");
        _client = new HttpClient { BaseAddress = new Uri(Address().Match(line).Value) };
    }

    public async ValueTask DisposeAsync()
    {
        _client?.Dispose();
        if (_sample is not null)
        {
            await _sample.DisposeAsync();
        }
    }

    [GeneratedRegex("http://[0-9.:]+")]
    private static partial Regex Address();
}
