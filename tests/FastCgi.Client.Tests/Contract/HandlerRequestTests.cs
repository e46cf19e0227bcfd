using System.Net.Http.Headers;

namespace FastCgi.Client.Tests.Contract;

/// <summary>Requests are taken and refused as by the handlers of .NET.</summary>
public sealed class HandlerRequestTests : ClientTest
{
    [Theory]
    [InlineData("get", "GET")]
    [InlineData("Head", "HEAD")]
    [InlineData("pOst", "POST")]
    [InlineData("put", "PUT")]
    [InlineData("delete", "DELETE")]
    [InlineData("options", "OPTIONS")]
    [InlineData("trace", "TRACE")]
    [InlineData("patch", "PATCH")]
    [InlineData("other", "other")]
    [InlineData("SometHING", "SometHING")]
    public async Task A_known_method_is_sent_in_capitals(string method, string sent)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), "http://localhost/");
        var received = await Application.ReceiveAsync(request);
        Assert.Equal(sent, received["REQUEST_METHOD"]);
    }

    [Fact]
    public async Task The_response_to_a_head_in_small_letters_has_no_content()
    {
        using var request = new HttpRequestMessage(new HttpMethod("head"), "http://localhost/");
        using var response = await Application.AnswerAsync("Content-Length: 5\n\n", request);
        Assert.Empty(await response.Content.ReadAsByteArrayAsync().Within("the end"));
        Assert.Equal(5, response.Content.Headers.ContentLength);
    }

    [Theory]
    [InlineData("foo://foo.bar")]
    [InlineData("ftp://localhost/")]
    [InlineData("file:///etc/passwd")]
    public async Task An_address_of_another_scheme_is_refused(string uri)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, uri);
        Task<HttpResponseMessage> sending = Application.SendAsync(request);
        var exception = await Assert.ThrowsAsync<NotSupportedException>(() => sending.Within("an error"));
        Assert.Contains(new Uri(uri).Scheme, exception.Message, StringComparison.Ordinal);
        Assert.Equal(0, Application.Opened);
    }

    [Fact]
    public async Task A_request_without_a_whole_address_is_refused()
    {
        foreach (Uri? uri in (Uri?[])[null, new Uri("/relative", UriKind.Relative)])
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, uri);
            Task<HttpResponseMessage> sending = Application.SendAsync(request);
            await Assert.ThrowsAsync<InvalidOperationException>(() => sending.Within("an error"));
            Assert.Throws<InvalidOperationException>(() => Application.Invoker.Send(request, CancellationToken.None));
        }

        await Assert.ThrowsAsync<ArgumentNullException>(
            () => Application.Invoker.SendAsync(null!, CancellationToken.None).Within("an error"));
        Assert.Throws<ArgumentNullException>(() => Application.Invoker.Send(null!, CancellationToken.None));
        Assert.Equal(0, Application.Opened);
    }

    [Fact]
    public async Task Headers_of_all_kinds_reach_the_application()
    {
        using var request = ScriptedApplication.Post(new ByteArrayContent("hello"u8.ToArray()));
        request.Headers.Accept.Add(new MediaTypeWithQualityHeaderValue("text/plain"));
        request.Headers.AcceptEncoding.ParseAdd("gzip, deflate");
        request.Headers.Authorization = new AuthenticationHeaderValue("Basic", "QWxhZGRpbjpvcGVu");
        request.Headers.CacheControl = new CacheControlHeaderValue { NoCache = true };
        request.Headers.Add("Cookie", ["a=1", "b=2"]);
        request.Headers.Date = new DateTimeOffset(1994, 11, 15, 8, 12, 31, TimeSpan.Zero);
        request.Headers.IfMatch.Add(new EntityTagHeaderValue("\"x\""));
        request.Headers.Range = new RangeHeaderValue(500, 999);
        request.Headers.Referrer = new Uri("http://en.example.org/wiki");
        request.Headers.UserAgent.ParseAdd("Mozilla/5.0 (X11) Gecko/1");
        request.Headers.Via.Add(new ViaHeaderValue("1.0", "fred"));
        request.Headers.Add("X-Forwarded-For", ["client", "proxy"]);
        request.Headers.Add("X-Empty", "");
        request.Headers.TryAddWithoutValidation("If-Modified-Since", "no date");
        request.Headers.TryAddWithoutValidation("Accept-Language", "en-US,en;q=0.5");
        request.Headers.Host = "en.example.org:8080";
        request.Content!.Headers.ContentMD5 = [1, 2, 3];
        request.Content.Headers.TryAddWithoutValidation("Content-Location", "");

        var received = await Application.ReceiveAsync(request);
        Assert.Equal(
            [
                "HTTP_ACCEPT=text/plain",
                "HTTP_ACCEPT_ENCODING=gzip, deflate",
                "HTTP_ACCEPT_LANGUAGE=en-US,en;q=0.5",
                "HTTP_AUTHORIZATION=Basic QWxhZGRpbjpvcGVu",
                "HTTP_CACHE_CONTROL=no-cache",
                "HTTP_CONTENT_LOCATION=",
                "HTTP_CONTENT_MD5=AQID",
                "HTTP_COOKIE=a=1; b=2",
                "HTTP_DATE=Tue, 15 Nov 1994 08:12:31 GMT",
                "HTTP_HOST=en.example.org:8080",
                "HTTP_IF_MATCH=\"x\"",
                "HTTP_IF_MODIFIED_SINCE=no date",
                "HTTP_RANGE=bytes=500-999",
                "HTTP_REFERER=http://en.example.org/wiki",
                "HTTP_USER_AGENT=Mozilla/5.0 (X11) Gecko/1",
                "HTTP_VIA=1.0 fred",
                "HTTP_X_EMPTY=",
                "HTTP_X_FORWARDED_FOR=client, proxy",
            ],
            received.Headers.Select(static pair => $"{pair.Key}={pair.Value}"));
    }

    /// <summary>A sender of the expectation would wait for an interim response, and CGI has none.</summary>
    [Fact]
    public async Task Headers_of_the_hop_stay_and_no_body_waits_for_100()
    {
        using var request = ScriptedApplication.Post(new StringContent("hello"));
        request.Headers.ExpectContinue = true;
        request.Headers.TransferEncodingChunked = true;
        request.Headers.ConnectionClose = true;
        request.Headers.TE.ParseAdd("trailers");
        request.Headers.Trailer.Add("X-Sum");
        request.Headers.Add("Proxy-Connection", "keep-alive");
        request.Headers.Add("Keep-Alive", "timeout=1");

        var received = await Application.ReceiveAsync(request);
        Assert.Equal("hello"u8.ToArray(), received.Body);
        Assert.False(received.Parameters.ContainsKey("CONTENT_LENGTH"));
        Assert.Equal("HTTP_HOST", Assert.Single(received.Headers).Key);
    }

    [Theory]
    [InlineData("/test[]", "/test[]")]
    [InlineData("/test%20?a=1", "/test%20?a=1")]
    [InlineData("/test ?a=1", "/test%20?a=1")]
    [InlineData("/\u00e4?\u00f6", "/%C3%A4?%C3%B6")]
    [InlineData("/a#fragment", "/a")]
    public async Task The_target_is_the_one_of_HTTP(string written, string target)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "http://localhost" + written);
        var received = await Application.ReceiveAsync(request);
        Assert.Equal(target, received["REQUEST_URI"]);
    }

    /// <summary>FastCGI has no version of HTTP on the wire, so any is told.</summary>
    [Theory]
    [InlineData("1.0")]
    [InlineData("1.1")]
    [InlineData("2.0")]
    [InlineData("3.0")]
    public async Task The_version_is_told_and_the_response_is_one_of_HTTP_1_1(string version)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "http://localhost/")
        {
            Version = Version.Parse(version),
        };
        (ReceivedRequest received, HttpResponseMessage response) = await Application.ExchangeAsync(request);
        using (response)
        {
            Assert.Equal($"HTTP/{version}", received["SERVER_PROTOCOL"]);
            Assert.Equal(HttpVersion.Version11, response.Version);
            Assert.Same(request, response.RequestMessage);
        }
    }
}
