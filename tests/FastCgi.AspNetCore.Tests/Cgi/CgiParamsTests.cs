using System.Diagnostics;

namespace FastCgi.AspNetCore.Tests.Cgi;

public class CgiParamsTests
{
    /// <summary>Those without a name in the enumeration too.</summary>
    private static readonly KnownParam[] s_known =
        [.. Enumerable.Range(1, ParamNames.ParamCount - 1).Select(static number => (KnownParam)number)];

    [Fact]
    public void Every_known_param_is_found_by_its_name_and_no_other_is()
    {
        Assert.Equal(105, s_known.Length);
        foreach (var param in s_known)
        {
            var name = Encoding.ASCII.GetString(ParamNames.NameOf(param));

            Assert.Equal(param, ParamNames.Recognise(Encoding.ASCII.GetBytes(name)));
            Assert.Equal(KnownParam.None, ParamNames.Recognise(Encoding.ASCII.GetBytes(name[..^1] + "?")));
            Assert.Equal("v", ParamSet.Of((name, "v")).GetString(param));
        }
    }

    [Theory]
    [InlineData(nameof(KnownParam.RequestMethod), "REQUEST_METHOD")]
    [InlineData(nameof(KnownParam.PathBase), "ASPNETCORE_PATHBASE")]
    [InlineData(nameof(KnownParam.RedirectStatus), "REDIRECT_STATUS")]
    [InlineData(nameof(KnownParam.HttpHost), "HTTP_HOST")]
    [InlineData(nameof(KnownParam.HttpContentType), "HTTP_CONTENT_TYPE")]
    [InlineData(nameof(KnownParam.HttpXForwardedPrefix), "HTTP_X_FORWARDED_PREFIX")]
    public void The_table_of_names_follows_the_enumeration(string param, string name) =>
        Assert.Equal(name, Encoding.ASCII.GetString(ParamNames.NameOf(Enum.Parse<KnownParam>(param))));

    [Fact]
    public void An_order_that_changes_from_request_to_request_confuses_nothing()
    {
        var set = ParamSet.Of(("REMOTE_ADDR", "1"), ("REMOTE_PORT", "2"), ("OTHER", "3"), ("HTTPS", "4"));
        set.Clear();
        ParamSet.Fill(set, ("REMOTE_PORT", "a"), ("OTHER", "b"), ("REMOTE_ADDR", "c"));

        Assert.Equal(("c", "a", "b", null), (set.GetString(KnownParam.RemoteAddr), set.GetString(KnownParam.RemotePort),
            set.GetServerVariable("OTHER"), set.GetString(KnownParam.Https)));
    }

    [Fact]
    public void Header_names_and_param_names_of_the_table_belong_together()
    {
        foreach (var param in s_known.Where(param => param >= KnownParam.HttpHost))
        {
            var header = ParamNames.HeaderOf(param);
            if (header is not null)
            {
                var name = "HTTP_" + header.ToUpperInvariant().Replace('-', '_');
                Assert.Equal(param, ParamNames.Recognise(Encoding.ASCII.GetBytes(name)));
                Assert.True(ParamNames.TryGetParam(header.ToUpperInvariant(), out var found));
                Assert.Equal(param, found);
            }
        }
    }

    [Fact]
    public void The_last_param_of_a_name_wins_even_when_it_is_empty()
    {
        var set = ParamSet.Of(("REMOTE_USER", "a"), ("X", "1"), ("REMOTE_USER", "b"), ("X", "2"));
        Assert.Equal("b", set.GetString(KnownParam.RemoteUser));
        Assert.Equal("2", set.GetServerVariable("X"));

        set = ParamSet.Of(("REMOTE_USER", "a"), ("REMOTE_USER", ""), ("X", "1"), ("X", ""));
        Assert.Null(set.GetString(KnownParam.RemoteUser));
        Assert.False(set.Has(KnownParam.RemoteUser));
        Assert.Null(set.GetServerVariable("REMOTE_USER"));
        Assert.Null(set.GetServerVariable("X"));
    }

    [Theory]
    [InlineData("REQUEST_METHOD", "GET")]
    [InlineData("request_method", "GET")]
    [InlineData("My_Own", "1")]
    [InlineData("my_own", "2")]
    [InlineData("MY_OWN", "2")]
    [InlineData("HTTP_X_THING", "a, b")]
    [InlineData("HTTP_COOKIE", "a=1; b=2")]
    [InlineData("HTTP_PROXY", "evil")]
    [InlineData("HTTP_HOST", "h:8080")]
    [InlineData("EMPTY", null)]
    [InlineData("HTTP_EMPTY", "")]
    [InlineData("MISSING", null)]
    [InlineData("ГРАНИЦА", null)]
    [InlineData("", null)]
    public void A_server_variable_is_any_param_by_its_name(string name, string? expected)
    {
        var set = ParamSet.Of(
            ("", "nameless"), ("REQUEST_METHOD", "GET"), ("My_Own", "1"), ("my_own", "2"), ("HTTP_X_THING", "a"),
            ("HTTP_X_THING", "b"), ("HTTP_COOKIE", "a=1"), ("HTTP_COOKIE", "b=2"), ("HTTP_PROXY", "evil"),
            ("HTTP_HOST", "h"), ("HTTP_HOST", "h:8080"), ("EMPTY", ""),
            ("HTTP_EMPTY", ""));

        Assert.Equal(expected, set.GetServerVariable(name));
    }

    [Fact]
    public void A_long_name_is_found_too()
    {
        var name = new string('N', 300);
        Assert.Equal("v", ParamSet.Of((name, "v")).GetServerVariable(name));
    }

    [Fact]
    public void The_same_bytes_give_the_same_string_object_in_the_next_request_and_other_bytes_another()
    {
        var set = ParamSet.Of(
            ("SERVER_NAME", "example.org"), ("OTHER", "value"), ("REMOTE_USER", "u"), ("HTTP_X_A", "value"));
        var known = set.GetString(KnownParam.ServerName);
        var other = set.GetServerVariable("OTHER");
        set.GetString(KnownParam.RemoteUser);
        set.GetHeader("X-A", encoding: null);

        set.Clear();
        Assert.Null(set.GetString(KnownParam.ServerName));
        ParamSet.Fill(set, ("SERVER_NAME", "example.org"), ("OTHER", "value"), ("HTTP_X_A", "VALUE"));

        Assert.Same(known, set.GetString(KnownParam.ServerName));
        Assert.Same(other, set.GetServerVariable("OTHER"));
        Assert.Equal("VALUE", set.GetHeader("X-A", encoding: null));
        Assert.Null(set.GetString(KnownParam.RemoteUser));

        set.Clear();
        ParamSet.Fill(set, ("SERVER_NAME", "example.com"));
        Assert.Equal("example.com", set.GetString(KnownParam.ServerName));
    }

    /// <summary>Every idle WebSocket keeps the params of its request.</summary>
    [Fact]
    public void Params_take_memory_for_the_strings_that_were_asked_for()
    {
        // The first ones, so that static fields do not count.
        _ = new CgiParams();
        var before = GC.GetAllocatedBytesForCurrentThread();
        _ = new CgiParams();
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 1, 3500);
    }

    [Fact]
    public void Strings_are_kept_for_128_params()
    {
        var many = Enumerable.Range(0, 200).Select(static i => ($"P{i}", $"value {i}")).ToArray();
        var set = ParamSet.Of(many);
        var first = many.Select(one => set.GetServerVariable(one.Item1)!).ToArray();

        set.Clear();
        ParamSet.Fill(set, many);

        var second = many.Select(one => set.GetServerVariable(one.Item1)!).ToArray();
        Assert.Equal(first, second);
        Assert.Equal(128, first.Where((value, i) => ReferenceEquals(value, second[i])).Count());
    }

    [Fact]
    public void Two_lengths_of_one_request_are_no_conflict_of_the_next()
    {
        var set = ParamSet.Of(("CONTENT_LENGTH", "5"), ("CONTENT_LENGTH", "6"));
        Assert.True(set.HasConflictingContentLength);

        set.Clear();
        ParamSet.Fill(set, ("CONTENT_LENGTH", "5"));

        Assert.False(set.HasConflictingContentLength);
    }

    [Fact]
    public void Without_reuse_every_request_has_its_own_strings()
    {
        var set = new CgiParams(disableStringReuse: true);
        ParamSet.Fill(set, ("SERVER_NAME", "example.org"));
        var first = set.GetString(KnownParam.ServerName);
        set.Clear();
        ParamSet.Fill(set, ("SERVER_NAME", "example.org"));

        Assert.Equal("example.org", set.GetString(KnownParam.ServerName));
        Assert.NotSame(first, set.GetString(KnownParam.ServerName));
    }

    [Fact]
    public void A_string_made_by_one_encoding_is_not_taken_for_that_of_another()
    {
        var set = ParamSet.Of(("HTTP_X_A", "\u00E9"), ("HTTP_X_B", "ab"));
        Assert.Equal("\u00E9", set.GetHeader("X-A", Encoding.Latin1));
        Assert.Equal("\uFFFD", set.GetHeader("X-A", encoding: null));
        Assert.Equal("ab", set.GetHeader("X-B", encoding: null));
        Assert.Equal("\u6261", set.GetHeader("X-B", Encoding.Unicode));
    }

    [Fact]
    public void Params_are_enumerated_in_the_order_of_arrival()
    {
        var set = ParamSet.Of(("B", "1"), ("A", "2"), ("B", "3"));

        Assert.Equal(
            ["B=1", "A=2", "B=3"],
            Enumerable.Range(0, set.Count).Select(i =>
                Encoding.ASCII.GetString(set.NameAt(i)) + "=" + Encoding.ASCII.GetString(set.ValueAt(i))));
        Assert.ThrowsAny<Exception>(() => set.NameAt(3).Length);
    }

    [Theory]
    [InlineData("distinct")]
    [InlineData("equal")]
    [InlineData("case")]
    public void Twenty_thousand_params_take_no_quadratic_time(string kind)
    {
        const int Count = 20_000;
        var @params = Enumerable.Range(0, Count).Select(i => (kind switch
        {
            "distinct" => $"HTTP_X_{i:D5}",
            "equal" => "HTTP_X_SAME",

            // All equal but for the case of fifteen letters.
            _ => "HTTP_" + string.Concat(Enumerable.Range(0, 15).Select(bit => (i >> bit & 1) == 0 ? 'A' : 'a')),
        }, "v")).ToArray();
        var request = new CgiRequest(new FastCgiServerOptions
        {
            Limits = { MaxRequestHeaderCount = int.MaxValue, MaxRequestHeadersTotalSize = int.MaxValue },
        });
        ParamSet.Fill(request.Params, [.. ParamSet.Minimal, .. @params]);
        var elapsed = Stopwatch.StartNew();

        Assert.Null(request.Load());
        Assert.Equal(kind == "distinct" ? Count : 1, request.Headers.Count);
        Assert.Equal(Count, request.Headers.Sum(header => header.Value.Count));
        if (kind == "distinct")
        {
            for (var i = 0; i < Count; i++)
            {
                Assert.Equal("v", request.Params.GetServerVariable($"HTTP_X_{i:D5}"));
            }
        }

        // Quadratic would be 400 million comparisons of names: many seconds. This is about a tenth of a second.
        Assert.InRange(elapsed.Elapsed, TimeSpan.Zero, Deadline.Of(TimeSpan.FromSeconds(5)));
    }
}
