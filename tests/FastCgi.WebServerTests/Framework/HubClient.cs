namespace FastCgi.WebServerTests.Framework;

/// <summary>SignalR's JSON protocol by hand, at /hub: records that end in 0x1E.</summary>
internal sealed class HubClient
{
    public const char End = '\x1e';
    public const string Handshake = "{\"protocol\":\"json\",\"version\":1}";

    private readonly HttpClient _http;

    private HubClient(HttpClient http, string id, IReadOnlyList<string> transports)
    {
        _http = http;
        Target = new Uri($"hub?id={id}", UriKind.Relative);
        Transports = transports;
    }

    /// <summary>Of this connection.</summary>
    public Uri Target { get; }

    /// <summary>Those that the server offers.</summary>
    public IReadOnlyList<string> Transports { get; }

    public static async Task<HubClient> NegotiateAsync(HttpClient http)
    {
        using var response = await http
            .PostAsync(new Uri("hub/negotiate?negotiateVersion=1", UriKind.Relative), null).Within("the negotiation");
        var answer = await response.Content.ReadFromJsonAsync<JsonElement>().Within("its body");
        var transports = answer.GetProperty("availableTransports").EnumerateArray()
            .Select(static transport => transport.GetProperty("transport").GetString()!);
        return new HubClient(http, answer.GetProperty("connectionToken").GetString()!, [.. transports]);
    }

    /// <summary>Opens the connection for polling.</summary>
    public async Task StartPollingAsync()
    {
        // The first poll only opens the connection.
        Assert.Equal("", await PollAsync());
        await PostAsync(Handshake);
        Assert.Equal("{}", await PollAsync());
    }

    public async Task PostAsync(string record)
    {
        using var content = new StringContent(record + End);
        using var response = await _http.PostAsync(Target, content).Within("the receipt of a record");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    public async Task<string> PollAsync()
    {
        using var response = await _http.GetAsync(Target).Within("a poll");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        return (await response.Content.ReadAsStringAsync()).TrimEnd(End);
    }
}
