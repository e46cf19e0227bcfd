namespace FastCgi.FunctionalTests.Bodies;

/// <summary>Rows B of the hard inputs.</summary>
public sealed class BodyFramingTests : FunctionalTest
{
    [Fact]
    [HardInput("B1")]
    public async Task A_body_shorter_than_its_length_is_an_error_to_the_reader()
    {
        var peer = await StartAndConnectAsync(async context =>
        {
            if (HttpMethods.IsPost(context.Request.Method))
            {
                var exception = await Assert.ThrowsAsync<BadHttpRequestException>(
                    async () => await context.Request.Body.CopyToAsync(Stream.Null));
                Assert.Equal(400, exception.StatusCode);
                throw exception;
            }
        });

        Assert.Equal(400, (await peer.RoundTripAsync(BeginPost(10).Stdin(1, "short"u8).EndStdin())).StatusCode);
        Assert.Empty(await peer.SynchronizeAsync());
        await AssertServesAnotherConnectionAsync();
    }

    [Fact]
    [HardInput("B2")]
    public async Task A_body_longer_than_its_length_is_cut()
    {
        var peer = await StartAndConnectAsync(EchoAsync);

        await peer.SendAsync(BeginPost(3).Stdin(1, "abcdef"u8).Stdin(1, "ghi"u8).EndStdin());

        Assert.Equal("abc", (await peer.ExpectResponseAsync()).BodyText);
        await AssertServesAsync(peer);
    }

    [Fact]
    [HardInput("B3")]
    public async Task A_length_that_is_no_number_is_400()
    {
        var peer = await StartAndConnectAsync(EchoAsync);

        foreach (var length in (string[])["99999999999999999999", "5,5", "+5", " 5", "5 ", "-5", "0x5", "5.0", "five"])
        {
            var request = Get() with { Method = "POST", ExtraParams = [("CONTENT_LENGTH", length)] };
            Assert.Equal((length, 400), (length, (await peer.RoundTripAsync(request)).StatusCode));
        }

        await AssertServesAsync(peer);
    }

    [Fact]
    [HardInput("B3")]
    public async Task A_length_of_minus_one_is_an_unknown_length()
    {
        var peer = await StartAndConnectAsync(EchoAsync);

        await peer.SendAsync(BeginPost(-1).Stdin(1, "of unknown length"u8).EndStdin());

        Assert.Equal("of unknown length", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Fact]
    [HardInput("B4")]
    public async Task A_body_without_a_length_is_streamed_to_its_end()
    {
        var peer = await StartAndConnectAsync(EchoAsync);

        await peer.SendAsync(Begin(Get()).Stdin(1, "chunked "u8));
        Assert.Equal(200, (await peer.ExpectResponseStartAsync()).StatusCode);
        await peer.SendAsync(EndBody("upload"u8));

        Assert.EndsWith(
            "upload", Encoding.ASCII.GetString((await peer.ExpectResponseAsync()).Stdout), StringComparison.Ordinal);
        await AssertServesAsync(peer);
    }

    [Theory, ClassData(typeof(Transports))]
    [HardInput("B6")]
    public async Task A_body_over_the_limit_is_413_and_the_rest_is_drained(ServerTransport transport)
    {
        // However slow the machine is, the peer sends the rest before the server gives it up.
        var peer = await StartAndConnectAsync(
            transport, EchoAsync, options => options.Limits.MaxRequestBodySize = 1000, Clock);

        Assert.Equal(413, (await peer.RoundTripAsync(Post(new byte[500_000]))).StatusCode);
        await AssertServesAsync(peer);
    }

    [Theory, InlineData(false), InlineData(true)]
    [HardInput("B7")]
    public async Task A_length_of_0_does_not_wait_for_the_end_of_the_body(bool reads)
    {
        var peer = await StartAndConnectAsync(async context => await context.Response.WriteAsync(
            reads ? $"{await new StreamReader(context.Request.Body).ReadToEndAsync()}read" : "dispatched"));

        Assert.Equal(reads ? "read" : "dispatched", (await peer.RoundTripAsync(BeginPost(0))).BodyText);
        await peer.SendAsync(new RecordBuilder().EndStdin());
        await AssertServesAsync(peer);
    }

    [Fact]
    public async Task The_last_declared_byte_ends_the_body_for_its_reader()
    {
        var peer = await StartAndEnterAsync(async context =>
        {
            var body = await new StreamReader(context.Request.Body).ReadToEndAsync();
            Entered.Reach();
            await context.Response.WriteAsync(body);
        }, BeginPost(4).Stdin(1, "body"u8));

        Assert.Equal("body", (await peer.RoundTripAsync(new RecordBuilder().EndStdin())).BodyText);
    }
}
