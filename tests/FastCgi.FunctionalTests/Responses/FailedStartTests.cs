namespace FastCgi.FunctionalTests.Responses;

/// <summary>
/// An OnStarting callback failed, and the application answers once more, as exception handlers do: the client gets a
/// plain 500.
/// </summary>
public sealed class FailedStartTests : FunctionalTest
{
    private const int ApplicationError = 13;

    public enum Answer
    {
        Text,
        Stream,
        StartAsync,
        CompleteAsync,
        PipeWrite,
        PipeFlush,
        Nothing,
    }

    public static MatrixTheoryData<Answer, bool> Answers { get; } = new(Enum.GetValues<Answer>(), [false, true]);

    [Theory, MemberData(nameof(Answers))]
    public async Task It_is_a_500_without_headers_of_the_application(Answer answer, bool isCaught)
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
                await AnswerBy(answer, response);
            }
            catch (Exception) when (isCaught)
            {
            }
        });
        Logs.ExpectError(ApplicationError);

        var response = await peer.RoundTripAsync(Get("/fail"));

        Assert.Equal((500, "0", ""), (response.StatusCode, response.Header("Content-Length"), response.BodyText));
        Assert.Null(response.Header("X-Application"));
        Assert.Null(response.Header("X-Page"));
        Assert.Equal(500, await Logs.FinishedStatusAsync());
        await AssertServesAsync(peer);
    }

    private static async Task AnswerBy(Answer answer, HttpResponse response)
    {
        switch (answer)
        {
            case Answer.Text:
                await response.WriteAsync("an error page");
                break;
            case Answer.Stream:
                await response.Body.WriteAsync("an error page"u8.ToArray());
                break;
            case Answer.StartAsync:
                await response.StartAsync();
                break;
            case Answer.CompleteAsync:
                await response.CompleteAsync();
                break;
            case Answer.PipeWrite:
                await response.BodyWriter.WriteAsync("an error page"u8.ToArray());
                break;
            case Answer.PipeFlush:
                response.BodyWriter.GetSpan(1)[0] = (byte)'x';
                response.BodyWriter.Advance(1);
                await response.BodyWriter.FlushAsync();
                break;
            default:
                break;
        }
    }
}
