namespace FastCgi.FunctionalTests.Isolation;

/// <summary>Nothing of one request is seen by the next one on its connection, which may be another client's.</summary>
public sealed class StateResetTests : FunctionalTest
{
    [Fact]
    public async Task Trace_identifiers_are_unique_and_can_be_set()
    {
        var identifiers = new HashSet<string>();
        var peer = await StartAndConnectAsync(Run(context =>
        {
            Assert.True(identifiers.Add(context.TraceIdentifier));
            Assert.Equal(context.TraceIdentifier, context.TraceIdentifier);
            Assert.StartsWith(context.Connection.Id + ":", context.TraceIdentifier, StringComparison.Ordinal);
            context.TraceIdentifier = "of the application";
            Assert.Equal("of the application", context.TraceIdentifier);
        }));

        for (var i = 0; i < 5; i++)
        {
            await AssertServesAsync(peer);
        }

        Assert.Equal(5, identifiers.Count);
    }

    [Fact]
    public async Task A_header_that_was_refused_is_not_looked_for_in_the_next_request()
    {
        var peer = await StartAndConnectAsync(_ => Task.CompletedTask);
        // Several times: the next request need not get the object of the one before.
        for (var i = 0; i < 20; i++)
        {
            Assert.Equal(400, (await peer.RoundTripAsync(Get() with { Headers = [("X-Bad", "a\0b")] })).StatusCode);
            await peer.SendAsync(new RecordBuilder().Begin().Record(4, 1, [200]).EndParams().EndStdin());
            Assert.Equal(400, (await peer.ExpectResponseAsync()).StatusCode);
        }

        await AssertServesAsync(peer);
    }
}
