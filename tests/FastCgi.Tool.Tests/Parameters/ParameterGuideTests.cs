using FastCgi.Tool.Parameters;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.Extensions.DependencyInjection;

namespace FastCgi.Tool.Tests.Parameters;

/// <summary>The guide says of each param what the server does with it.</summary>
public sealed class ParameterGuideTests
{
    private const string NoDocumentUri = "DOCUMENT_URI=";

    /// <param name="name">The param that changes.</param>
    /// <param name="value">Its other value.</param>
    /// <param name="changed">What the application sees then is another; null: nothing.</param>
    /// <param name="others">Params beside it, before and after.</param>
    [Theory]
    [InlineData("REQUEST_METHOD", "PUT", "Request.Method")]
    [InlineData("REQUEST_URI", "//a?x=1", "Request.Path")]
    [InlineData("UNENCODED_URL", "//a?x=1", "Request.Path")]
    [InlineData("URL", "/b", null)]
    [InlineData("QUERY_STRING", "y=2", "Request.QueryString")]
    [InlineData("DOCUMENT_URI", "/b", "Request.Path")]
    [InlineData("SCRIPT_NAME", "/b", "Request.Path", NoDocumentUri)]
    [InlineData("PATH_INFO", "/b", "Request.Path", NoDocumentUri)]
    [InlineData("REDIRECT_URI", "/b", "Request.Path")]
    [InlineData("SCRIPT_FILENAME", "proxy:fcgi://app/b", "Request.Path")]
    [InlineData("SCRIPT_FILENAME", "/srv/b.php", null)]
    [InlineData("DOCUMENT_ROOT", "/srv", "Request.Path", "SCRIPT_FILENAME=proxy:fcgi://app/srv/b")]
    [InlineData("CONTEXT_DOCUMENT_ROOT", "/srv", "Request.Path", "SCRIPT_FILENAME=proxy:fcgi://app/srv/b")]
    [InlineData("PATH_TRANSLATED", "/srv/b", null)]
    [InlineData("SERVER_PROTOCOL", "HTTP/1.0", "Request.Protocol")]
    [InlineData("REQUEST_SCHEME", "https", "Request.Scheme")]
    [InlineData("HTTPS", "on", "Request.Scheme")]
    [InlineData("SERVER_NAME", "other.example", "Request.Host", "HTTP_HOST=")]
    [InlineData("SERVER_PORT", "81", "Connection.LocalPort")]
    [InlineData("SERVER_ADDR", "192.0.2.9", "Connection.LocalIpAddress")]
    [InlineData("REMOTE_ADDR", "192.0.2.9", "Connection.RemoteIpAddress")]
    [InlineData("REMOTE_PORT", "1", "Connection.RemotePort")]
    [InlineData("REMOTE_USER", "ann", "AddFastCgiUser", "AUTH_TYPE=Basic")]
    [InlineData("AUTH_TYPE", "Basic", "AddFastCgiUser", "REMOTE_USER=ann")]
    [InlineData("REMOTE_IDENT", "ann", null)]
    [InlineData("CONTENT_LENGTH", "0", "Request.ContentLength")]
    [InlineData("CONTENT_TYPE", "text/html", "Request.ContentType")]
    [InlineData("REDIRECT_STATUS", "404", null)]
    [InlineData("REDIRECT_HTTP_AUTHORIZATION", "Bearer t", "Request.Headers")]
    [InlineData("ASPNETCORE_PATHBASE", "/a", "Request.PathBase")]
    [InlineData("SSL_PROTOCOL", "TLSv1.2", "ITlsHandshakeFeature", "HTTPS=on")]
    [InlineData("SSL_CIPHER", "TLS_AES_128_GCM_SHA256", "ITlsHandshakeFeature", "HTTPS=on", "SSL_PROTOCOL=TLSv1.3")]
    [InlineData("HTTP_HOST", "other.example", "Request.Host")]
    [InlineData("HTTP_COOKIE", "a=b", "Request.Headers")]
    [InlineData("HTTP_X_OWN", "1", "Request.Headers")]
    [InlineData("HTTP_X_FORWARDER", "1", "Request.Headers")]
    [InlineData("HTTP_FORWARDED", "for=192.0.2.9", null)]
    [InlineData("HTTP_X_FORWARDED", "1", null)]
    [InlineData("HTTP_X_FORWARDED_FOR", "192.0.2.9", null)]
    [InlineData("HTTP_X_FORWARDED_PROTO", "https", null)]
    [InlineData("HTTP_X_REAL_IP", "192.0.2.9", null)]
    [InlineData("HTTP_X_ORIGINAL_HOST", "other.example", null)]
    [InlineData("HTTP_CONNECTION", "keep-alive", null)]
    [InlineData("HTTP_KEEP_ALIVE", "300", null)]
    [InlineData("HTTP_TE", "trailers", null)]
    [InlineData("HTTP_EXPECT", "100-continue", null)]
    [InlineData("HTTP_PROXY", "http://192.0.2.9", null)]
    [InlineData("HTTP_CONTENT_LENGTH", "0", null)]
    [InlineData("HTTP_CONTENT_TYPE", "text/html", null)]
    public async Task A_meaning_names_what_the_param_changes(
        string name, string value, string? changed, params string[] others)
    {
        await using var server = await FunctionalServer.StartAsync(
            ServerTransport.EpollOnUnix,
            static async context => await context.Response.WriteAsync(await DescribeAsync(context)),
            configure: static builder => builder.Services.AddAuthentication().AddFastCgiUser(
                static options => options.UserParameter = "REMOTE_USER"));
        await using var peer = await server.ConnectAsync();
        var request = new RequestScript
        {
            Target = "/a?x=1",
            ExtraParams = [.. others.Select(static pair => pair.Split('=')).Select(static pair => (pair[0], pair[1]))],
        };

        var before = await peer.RoundTripAsync(request);
        var after = await peer.RoundTripAsync(
            request with { ExtraParams = [.. request.ExtraParams, (name, value)] });

        Assert.Equal((200, 200), (before.StatusCode, after.StatusCode));
        var meaning = ParameterGuide.MeaningOf(name);
        var differences = after.BodyText.Split('\n').Except(before.BodyText.Split('\n'))
            .Select(static line => line[..line.IndexOf('=', StringComparison.Ordinal)]).ToArray();
        if (changed is null)
        {
            Assert.Empty(differences);
            Assert.Matches("not used|only|not in Request.Headers", meaning);
        }
        else
        {
            Assert.Contains(changed, differences);
            Assert.Contains(changed, meaning, StringComparison.Ordinal);
            Assert.DoesNotContain("not used", meaning, StringComparison.Ordinal);
            Assert.DoesNotContain($"not in {changed}", meaning, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Another_param_is_a_server_variable()
    {
        const string Name = "APP_PARAM";
        await using var server = await FunctionalServer.StartAsync(
            ServerTransport.EpollOnUnix,
            static context => context.Response.WriteAsync($"{context.GetServerVariable(Name)}"));
        await using var peer = await server.ConnectAsync();

        var response = await peer.RoundTripAsync(new RequestScript { ExtraParams = [(Name, "value")] });

        Assert.Equal("value", response.BodyText);
        Assert.Equal($"HttpContext.GetServerVariable(\"{Name}\")", ParameterGuide.MeaningOf(Name));
    }

    private static async Task<string> DescribeAsync(HttpContext context)
    {
        var (request, connection) = (context.Request, context.Connection);
        var tls = context.Features.Get<ITlsHandshakeFeature>();
        var user = await context.AuthenticateAsync();
        return string.Join('\n',
            $"Request.Method={request.Method}",
            $"Request.Scheme={request.Scheme}",
            $"Request.Host={request.Host}",
            $"Request.PathBase={request.PathBase}",
            $"Request.Path={request.Path}",
            $"Request.QueryString={request.QueryString}",
            $"Request.Protocol={request.Protocol}",
            $"Request.ContentLength={request.ContentLength}",
            $"Request.ContentType={request.ContentType}",
            $"Request.Headers={string.Join(", ", request.Headers)}",
            $"Connection.RemoteIpAddress={connection.RemoteIpAddress}",
            $"Connection.RemotePort={connection.RemotePort}",
            $"Connection.LocalIpAddress={connection.LocalIpAddress}",
            $"Connection.LocalPort={connection.LocalPort}",
            $"ITlsHandshakeFeature={tls?.Protocol} {tls?.NegotiatedCipherSuite}",
            $"AddFastCgiUser={user.Principal?.Identity?.Name}");
    }
}
