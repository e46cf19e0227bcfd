using FastCgi.AspNetCore;
using FastCgi.Client;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.WebUtilities;

namespace FastCgi.Gateway.Tests.Oracle;

/// <summary>
/// Random responses of an application: through MapFastCgi, on Kestrel and on this server behind nginx, a client gets the
/// same as through nginx alone, and FastCgiHandler the same as HttpClient behind nginx. FASTCGI_FUZZ_SEED is the first
/// of them, and FASTCGI_RESPONSES says how many: 300.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed class RandomResponseTests : IAsyncLifetime
{
    /// <summary>No response, or not all of it.</summary>
    private const string Broken = "broken";

    /// <summary>
    /// They are each server's own, or the gateway drops them (RFC 9110, section 7.6.1), and nginx only some.
    /// </summary>
    private static readonly string[] s_ofTheHop =
    [
        "date", "server", "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "te", "trailer", "transfer-encoding",
        "upgrade", "http2-settings", "x-hop", "x-pad",
    ];

    private readonly RandomApplication _application = new();
    private ServedApp? _served;
    private WebServer? _nginx;
    private GatewayFront? _kestrel;

    public async ValueTask InitializeAsync()
    {
        _served = await ServedApp.StartAsync(BackEnd.FastCgi, Map, static builder => Quiet(builder)
            .Services.Configure<FastCgiServerOptions>(static server => server.ResponseHeaderEncodingSelector = Latin1));
        _nginx = await WebServerProgram.Nginx.StartAsync(endPoint => $$"""
            upstream app { server {{_application.Endpoint}}; keepalive 4; }
            server {
                listen {{endPoint}};
                error_log stderr crit;
                absolute_redirect off;
                fastcgi_buffer_size 64k;
                fastcgi_buffers 8 64k;
                include /etc/nginx/fastcgi_params;
                location /kept/ {
                    fastcgi_keep_conn on;
                    fastcgi_pass app;
                }
                location /closed/ { fastcgi_pass {{_application.Endpoint}}; }
                location /served/ { fastcgi_pass unix:{{_served.SocketPath}}; }
            }
            """);
        _kestrel = await GatewayFront.StartAsync(Map, static builder => Quiet(builder)
            .Services.Configure<KestrelServerOptions>(static server => server.ResponseHeaderEncodingSelector = Latin1));
    }

    public async ValueTask DisposeAsync()
    {
        await Starting.EndAsync(_kestrel, _nginx, _served);
        _application.Dispose();
    }

    [Fact]
    public async Task A_client_gets_the_same_as_behind_nginx()
    {
        using var http = new HttpMessageInvoker(new SocketsHttpHandler { AllowAutoRedirect = false, UseCookies = false });
        using var kept = Handler(isKept: true);
        using var closed = Handler(isKept: false);
        var kestrel = IPEndPoint.Parse(_kestrel!.Uri.Authority);
        await SeededChoices.TryAllAsync("FASTCGI_RESPONSES", 300, "FastCgi.Gateway.Tests", async seed =>
        {
            var response = new RandomResponse(seed);
            string path = $"/{response.Place}/{seed}";
            string onKestrel = await AskAsync(kestrel, response, path);
            string onThis = await AskAsync(_nginx!.EndPoint, response, "/served" + path);
            string handler = await SendAsync(response.Place == "kept" ? kept : closed, response, $"http://localhost{path}");
            string nginx = response.IsWrong ? Broken : await AskAsync(_nginx.EndPoint, response, path);
            string client = response.IsWrong ? Broken : await SendAsync(http, response, $"http://{_nginx.EndPoint}{path}");
            Assert.True(
                (nginx == onKestrel && nginx == onThis && client == handler)
                    || (response.MayBeRefused && (onKestrel, onThis, handler) is (Broken, Broken, Broken)),
                $"Response {seed}: {response}\nnginx:           {nginx}\non Kestrel:      {onKestrel}\n" +
                $"on this server:  {onThis}\nHttpClient:      {client}\nFastCgiHandler:  {handler}");
        });
    }

    /// <summary>The gateway logs an error for each response that is wrong on purpose.</summary>
    private static WebApplicationBuilder Quiet(WebApplicationBuilder builder)
    {
        builder.Logging.AddFilter("FastCgi.Gateway", LogLevel.None);
        return builder;
    }

    private static Encoding Latin1(string name) => Encoding.Latin1;

    private void Map(WebApplication application)
    {
        foreach (string place in (string[])["/kept", "/closed", "/served/kept", "/served/closed"])
        {
            application.MapFastCgi(place + "/{**path}", _application.Endpoint, options =>
                options.ConfigureHandler = handler => handler.KeepConnection = place.EndsWith("kept", StringComparison.Ordinal));
        }
    }

    private HttpMessageInvoker Handler(bool isKept) => new(new FastCgiHandler(new FastCgiHandlerOptions
    {
        Endpoint = _application.Endpoint,
        KeepConnection = isKept,
        FollowLocalRedirects = false,
    }));

    private static async Task<string> AskAsync(IPEndPoint server, RandomResponse response, string path)
    {
        await using var client = await RawHttpClient.ConnectAsync(server);
        string body = response.Method == "POST" ? "Content-Length: 5\r\n\r\nhello" : "\r\n";
        await client.SendAsync($"{response.Method} {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{body}");
        try
        {
            RawResponse answer = await client.ReadResponseAsync(response.Method == "HEAD");
            return answer.IsTorn ? Broken : Describe(answer.Status, answer.Head.Reason, answer.Head.Headers, answer.Text);
        }
        catch (Exception exception) when (exception is IOException or FormatException)
        {
            return Broken;
        }
    }

    private static async Task<string> SendAsync(HttpMessageInvoker invoker, RandomResponse response, string uri)
    {
        using var request = new HttpRequestMessage(HttpMethod.Parse(response.Method), uri)
        {
            Content = response.Method == "POST" ? new StringContent("hello") : null,
        };

        // nginx keeps the client's connection behind a body that is too short, and the client waits for the rest.
        request.Headers.ConnectionClose = true;
        try
        {
            using var answer = await invoker.SendAsync(request, CancellationToken.None).Within("a response");
            var body = new MemoryStream();
            await (await answer.Content.ReadAsStreamAsync()).CopyToAsync(body, response.ReadSize).Within("a body");
            var fields = answer.Headers.NonValidated.Concat(answer.Content.Headers.NonValidated);
            return Describe(
                (int)answer.StatusCode,
                answer.ReasonPhrase ?? "",
                fields.SelectMany(static field => field.Value.Select(value => (field.Key, value))),
                Encoding.ASCII.GetString(body.ToArray()));
        }
        catch (Exception exception) when (exception is HttpRequestException or HttpIOException)
        {
            return Broken;
        }
    }

    private static string Describe(int status, string reason, IEnumerable<(string Name, string Value)> fields, string body)
    {
        var sent = fields.ToLookup(static field => field.Name.ToLowerInvariant(), static field => field.Value);
        if (!sent.Contains("app"))
        {
            // An error page.
            return Broken;
        }

        // The web server in front obeys X-Accel fields. No response of status 204 has a length. nginx drops an empty type.
        var shown = sent.OrderBy(static field => field.Key, StringComparer.Ordinal)
            .Where(field => !s_ofTheHop.Contains(field.Key) && !field.Key.StartsWith("x-accel-", StringComparison.Ordinal))
            .Where(field => field.Key != "content-length" || (status != 204 && int.Parse(field.Single(), null) != body.Length))
            .Where(static field => field.Key != "content-type" || field.First().Length > 0)
            .Select(static field => $"{field.Key}={string.Join('|', field)}");

        // Kestrel writes a reason in ASCII.
        reason = reason.Trim().Replace('\u00fc', '?');
        bool isDefault = reason == ReasonPhrases.GetReasonPhrase(status) || reason == "Moved Temporarily";
        return $"{status} {(isDefault ? "" : reason)} ({string.Join("; ", shown)}) {body.Length} bytes, {body.FirstOrDefault('-')}";
    }
}
