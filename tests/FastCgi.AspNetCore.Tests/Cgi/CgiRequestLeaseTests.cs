namespace FastCgi.AspNetCore.Tests.Cgi;

/// <summary>
/// A thread of the application reads while its request ends and the next one comes. The application's own code, which
/// is asked for encodings, is the moment in which that happens, so that it happens always and on one thread.
/// </summary>
public class CgiRequestLeaseTests
{
    private static readonly (string Name, string Value)[] s_next =
        [.. ParamSet.Minimal, ("HTTP_X_A", "a"), ("HTTP_X_A", "b"), ("HTTP_X_B", "next"), ("HTTP_X_B", "one")];

    private readonly CgiRequest _request;
    private readonly CgiRequestLease _lease;
    private readonly RequestHeaderDictionary _headers;
    private Action? _meanwhile;

    public CgiRequestLeaseTests()
    {
        var options = new FastCgiServerOptions { RequestHeaderEncodingSelector = Select };
        _request = ParamSet.Load(options, [.. ParamSet.Minimal, ("HTTP_ACCEPT", "a"), ("HTTP_ACCEPT", "b")]);
        _lease = new CgiRequestLease(_request);
        _headers = new RequestHeaderDictionary(_lease);
    }

    [Fact]
    public void What_fails_since_the_request_ends_meanwhile_is_said_as_that()
    {
        // Somebody who still goes on: the places of the old params, and no buffer behind them.
        EndMeanwhile(() =>
        {
            ParamSet.Fill(_request.Params, ParamSet.Minimal);
            _request.Params.SetBuffer([]);
        });

        var exception = Assert.Throws<ObjectDisposedException>(() => _headers.Count);
        Assert.Contains("The request has ended", exception.Message, StringComparison.Ordinal);
        Assert.NotNull(exception.InnerException);
    }

    [Fact]
    public void What_is_read_of_the_next_request_is_thrown_away()
    {
        EndMeanwhile(() =>
        {
            ParamSet.Fill(_request.Params, s_next);
            Assert.Null(_request.Load());
        });

        Assert.Throws<ObjectDisposedException>(() => _headers["X-A"]);
    }

    [Theory]
    [InlineData("Count")]
    [InlineData("X-A")]
    public void A_late_reader_hides_no_header_of_the_next_request(string header)
    {
        var next = ParamSet.Encode(s_next);
        EndMeanwhile(() => next.AddTo(_request.Params, upTo: 4));

        // It looks among the first four params of the next request, two of which are lines of one header.
        Assert.Throws<ObjectDisposedException>(() => header == "Count" ? _headers.Count : _headers[header].Count);

        next.AddTo(_request.Params, from: 4);
        Assert.Null(_request.Load());
        var headers = _request.Headers;
        Assert.Equal(new StringValues(["a", "b"]), headers["X-A"]);
        Assert.Equal(new StringValues(["next", "one"]), headers["X-B"]);
        Assert.Equal(2, headers.Count);
    }

    [Fact]
    public void Late_readers_on_another_thread_change_nothing_that_a_request_reads()
    {
        (string Name, string Value)[] many = [.. Enumerable.Range(0, 60).Select(i => ($"HTTP_X_{i}", $"{i}"))];
        EncodedParams[] all =
        [
            ParamSet.Encode([
                .. ParamSet.Minimal, .. many, ("HTTP_HOST", "one"), ("REMOTE_ADDR", "192.0.2.1"), ("HTTP_X_1", "b")]),
            ParamSet.Encode([
                ("REMOTE_ADDR", "2001:db8::2"), .. many.Reverse(), ("HTTP_HOST", "two"), ("HTTP_X_1", "b"),
                .. ParamSet.Minimal]),
        ];
        var request = new CgiRequest(new FastCgiServerOptions());
        var isOver = false;
        var late = new Thread(() =>
        {
            var lease = new CgiRequestLease(request);
            while (!Volatile.Read(ref isOver))
            {
                try
                {
                    _ = lease.Read(static cgi => cgi.Host);
                    _ = lease.Read(static cgi => cgi.RemoteIpAddress);
                    _ = new RequestHeaderDictionary(lease)["X-1"];
                }
#pragma warning disable CA1031 // It reads what changes under its hands; whatever comes of that is its own affair.
                catch (Exception)
#pragma warning restore CA1031
                {
                }
            }
        });
        late.Start();
        try
        {
            for (var i = 0; i < 20_000; i++)
            {
                request.Reset();
                all[i % 2].AddTo(request.Params);
                Assert.Null(request.Load());
                Assert.Equal(
                    (i % 2 == 0 ? ("one", "192.0.2.1", "1,b") : ("two", "2001:db8::2", "1,b")),
                    (request.Host, $"{request.RemoteIpAddress}", request.Headers["X-1"].ToString()));
            }
        }
        finally
        {
            Volatile.Write(ref isOver, true);
            late.Join();
        }
    }

    [Fact]
    public void The_failure_of_the_application_itself_stays_what_it_is_while_the_request_lives()
    {
        _meanwhile = () => throw new NotSupportedException("mine");

        Assert.Throws<NotSupportedException>(() => _headers.Count);
    }

    [Fact]
    public void Nothing_can_be_read_after_the_end()
    {
        _lease.End();

        Assert.True(_lease.IsOver);
        Assert.Throws<ObjectDisposedException>(() => _lease.Request);
        Assert.Throws<ObjectDisposedException>(() => _lease.Read(static cgi => cgi.Path));
        Assert.Throws<ObjectDisposedException>(() => new RequestHeaderDictionary(_lease));
    }

    private void EndMeanwhile(Action then) => _meanwhile = () =>
    {
        _lease.End();
        _request.Reset();
        then();
    };

    private Encoding? Select(string name)
    {
        var meanwhile = _meanwhile;
        _meanwhile = null;
        meanwhile?.Invoke();
        return null;
    }
}
