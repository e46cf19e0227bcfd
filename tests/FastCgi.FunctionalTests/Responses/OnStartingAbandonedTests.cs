namespace FastCgi.FunctionalTests.Responses;

/// <summary>A handler that returns while an OnStarting callback still waits: the response waits for the callback.</summary>
public sealed class OnStartingAbandonedTests : FunctionalTest
{
    [Fact]
    public async Task The_head_waits_for_the_callback_of_an_abandoned_write()
    {
        SyncPoint waits = "the callback";
        var goesOn = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        List<string> runs = [];
        var peer = await StartAndConnectAsync(context =>
        {
            var target = context.Request.Path.Value!;
            if (target != "/abandons")
            {
                context.Response.OnStarting(() =>
                {
                    runs.Add(target);
                    return Task.CompletedTask;
                });
                return context.Response.WriteAsync("second");
            }

            context.Response.OnStarting(() =>
            {
                runs.Add("first registered");
                return Task.CompletedTask;
            });
            context.Response.OnStarting(async () =>
            {
                waits.Reach();
                await goesOn.Task;
                context.Response.Headers["X-Late"] = "yes";
            });
            _ = context.Response.WriteAsync("abandoned");
            return Task.CompletedTask;
        });

        await peer.SendRequestAsync(Get("/abandons"));
        await waits.WaitAsync();
        await peer.SynchronizeAsync();
        goesOn.SetResult();
        var first = await peer.ExpectResponseAsync();
        var second = await peer.RoundTripAsync(Get("/next"));

        Assert.Equal("yes", first.Header("X-Late"));
        Assert.Equal((200, "second"), (second.StatusCode, second.BodyText));
        Assert.Null(second.Header("X-Late"));
        Assert.Equal(["first registered", "/next"], runs);
    }
}
