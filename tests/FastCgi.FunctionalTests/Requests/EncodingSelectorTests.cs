namespace FastCgi.FunctionalTests.Requests;

/// <summary>The application's selector of header encodings is user code: it runs where the application runs.</summary>
public sealed class EncodingSelectorTests : FunctionalTest
{
    /// <summary>A request with a header that is not UTF-8, so that its encoding is asked for.</summary>
    private static byte[] Latin1Request => new RecordBuilder()
        .Begin().Params(1, Get().ToParams())
        .Record(4, 1, [11, 4, .. "HTTP_X_NAME"u8, .. "caf"u8, 0xE9])
        .EndParams().EndStdin().ToArray();

    [Fact]
    public async Task A_selector_that_blocks_holds_nobody_else_up()
    {
        using var goesOn = new ManualResetEventSlim();
        var peer = await StartAndConnectAsync(Write("served"), options =>
            options.RequestHeaderEncodingSelector = name =>
            {
                if (name != "X-Name")
                {
                    return null;
                }

                Entered.Reach();
                Assert.True(goesOn.Wait(Deadline.Default));
                return Encoding.Latin1;
            });

        await peer.SendAsync(Latin1Request);
        await Entered.WaitAsync();
        await peer.SynchronizeAsync();
        goesOn.Set();

        Assert.Equal("served", (await peer.ExpectResponseAsync()).BodyText);
    }

    [Fact]
    public async Task A_selector_that_throws_is_an_error_of_the_application()
    {
        var peer = await StartAndConnectAsync(Write("served"), options =>
            options.RequestHeaderEncodingSelector = name =>
                name == "X-Name" ? throw new InvalidOperationException("the selector") : null);
        Logs.ExpectError(ApplicationError);

        await peer.SendAsync(Latin1Request);
        var response = await peer.ExpectResponseAsync();

        Assert.Equal(500, response.StatusCode);
        Assert.Equal(200, (await peer.RoundTripAsync(Get())).StatusCode);
    }
}
