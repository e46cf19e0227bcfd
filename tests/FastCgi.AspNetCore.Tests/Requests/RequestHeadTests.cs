namespace FastCgi.AspNetCore.Tests.Requests;

public sealed class RequestHeadTests : IDisposable
{
    private static readonly (string Name, string Value)[] s_pairs =
    [
        ("REQUEST_METHOD", "POST"),
        ("REQUEST_URI", "/a?b=c"),
        ("HTTP_X_LONG", new string('x', 200)),
        ("CONTENT_LENGTH", "12"),
        ("EMPTY", ""),
        ("DOCUMENT_URI", "/a"),
    ];

    private readonly TrackingPool _pool = new();
    private readonly FastCgiServerLimits _limits;
    private readonly RequestHead _head;

    public RequestHeadTests()
    {
        var server = new ScriptedServer { Buffers = _pool };
        _limits = server.Options.Limits;
        _head = new RequestHead(server.Context);
    }

    /// <summary>Every buffer is home.</summary>
    public void Dispose()
    {
        _head.Reset();
        Assert.Equal(0, _pool.Outstanding);
    }

    [Theory, InlineData(false), InlineData(true)]
    public void A_head_means_the_same_at_every_split(bool isScgi)
    {
        foreach (var pieces in Splits.All(Encode(s_pairs, isScgi)))
        {
            Read(pieces, isScgi);
            Assert.Null(_head.Rejection);
            Assert.Equal(("POST", (long?)12), (_head.Cgi.Method, _head.Cgi.ContentLength));
            Assert.Equal(s_pairs[2].Value, _head.Cgi.Params.GetServerVariable("HTTP_X_LONG"));
            _head.Reset();
        }
    }

    [Theory, InlineData(false), InlineData(true)]
    public void A_head_that_ends_inside_a_pair_is_rejected(bool isScgi)
    {
        var ends = Enumerable.Range(0, s_pairs.Length + 1)
            .Select(count => Encode(s_pairs[..count], isScgi).Length).ToHashSet();
        foreach (var begin in Splits.Truncations(Encode(s_pairs, isScgi)))
        {
            Read([begin], isScgi);
            var isCut = ReferenceEquals(_head.Rejection, CgiRejection.TruncatedParams);
            Assert.Equal((begin.Length, !ends.Contains(begin.Length)), (begin.Length, isCut));
            _head.Reset();
        }
    }

    [Fact]
    public void A_declared_length_over_the_limit_is_rejected_before_anything_is_kept()
    {
        _head.Begin();
        Assert.False(_head.TryAppendParams(RecordBuilder.Pair("NAME", "")[..1].Concat(LongLength()).ToArray()));
        Assert.Same(CgiRejection.ParamsTooLarge, _head.Rejection);
        Assert.Equal(0, _pool.Outstanding);
        _head.Reset();

        Assert.False(_head.TryBeginScgi(_limits.MaxRequestParametersTotalSize + 1));
        Assert.Same(CgiRejection.ParamsTooLarge, _head.Rejection);
        Assert.Equal(0, _pool.Outstanding);
        _head.Reset();

        Assert.True(_head.TryBeginScgi(_limits.MaxRequestParametersTotalSize));
        Assert.Null(_head.Rejection);

        byte[] LongLength()
        {
            var length = _limits.MaxRequestParametersTotalSize + 1;
            return [(byte)((length >> 24) | 0x80), (byte)(length >> 16), (byte)(length >> 8), (byte)length];
        }
    }

    [Theory, InlineData(false), InlineData(true)]
    public void More_params_than_the_limit_are_rejected(bool isScgi)
    {
        foreach (var more in (int[])[0, 1])
        {
            var pairs = s_pairs
                .Concat(Enumerable.Range(0, _limits.MaxRequestParameterCount + more - s_pairs.Length).Select(i => ($"P{i}", "")))
                .ToArray();
            Read([Encode(pairs, isScgi)], isScgi);
            Assert.Equal((more, more == 0 ? null : CgiRejection.ParamsTooLarge), (more, _head.Rejection));
            _head.Reset();
        }
    }

    [Fact]
    public void An_SCGI_head_needs_a_length()
    {
        Read(isScgi: true, [.. s_pairs.Where(static pair => pair.Name != "CONTENT_LENGTH")]);
        Assert.Same(CgiRejection.MissingContentLength, _head.Rejection);
        Assert.False(_head.HasCutBody);
    }

    [Fact]
    public void A_body_longer_than_its_SCGI_length_is_cut()
    {
        Read(isScgi: true, [.. s_pairs, ("HTTP_CONTENT_LENGTH", "13")]);
        Assert.Null(_head.Rejection);
        Assert.True(_head.HasCutBody);
        _head.Reset();
        Assert.False(_head.HasCutBody);
    }

    /// <summary>
    /// A client can send the header Content_Length, which has the same param name. It announces nothing for a request
    /// that has no body.
    /// </summary>
    [Theory]
    [InlineData("GET", "0", "5", false)]
    [InlineData("HEAD", "0", "5", false)]
    [InlineData("GET", "3", "5", true)]
    [InlineData("POST", "0", "5", true)]
    [InlineData("POST", "3", "5", true)]
    [InlineData("POST", "5", "3", false)]
    public void A_bodiless_request_is_not_cut(string method, string length, string announced, bool isCut)
    {
        Read(isScgi: true, [
            ("CONTENT_LENGTH", length), ("REQUEST_METHOD", method), ("REQUEST_URI", "/"), ("DOCUMENT_URI", "/"),
            ("HTTP_CONTENT_LENGTH", announced)]);
        Assert.Null(_head.Rejection);
        Assert.Equal(isCut, _head.HasCutBody);
    }

    /// <summary>CONTENT_LENGTH is mandatory in SCGI, so that 0 there says nothing about the client's header.</summary>
    [Theory]
    [InlineData("GET", "", null)]
    [InlineData("GET", "0", 0L)]
    [InlineData("GET", "5", null)]
    [InlineData("DELETE", "", null)]
    [InlineData("POST", "", 0L)]
    [InlineData("PUT", "", 0L)]
    [InlineData("PATCH", "", 0L)]
    public void A_length_of_0_in_SCGI_is_a_header_only_where_it_can_be_the_clients(
        string method, string sent, long? expected)
    {
        Read(isScgi: true, [
            ("CONTENT_LENGTH", "0"), ("REQUEST_METHOD", method), ("REQUEST_URI", "/"), ("DOCUMENT_URI", "/"),
            ("HTTP_CONTENT_LENGTH", sent)]);
        var headers = new RequestHeaderDictionary(new CgiRequestLease(_head.Cgi));
        Assert.Equal(0, _head.Cgi.ContentLength);
        Assert.Equal(expected, headers.ContentLength);
        Assert.Equal(expected is not null, headers.ContainsKey("Content-Length"));
        Assert.Equal(expected is not null, headers.Any(header => header.Key == "Content-Length"));
        Assert.Equal(expected, headers.ContentLength);
    }

    [Fact]
    public void The_first_rejection_counts()
    {
        _head.Reject(CgiRejection.ParamsTimeout);
        _head.Reject(CgiRejection.Overloaded);
        Assert.Same(CgiRejection.ParamsTimeout, _head.Rejection);
    }

    [Fact]
    public void A_reset_forgets_the_request()
    {
        Read(isScgi: false, s_pairs);
        _head.Reset();
        Assert.Equal(0, _pool.Outstanding);

        Read(isScgi: false, [("REQUEST_METHOD", "GET"), ("REQUEST_URI", "/next"), ("DOCUMENT_URI", "/next")]);
        Assert.Null(_head.Rejection);
        Assert.Equal(("GET", null), (_head.Cgi.Method, _head.Cgi.ContentLength));
        _head.Reset();

        Read([], isScgi: false);
        Assert.Same(CgiRejection.MissingMethod, _head.Rejection);
        _head.Reset();
        Assert.Null(_head.Rejection);
    }

    private void Read(bool isScgi, (string Name, string Value)[] pairs) => Read([Encode(pairs, isScgi)], isScgi);

    private void Read(IReadOnlyList<ReadOnlyMemory<byte>> pieces, bool isScgi)
    {
        if (isScgi)
        {
            Assert.True(_head.TryBeginScgi(pieces.Sum(static piece => piece.Length)));
        }
        else
        {
            _head.Begin();
        }

        if (pieces.All(piece => _head.TryAppendParams(piece.Span)))
        {
            _head.CompleteParams();
        }
    }

    private static byte[] Encode((string Name, string Value)[] pairs, bool isScgi) => isScgi
        ? Encoding.ASCII.GetBytes(string.Concat(pairs.Select(static pair => $"{pair.Name}\0{pair.Value}\0")))
        : RecordBuilder.Pairs(pairs);
}
