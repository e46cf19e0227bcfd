namespace FastCgi.AspNetCore.Tests.Cgi;

public class ResponseHeadWriterTests
{
    [Fact]
    public void Headers_come_first_then_the_status_then_an_empty_line()
    {
        var headers = new ResponseHeaderDictionary
        {
            ["Location"] = "/x", ["Set-Cookie"] = new StringValues(["a=1", null, "b=2"]), ["Content-Length"] = "12",
        };

        Assert.Equal(
            "Location: /x\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 12\r\nStatus: 201 Created\r\n\r\n",
            Write(headers, 201));
    }

    [Fact]
    public void The_status_of_an_authorizer_comes_before_its_headers() => Assert.Equal(
        "Status: 401 Unauthorized\r\nWWW-Authenticate: Basic\r\n\r\n",
        Write(new ResponseHeaderDictionary { ["WWW-Authenticate"] = "Basic" }, 401, statusFirst: true));

    [Theory]
    [InlineData(200, null, "200 OK")]
    [InlineData(404, "", "404 Not Found")]
    [InlineData(599, null, "599 Server Error")]
    [InlineData(299, null, "299 Success")]
    [InlineData(399, null, "399 Redirection")]
    [InlineData(499, null, "499 Client Closed Request")]
    [InlineData(498, null, "498 Client Error")]
    [InlineData(999, null, "999 Unknown")]
    [InlineData(200, "Fine", "200 Fine")]
    [InlineData(200, "a\r\nX: y\0\u00E9\t\u007F~", "200 a??X: y????~")]
    public void A_status_always_has_a_reason(int status, string? reason, string expected) =>
        Assert.Equal($"Status: {expected}\r\n\r\n", Write(new ResponseHeaderDictionary(), status, reason));

    public static TheoryData<int> NoStatuses => [0, 99, 100, 101, 103, 199, 1000, -1];

    [Theory, MemberData(nameof(NoStatuses))]
    public void A_status_has_three_digits_and_is_final(int status) =>
        Assert.Throws<InvalidOperationException>(() => Write(new ResponseHeaderDictionary(), status));

    [Theory, InlineData(true), InlineData(false)]
    public void What_is_not_the_applications_to_set_is_dropped(bool isOwn)
    {
        IHeaderDictionary headers = isOwn ? new ResponseHeaderDictionary() : new HeaderDictionary();
        foreach (var name in (string[])[
            "Status", "status", "Connection", "Keep-Alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade",
            "Trailer", "TE"])
        {
            headers[name] = "1";
        }

        headers["X-A"] = "1";
        Assert.Equal("X-A: 1\r\nStatus: 200 OK\r\n\r\n", Write(headers, dropped: true));
    }

    [Theory, InlineData(true), InlineData(false)]
    public void The_lines_of_the_server_give_way_to_the_applications(bool isOwn)
    {
        IHeaderDictionary headers = isOwn ? new ResponseHeaderDictionary() : new HeaderDictionary();
        Assert.Equal(
            "X-Accel-Buffering: no\r\nServer: FastCgi.AspNetCore\r\nStatus: 200 OK\r\n\r\n",
            Write(headers, extra: true));

        headers["server"] = "mine";
        headers["x-accel-buffering"] = "yes";
        Assert.Equal(
            "server: mine\r\nx-accel-buffering: yes\r\nStatus: 200 OK\r\n\r\n",
            Write(headers, extra: true));
    }

    [Fact]
    public void A_dictionary_of_the_application_is_written_alike()
    {
        var headers = new HeaderDictionary
        {
            ["X-A"] = new StringValues(["1", null, "2"]), ["X-E"] = "", ContentLength = long.MaxValue,
        };

        Assert.Equal(
            "X-A: 1\r\nX-A: 2\r\nX-E: \r\nContent-Length: 9223372036854775807\r\nStatus: 200 OK\r\n\r\n",
            Write(headers));
    }

    [Theory]
    [InlineData("X-A", "a\r\nSet-Cookie: evil")]
    [InlineData("X-A", "a\0")]
    [InlineData("X-A", "\u00E9")]
    [InlineData("X-A", "\u010A")]
    [InlineData("X-A\r\nX-B", "v")]
    [InlineData("", "v")]
    [InlineData("Content-Length", "-5")]
    [InlineData("Content-Length", "five")]
    public void Nothing_that_breaks_a_line_passes_from_any_dictionary(string name, string value)
    {
        var exception = Assert.Throws<InvalidOperationException>(() => Write(new HeaderDictionary { [name] = value }));
        Assert.DoesNotContain('\n', exception.Message);
    }

    [Fact]
    public void Two_lengths_and_one_below_zero_that_a_dictionary_gives_are_refused()
    {
        var two = new HeaderDictionary { ["Content-Length"] = new StringValues(["5", "6"]) };
        Assert.Throws<InvalidOperationException>(() => Write(two));
        Assert.Throws<InvalidOperationException>(() => Write(new NegativeLength { ["Content-Length"] = "-5" }));
    }

    [Fact]
    public void A_value_that_changed_after_it_was_judged_is_judged_again()
    {
        string[] lines = ["good"];
        var headers = new ResponseHeaderDictionary { ["X-A"] = lines };
        lines[0] = "evil\r\nX-B: 1";

        Assert.Throws<InvalidOperationException>(() => Write(headers));
    }

    [Fact]
    public void An_encoding_is_used_for_its_headers_and_must_not_make_controls()
    {
        var headers = new HeaderDictionary { ["X-A"] = "\u00E9" };
        Assert.Equal("X-A: \u00C3\u00A9\r\nStatus: 200 OK\r\n\r\n", Write(headers, encoding: Encoding.UTF8));
        Assert.Equal("X-A: \u00E9\r\nStatus: 200 OK\r\n\r\n", Write(headers, encoding: Encoding.Latin1));

        // U+0D0A, Malayalam, is a line break in big-endian UTF-16.
        headers["X-A"] = "\u0D0A";
        Assert.Throws<InvalidOperationException>(() => Write(headers, encoding: Encoding.BigEndianUnicode));
    }

    [Fact]
    public void A_destination_that_is_too_short_by_any_number_of_bytes_is_reported()
    {
        var head = new ResponseHead
        {
            StatusCode = 299,
            Headers = new HeaderDictionary { ["X-A"] = "\u00E9", ["X-B"] = "b", ["Content-Length"] = "1234" },
            EncodingSelector = name => name == "X-A" ? Encoding.UTF8 : null,
            AddServerHeader = true,
            DisableBuffering = true,
            DisableCaching = true,
        };
        var whole = new byte[1000];
        Assert.True(ResponseHeadWriter.TryWrite(whole, head, out var length, out _));

        for (var size = 0; size < length; size++)
        {
            Assert.False(ResponseHeadWriter.TryWrite(new byte[size], head, out var written, out _));
            Assert.Equal(0, written);
        }

        var exact = new byte[length];
        exact.AsSpan().Fill(0xFF);
        Assert.True(ResponseHeadWriter.TryWrite(exact, head, out _, out _));
        Assert.Equal(whole[..length], exact);
    }

    private static string Write(
        IHeaderDictionary headers, int status = 200, string? reason = null, bool extra = false, bool dropped = false,
        bool statusFirst = false, Encoding? encoding = null)
    {
        var head = new ResponseHead
        {
            StatusCode = status,
            StatusFirst = statusFirst,
            ReasonPhrase = reason,
            Headers = headers,
            DisableBuffering = extra,
            AddServerHeader = extra,
            EncodingSelector = encoding is null ? null : _ => encoding,
        };
        var destination = new byte[4096];
        destination.AsSpan().Fill(0xFF);
        Assert.True(ResponseHeadWriter.TryWrite(destination, head, out var written, out var droppedHeaders));
        Assert.Equal(dropped, droppedHeaders);
        return Encoding.Latin1.GetString(destination, 0, written);
    }

    private sealed class NegativeLength : HeaderDictionary, IHeaderDictionary
    {
        long? IHeaderDictionary.ContentLength
        {
            get => -5;
            set => throw new NotSupportedException();
        }
    }
}
