using System.Net;
using Xunit.Sdk;

namespace FastCgi.Tool.Tests.Doctor;

/// <summary>nginx with the configuration of a seed, in front of the application.</summary>
internal sealed class SeedSite : IAsyncDisposable
{
    private readonly WebServer? _nginx;

    private SeedSite(WebServer? nginx, string? startError)
    {
        _nginx = nginx;
        StartError = startError;
        Client = nginx is null ? new HttpClient { Timeout = Deadline.Default } : TestClient.Create(nginx.EndPoint);
    }

    /// <summary>What nginx said if it refused the configuration.</summary>
    public string? StartError { get; }

    public HttpClient Client { get; }

    public ErrorLog Log => _nginx!.ErrorLog;

    public static async Task<SeedSite> StartAsync(Func<IPEndPoint, string> configuration)
    {
        try
        {
            return new SeedSite(await WebServerProgram.Nginx.StartAsync(configuration), null);
        }
        catch (XunitException exception)
        {
            return new SeedSite(null, exception.Message);
        }
    }

    /// <summary>A line of the application's answer: the text behind <c>name=</c>.</summary>
    public async Task<string> SeenAsync(string name, string target = "/", params (string Name, string Value)[] headers)
    {
        using var response = await SendAsync(target, headers);
        return Line(await response.Content.ReadAsStringAsync(), name);
    }

    /// <summary>The Host that the application sees when the request line names another than the header.</summary>
    public async Task<string> SeenHostOfAbsoluteTargetAsync()
    {
        await using var client = await RawHttpClient.ConnectAsync(_nginx!.EndPoint);
        await client.SendAsync("GET http://site.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n");
        return Line((await client.ReadResponseAsync()).Text, "host");
    }

    public async Task<HttpStatusCode> StatusAsync(string target = "/", params (string Name, string Value)[] headers)
    {
        using var response = await SendAsync(target, headers);
        return response.StatusCode;
    }

    /// <summary>The same for a body of so many bytes.</summary>
    public async Task<(HttpStatusCode Status, string Text)> PostAsync(int length, string type = "text/plain")
    {
        using var content = new ByteArrayContent(new byte[length]);
        content.Headers.TryAddWithoutValidation("Content-Type", type);
        using var response = await Client.PostAsync("/", content);
        return (response.StatusCode, await response.Content.ReadAsStringAsync());
    }

    public static string Line(string text, string name) => text.Split('\n')
        .FirstOrDefault(line => line.StartsWith($"{name}=", StringComparison.Ordinal))?[(name.Length + 1)..] ?? "";

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        if (_nginx is not null)
        {
            await _nginx.DisposeAsync();
        }
    }

    private async Task<HttpResponseMessage> SendAsync(string target, (string Name, string Value)[] headers)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, target);
        foreach (var (name, value) in headers)
        {
            request.Headers.TryAddWithoutValidation(name, value);
        }

        return await Client.SendAsync(request);
    }
}
