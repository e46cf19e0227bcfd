namespace FastCgi.WebServerTests.Locations;

/// <summary>
/// Some web servers send CONTENT_LENGTH for every request. The application sees the Content-Length that Kestrel behind
/// the same web server sees.
/// </summary>
public sealed class EmptyLengthTests
{
    public static TheoryData<string> Servers => [.. RedirectingServers.All.Select(static server => server.Name)];

    [Theory, MemberData(nameof(Servers))]
    public async Task An_empty_request_has_the_length_that_Kestrel_sees(string name)
    {
        var server = RedirectingServers.All.Single(server => server.Name == name);
        await using var backEnd = await RedirectBackEnd.StartAsync(isHttp: false);
        await using var webServer = await server.Start(backEnd);
        await using var kestrel = await RedirectBackEnd.StartAsync(isHttp: true);
        await using var proxy = await server.Start(kestrel);
        foreach (var method in (string[])["GET", "HEAD", "OPTIONS", "DELETE"])
        {
            foreach (var sendsZero in (bool[])[false, true])
            {
                if (!IsLeftOut(name, method, sendsZero))
                {
                    Assert.Equal(
                        $"{method}: {await kestrel.LengthSeenAsync(proxy, method, sendsZero)}",
                        $"{method}: {await backEnd.LengthSeenAsync(webServer, method, sendsZero)}");
                }
            }
        }
    }

    private static bool IsLeftOut(string server, string method, bool sendsZero) => server switch
    {
        // It gives an HTTP back end a length that the client did not send.
        "lighttpd" => method is "OPTIONS" or "DELETE" && !sendsZero,
        // It keeps the client's length from an HTTP back end.
        "Caddy" => sendsZero,
        // By FastCGI it does not tell which length is the client's.
        "HAProxy" => sendsZero,
        _ => false,
    };
}
