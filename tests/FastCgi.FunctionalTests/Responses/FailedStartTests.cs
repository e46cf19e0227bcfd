namespace FastCgi.FunctionalTests.Responses;

/// <summary>
/// An OnStarting callback failed, and the application answers once more, as exception handlers do: the client gets a
/// plain 500.
/// </summary>
public sealed class FailedStartTests : FunctionalTest
{
    private static readonly Dictionary<string, Func<HttpResponse, Task>> s_answers = new()
    {
        ["text"] = response => response.WriteAsync("an error page"),
        ["stream"] = response => response.Body.WriteAsync("an error page"u8.ToArray()).AsTask(),
        ["StartAsync"] = response => response.StartAsync(),
        ["CompleteAsync"] = response => response.CompleteAsync(),
        ["pipe"] = response => response.BodyWriter.WriteAsync("an error page"u8.ToArray()).AsTask(),
        ["flush of the pipe"] = response =>
        {
            response.BodyWriter.Write("x"u8);
            return response.BodyWriter.FlushAsync().AsTask();
        },
        ["nothing"] = _ => Task.CompletedTask,
    };

    public static MatrixTheoryData<string, bool> Answers { get; } = new(s_answers.Keys, [false, true]);

    [Theory, MemberData(nameof(Answers))]
    public async Task It_is_a_500_without_headers_of_the_application(string answer, bool isCaught)
    {
        var failure = new InvalidOperationException("of the callback");
        var peer = await StartAndConnectAsync(async context =>
        {
            if (context.Request.Path != "/fail")
            {
                return;
            }

            var response = context.Response;
            response.OnStarting(() => throw failure);
            response.StatusCode = 201;
            response.Headers["X-Application"] = "yes";
            Assert.Same(failure, await Assert.ThrowsAnyAsync<Exception>(() => response.WriteAsync("lost")));
            Assert.False(response.HasStarted);
            response.Clear();
            response.StatusCode = 503;
            response.Headers["X-Page"] = "yes";
            try
            {
                await s_answers[answer](response);
            }
            catch (Exception) when (isCaught)
            {
            }
        });
        Logs.ExpectError(ApplicationError);

        var response = await peer.RoundTripAsync(Get("/fail"));

        AssertResponse((500, "0", ""), response);
        Assert.Null(response.Header("X-Application"));
        Assert.Null(response.Header("X-Page"));
        Assert.Equal(500, await Logs.FinishedStatusAsync());
        await AssertServesAsync(peer);
    }
}
