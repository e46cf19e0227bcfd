namespace FastCgi.AspNetCore.Tests.Requests;

public sealed class ResponseLengthTests
{
    private readonly FeaturesFixture _fixture = new();

    private IHeaderDictionary Headers => _fixture.Features.ResponseHeaders;

    private ApplicationResponse Response => _fixture.Response;

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
        Assert.Equal(isForbidden, ApplicationResponse.StatusForbidsBody(status));

    /// <summary>What becomes of Content-Length at the start of a response; a dash is none.</summary>
    [Theory]
    [InlineData(200, "-", 0, "GET", true, "0")]
    [InlineData(200, "-", 0, "GET", false, "-")]
    [InlineData(200, "-", 5, "GET", true, "-")]
    [InlineData(200, "-", 0, "HEAD", true, "-")]
    [InlineData(200, "5", 5, "GET", false, "5")]
    [InlineData(200, "5", 6, "GET", false, "throws")]
    [InlineData(200, "5", 5, "HEAD", false, "5")]
    [InlineData(200, "5", 6, "HEAD", false, "throws")]
    [InlineData(204, "-", 0, "GET", true, "-")]
    [InlineData(204, "0", 0, "GET", true, "-")]
    [InlineData(204, "0", 1, "GET", false, "throws")]
    [InlineData(204, "1", 0, "GET", true, "throws")]
    [InlineData(205, "-", 0, "GET", true, "0")]
    [InlineData(205, "0", 1, "GET", false, "throws")]
    [InlineData(205, "1", 0, "GET", true, "throws")]
    [InlineData(304, "-", 0, "GET", true, "-")]
    [InlineData(304, "5", 0, "GET", true, "5")]
    [InlineData(304, "5", 6, "GET", false, "throws")]
    [InlineData(101, "0", 0, "GET", false, "-")]
    public async Task The_start_makes_the_length_final(
        int status, string declared, int written, string method, bool isWhole, string length)
    {
        _fixture.BeginNext(("REQUEST_METHOD", method));
        if (status == 101)
        {
            Response.Upgrade();
        }

        _fixture.Features.StatusCode = status;
        Headers.ContentLength = declared == "-" ? null : int.Parse(declared, null);
        Response.Count(written);
        if (length == "throws")
        {
            await Assert.ThrowsAsync<InvalidOperationException>(() => StartAsync(isWhole).Within("the start"));
            Assert.False(Response.HasStarted);
            return;
        }

        await StartAsync(isWhole).Within("the start");
        Assert.True(Response.HasStarted);
        Assert.Equal(length, Headers.ContentLength?.ToString((IFormatProvider?)null) ?? "-");
        Assert.Equal(method == "HEAD" || status is 204 or 205 or 304, Response.IsBodyDropped);
    }

    [Fact]
    public async Task A_transfer_encoding_of_the_application_is_left_alone()
    {
        Headers.TransferEncoding = "chunked";
        await StartAsync(isWhole: true).Within("the start");
        Assert.Null(Headers.ContentLength);
    }

    [Fact]
    public async Task Before_the_start_nobody_judges()
    {
        Headers.ContentLength = 1;
        Response.Count(5);

        var failure = await Assert.ThrowsAsync<InvalidOperationException>(
            () => StartAsync(isWhole: false).Within("the start"));
        Assert.Contains("but 5 bytes", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_write_beyond_the_length_is_refused_whole()
    {
        Headers.ContentLength = 5;
        Start();
        Response.Count(3);
        Assert.Throws<InvalidOperationException>(() => Response.Count(3));
        Response.Count(1);
        Assert.Throws<InvalidOperationException>(() => Response.Complete(null));
        Assert.False(Response.LeavesWhole());
        Response.Count(1);
        Assert.True(Response.LeavesWhole());
        Response.Count(0);
        Response.Complete(null);
    }

    [Theory, InlineData(null), InlineData(5L)]
    public void A_body_that_lacks_a_part_is_never_whole(long? declared)
    {
        Headers.ContentLength = declared;
        Start();
        Response.Count(5);
        Response.Cut();
        Assert.Throws<InvalidOperationException>(() => Response.Complete(null));
    }

    [Fact]
    public void A_status_without_a_body_refuses_every_byte_after_an_abort_too()
    {
        _fixture.Features.StatusCode = 304;
        Start();
        Response.Count(0);
        Assert.Throws<InvalidOperationException>(() => Response.Count(1));
        Response.Abort();
        Assert.Throws<InvalidOperationException>(() => Response.Count(1));
    }

    [Theory]
    [InlineData(200, 5, "GET", true)]
    [InlineData(200, 4, "GET", false)]
    [InlineData(200, 0, "HEAD", true)]
    [InlineData(304, 0, "GET", true)]
    public async Task A_body_that_is_too_short_is_found_before_the_start(
        int status, int written, string method, bool isWhole)
    {
        _fixture.BeginNext(("REQUEST_METHOD", method));
        _fixture.Features.StatusCode = status;
        Headers.ContentLength = 5;
        Response.Count(written);
        var failure = await Record.ExceptionAsync(() => StartAsync(isWhole: true).Within("the start"));
        Assert.Equal((isWhole, isWhole), (failure is null, Response.HasStarted));
    }

    private void Start() => Assert.True(StartAsync(isWhole: false).IsCompletedSuccessfully);

    private Task StartAsync(bool isWhole) => isWhole ? Response.CompleteAsync() : Response.StartAsync(default);
}
