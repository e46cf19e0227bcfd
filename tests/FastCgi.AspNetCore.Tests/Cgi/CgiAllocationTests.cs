namespace FastCgi.AspNetCore.Tests.Cgi;

public class CgiAllocationTests
{
    [Fact]
    public void A_request_like_the_one_before_allocates_nothing()
    {
        var encoded = ParamSet.Encode(
            ("QUERY_STRING", "x=1"), ("REQUEST_METHOD", "POST"), ("CONTENT_TYPE", "text/plain"),
            ("CONTENT_LENGTH", "5"), ("SCRIPT_NAME", "/app/a b"), ("REQUEST_URI", "/app/a%20b/../c?x=1"),
            ("DOCUMENT_URI", "/app/c"), ("SERVER_PROTOCOL", "HTTP/2.0"), ("REQUEST_SCHEME", "https"), ("HTTPS", "on"),
            ("SERVER_SOFTWARE", "nginx/1.31.5"), ("REMOTE_ADDR", "2001:db8::7"), ("REMOTE_PORT", "4711"),
            ("SERVER_ADDR", "198.51.100.1"), ("SERVER_PORT", "443"), ("SERVER_NAME", "example.org"),
            ("REMOTE_USER", "u"), ("ASPNETCORE_PATHBASE", "/app"), ("SSL_PROTOCOL", "TLSv1.3"),
            ("HTTP_HOST", "example.org"), ("HTTP_USER_AGENT", "Mozilla/5.0"), ("HTTP_ACCEPT", "*/*"),
            ("HTTP_COOKIE", "a=1"), ("HTTP_X_MY_OWN", "mine"), ("MY_VARIABLE", "1"));
        var request = new CgiRequest(new FastCgiServerOptions());

        AssertAllocatesNothing(() => Serve(request, encoded));
    }

    [Fact]
    public void A_response_like_the_one_before_allocates_nothing()
    {
        var headers = new ResponseHeaderDictionary();
        var destination = new byte[1024];

        AssertAllocatesNothing(() => Respond(headers, destination));
    }

    private static void AssertAllocatesNothing(Func<int> doWork)
    {
        doWork();
        doWork();

        var before = GC.GetAllocatedBytesForCurrentThread();
        var work = 0;
        for (var i = 0; i < 100; i++)
        {
            work += doWork();
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.True(work > 100 * 100);
    }

    // Reading finds the present params. A real request has a dictionary of its own, made when asked for.
    private RequestHeaderDictionary? _headers;

    private int Serve(CgiRequest request, EncodedParams encoded)
    {
        request.Reset();
        encoded.AddTo(request.Params);
        if (request.Load() is not null)
        {
            return 0;
        }

        IHeaderDictionary headers = _headers ??= new RequestHeaderDictionary(new CgiRequestLease(request));
        return request.Method.Length + request.RawTarget.Length + request.PathBase.Length + request.Path.Length
            + request.QueryString.Length + request.Protocol.Length + request.Scheme.Length + request.Host!.Length
            + request.RemotePort + request.LocalPort + (request.RemoteIpAddress is null ? 0 : 1)
            + (request.LocalIpAddress is null ? 0 : 1) + request.Params.GetString(KnownParam.RemoteUser)!.Length + (int)request.TlsProtocol
            + request.Params.GetString(KnownParam.ContentType)!.Length + (request.HostLostItsPort ? 1 : 0)
            + headers.Accept.Count + headers.UserAgent.Count + headers.Cookie.Count + headers.TraceParent.Count
            + headers.Host.Count + headers["X-My-Own"].Count + headers["X-Missing"].Count + (int)headers.ContentLength!
            + request.Params.GetServerVariable("MY_VARIABLE")!.Length;
    }

    private static int Respond(ResponseHeaderDictionary headers, byte[] destination)
    {
        headers.Reset();
        headers["Content-Type"] = "text/plain; charset=utf-8";
        headers["X-My-Own"] = "mine";
        headers["Set-Cookie"] = "a=1";
        headers.ContentLength = 1_234_567;
        headers.Freeze();
        var seen = 0;
        for (var i = 0; i < headers.EntryCount; i++)
        {
            seen += headers.EntryAt(i).Name.Length;
        }

        var head = new ResponseHead
        {
            StatusCode = 200, Headers = headers, DisableBuffering = true, AddServerHeader = true,
        };
        Assert.True(ResponseHeadWriter.TryWrite(destination, head, out var written, out _));
        return seen + written;
    }
}
