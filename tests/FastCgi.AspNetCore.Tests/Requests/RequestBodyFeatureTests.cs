using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using MinDataRate = Microsoft.AspNetCore.Server.Kestrel.Core.MinDataRate;

namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>The request's body as the features show it, and its rules.</summary>
public sealed class RequestBodyFeatureTests
{
    private readonly FeaturesFixture _fixture = new();

    private IHttpRequestFeature Request => _fixture.Get<IHttpRequestFeature>();

    private IRequestBodyPipeFeature Pipe => _fixture.Get<IRequestBodyPipeFeature>();

    private IHttpMaxRequestBodySizeFeature MaxSize => _fixture.Get<IHttpMaxRequestBodySizeFeature>();

    [Fact]
    public async Task Stream_and_reader_are_the_request_s_own_until_the_body_is_replaced()
    {
        Assert.Same(Assert.IsType<BodyStream>(Request.Body), Request.Body);
        Assert.Same(Assert.IsType<RequestBodyReader>(Pipe.Reader), Pipe.Reader);

        Request.Body = new MemoryStream("replaced"u8.ToArray());
        var result = await Pipe.Reader.ReadAsync().AsTask().Within("the replaced body");
        Assert.Equal("replaced", Encoding.UTF8.GetString(result.Buffer.ToArray()));
        Assert.Same(Pipe.Reader, Pipe.Reader);
    }

    [Fact]
    public async Task The_reader_of_a_replaced_body_ends_with_the_request_and_leaves_the_stream_open()
    {
        var body = new MemoryStream([1]);
        Request.Body = body;
        var reader = Pipe.Reader;

        await _fixture.Features.FireOnCompletedAsync().Within("OnCompleted");

        Assert.Throws<InvalidOperationException>(() => reader.TryRead(out _));
        Assert.True(body.CanRead);
    }

    [Fact]
    public void Setting_the_same_body_again_keeps_the_reader_and_setting_it_back_is_the_request_s_own_again()
    {
        var (own, ownReader) = (Request.Body, Pipe.Reader);
        var body = new MemoryStream([1]);
        Request.Body = body;
        var reader = Pipe.Reader;

        Request.Body = body;
        Assert.Same(reader, Pipe.Reader);
        Request.Body = new MemoryStream([1]);
        Assert.NotSame(reader, Pipe.Reader);
        Request.Body = own;
        Assert.Same(ownReader, Pipe.Reader);
    }

    [Fact]
    public async Task A_null_body_reads_as_empty()
    {
        Request.Body = null!;

        Assert.Null(Request.Body);
        Assert.True((await Pipe.Reader.ReadAsync().AsTask().Within("the end")).IsCompleted);
    }

    [Theory, InlineData(true), InlineData(false)]
    public void Detection_says_what_the_request_knows(bool canHaveBody)
    {
        _fixture.BeginNext(("CONTENT_LENGTH", canHaveBody ? "3" : "0"));

        Assert.Equal(canHaveBody, _fixture.Get<IHttpRequestBodyDetectionFeature>().CanHaveBody);
    }

    [Fact]
    public void An_upgrade_ends_the_limit_and_nothing_sets_it_any_more()
    {
        _fixture.Features.Response.Upgrade();

        Assert.Null(MaxSize.MaxRequestBodySize);
        Assert.True(MaxSize.IsReadOnly);
        Assert.Throws<InvalidOperationException>(() => MaxSize.MaxRequestBodySize = 5);
    }

    [Fact]
    public void A_rate_is_set_for_its_own_direction_alone()
    {
        var (slow, usual) = (new MinDataRate(1, TimeSpan.FromSeconds(2)), new MinDataRate(9, TimeSpan.FromSeconds(9)));
        FastCgiServerLimits limits = _fixture.Server.Options.Limits;
        limits.MinRequestBodyDataRate = limits.MinResponseDataRate = usual;
        var body = _fixture.Get<IHttpMinRequestBodyDataRateFeature>();
        var response = _fixture.Get<IHttpMinResponseDataRateFeature>();
        Assert.Equal((usual, usual), (body.MinDataRate, response.MinDataRate));

        response.MinDataRate = slow;
        Assert.Equal((usual, slow), (body.MinDataRate, response.MinDataRate));
        body.MinDataRate = null;
        Assert.Equal((null, slow), (body.MinDataRate, response.MinDataRate));
    }
}
