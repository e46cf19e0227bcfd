namespace FastCgi.AspNetCore.Tests.Requests;

public sealed class ResponseLengthTests : IDisposable
{
    private const int HeadBodyIgnored = 18;

    private readonly FeaturesFixture _fixture = new();
    private readonly ScriptedServer _server = new();
    private ResponseLength _length;

    private IHeaderDictionary Headers => _fixture.Features.ResponseHeaders;

    public void Dispose() => _server.Dispose();

    [Theory]
    [InlineData(199, true)]
    [InlineData(200, false)]
    [InlineData(204, true)]
    [InlineData(205, true)]
    [InlineData(206, false)]
    [InlineData(304, true)]
    [InlineData(404, false)]
    [InlineData(500, false)]
    public void Some_statuses_forbid_a_body(int status, bool isForbidden) =>
        Assert.Equal(isForbidden, ResponseLength.StatusForbidsBody(status));

    /// <summary>What becomes of Content-Length at the start of a response; a dash is none.</summary>
    [Theory]
    [InlineData(200, "-", 0, false, true, "0")]
    [InlineData(200, "-", 0, false, false, "-")]
    [InlineData(200, "-", 5, false, true, "-")]
    [InlineData(200, "-", 0, true, true, "-")]
    [InlineData(200, "5", 5, false, false, "5")]
    [InlineData(200, "5", 6, false, false, "throws")]
    [InlineData(200, "5", 6, true, false, "5")]
    [InlineData(204, "-", 0, true, true, "-")]
    [InlineData(204, "0", 0, true, true, "-")]
    [InlineData(204, "1", 0, true, true, "throws")]
    [InlineData(205, "-", 0, true, true, "0")]
    [InlineData(205, "1", 0, true, true, "throws")]
    [InlineData(304, "-", 0, true, true, "-")]
    [InlineData(304, "5", 0, true, true, "5")]
    [InlineData(101, "0", 0, false, true, "-")]
    public void The_start_makes_the_length_final(
        int status, string declared, int written, bool isForbidden, bool isWhole, string length)
    {
        _fixture.Features.StatusCode = status;
        Headers.ContentLength = declared == "-" ? null : int.Parse(declared, null);
        _length.Written = written;
        if (length == "throws")
        {
            Assert.Throws<InvalidOperationException>(() => Start(isForbidden, isWhole));
            return;
        }

        Start(isForbidden, isWhole);
        Assert.Equal(length, Headers.ContentLength?.ToString((IFormatProvider?)null) ?? "-");
        Assert.Equal(isForbidden, _length.IsForbidden);
    }

    [Fact]
    public void A_transfer_encoding_of_the_application_is_left_alone()
    {
        Headers.TransferEncoding = "chunked";
        Start(isForbidden: false, isWhole: true);
        Assert.Null(Headers.ContentLength);
    }

    [Fact]
    public void Before_the_start_nobody_judges()
    {
        Headers.ContentLength = 1;
        Count(5);
        _length.Verify(_fixture.Features);
        Assert.Equal(5, _length.Written);
    }

    [Fact]
    public void A_write_beyond_the_length_is_refused_whole()
    {
        Headers.ContentLength = 5;
        Start();
        Count(3);
        Assert.Throws<InvalidOperationException>(() => Count(3));
        Assert.Equal(3, _length.Written);
        Count(1);
        Assert.Throws<InvalidOperationException>(() => _length.Verify(_fixture.Features));
        Count(1);
        Count(0);
        _length.Verify(_fixture.Features);
    }

    [Theory, InlineData(null), InlineData(5L)]
    public void A_body_that_lacks_a_part_is_never_whole(long? declared)
    {
        Headers.ContentLength = declared;
        Start();
        Count(5);
        _length.Verify(_fixture.Features);
        _length.IsCut = true;
        Assert.Throws<InvalidOperationException>(() => _length.Verify(_fixture.Features));
    }

    [Fact]
    public void A_status_without_a_body_refuses_every_byte_and_an_aborted_response_none()
    {
        _fixture.Features.StatusCode = 304;
        Start(isForbidden: true);
        Count(0);
        Assert.Throws<InvalidOperationException>(() => Count(1));
        Assert.Equal(0, _length.Written);
        Count(1, isAborted: true);
        Assert.Equal(1, _length.Written);
    }

    [Fact]
    public void A_body_for_HEAD_is_counted_and_logged_once()
    {
        Headers.ContentLength = 1;
        Start(isForbidden: true);
        Count(5, method: "HEAD");
        Count(5, method: "HEAD");
        _length.Verify(_fixture.Features);
        Assert.Equal(10, _length.Written);
        Assert.Single(_server.Logs.Entries, static entry => entry.EventId.Id == HeadBodyIgnored);
    }

    [Theory]
    [InlineData(200, 5, false, true)]
    [InlineData(200, 4, false, false)]
    [InlineData(200, 0, true, true)]
    [InlineData(304, 0, false, true)]
    public void A_body_that_is_too_short_is_found_before_the_start(int status, int written, bool isHead, bool isWhole)
    {
        _fixture.Features.StatusCode = status;
        Headers.ContentLength = 5;
        _length.Written = written;
        var failure = Record.Exception(() => _length.VerifyUnstarted(_fixture.Features, isHead));
        Assert.Equal(isWhole, failure is null);
    }

    private void Start(bool isForbidden = false, bool isWhole = false) =>
        _length.Start(_fixture.Features, isForbidden, isWhole);

    private void Count(long bytes, bool isAborted = false, string method = "GET")
    {
        var request = _server.NewRequest();
        request.Begin(new ScriptedConnection(new TrackingPool()), 7, default, RequestAdmission.Application);
        CgiRequest cgi = request.Head.Cgi;
        ParamSet.Fill(cgi.Params, ("REQUEST_METHOD", method), ("REQUEST_URI", "/"));
        Assert.Null(cgi.Load());
        _length.Count(bytes, request, _fixture.Features, isAborted);
    }
}
