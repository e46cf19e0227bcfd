using System.Diagnostics;

namespace FastCgi.Client.Tests.Fuzz;

/// <summary>
/// An application answers with right and with damaged bytes. The client ends every request in time, with the right
/// content or with one of its own exceptions, and serves the next one.
/// </summary>
/// <remarks>
/// FASTCGI_FUZZ_SECONDS says for how long: 5 seconds. FASTCGI_FUZZ_SEED is the first answer: a random one, with CI=true
/// number 1.
/// </remarks>
public sealed class HostilePeerFuzzTests(ITestOutputHelper output)
{
    [Fact]
    public async Task No_answer_breaks_the_client()
    {
        int seconds = RunSettings.Number("FASTCGI_FUZZ_SECONDS") ?? 5;
        int first = RunSettings.Seed;
        int seed = first;
        int failed = 0;
        for (var watch = Stopwatch.StartNew(); watch.Elapsed.TotalSeconds < seconds; seed++)
        {
            try
            {
                failed += await TryAsync(seed) ? 0 : 1;
            }
            catch (Exception exception)
            {
                Assert.Fail($"Repeat it with FASTCGI_FUZZ_SEED={seed}: {exception}");
            }
        }

        Figures.Write(output, $"{seed - first} hostile answers from seed {first}: {failed} ended in an exception");
    }

    /// <summary>False: the request failed in the way it should.</summary>
    private static async Task<bool> TryAsync(int seed)
    {
        var random = new Random(seed);
        bool isScgi = random.Next(3) == 0;
        var answer = HostileAnswer.Make(random, isScgi);
        using var application = new ScriptedApplication(options =>
            options.Protocol = isScgi ? FastCgiEndpointProtocol.Scgi : FastCgiEndpointProtocol.FastCgi);
        using var request = ScriptedApplication.Post(
            new ByteArrayContent(new byte[random.Next(2) == 0 ? 0 : random.Next(200_000)]));
        using var end = new CancellationTokenSource();
        var (connection, sending) = await application.OpenAsync(request);
        Task draining = DrainAsync(connection, end.Token);
        Task answering = AnswerAsync(connection, answer.Bytes, random, isWhole: isScgi || !answer.IsRight);
        bool succeeded = await ReadAsync(sending, answer, random.Next(1, 5000));
        await answering;
        connection.Close();
        await ServeAnotherAsync(application, isScgi, end.Token);
        await end.CancelAsync();
        await draining.Within("the end of the connection");
        return succeeded;
    }

    private static async Task AnswerAsync(ApplicationConnection connection, byte[] bytes, Random random, bool isWhole)
    {
        try
        {
            for (int at = 0; at < bytes.Length;)
            {
                int size = Math.Min(bytes.Length - at, random.Next(2) == 0 ? random.Next(1, 30) : random.Next(1, 70_000));
                await connection.SendAsync(bytes.AsMemory(at, size));
                at += size;
            }
        }
        catch (Exception exception) when (exception is IOException or InvalidOperationException)
        {
            // The client has closed the connection already.
        }

        if (isWhole)
        {
            connection.Stream.EndSending();
        }
    }

    /// <summary>Takes whatever the client sends.</summary>
    private static async Task DrainAsync(ApplicationConnection connection, CancellationToken end)
    {
        byte[] buffer = new byte[64 * 1024];
        try
        {
            while (await connection.Stream.ReadAsync(buffer, end) > 0)
            {
            }
        }
        catch (Exception exception) when (exception is OperationCanceledException or InvalidOperationException)
        {
            // The test has ended, or has closed its own end.
        }
    }

    private static async Task<bool> ReadAsync(Task<HttpResponseMessage> sending, HostileAnswer answer, int readSize)
    {
        try
        {
            using var response = await sending.Within("a response or an error");
            Stream stream = await response.Content.ReadAsStreamAsync();
            var body = new MemoryStream();
            await stream.CopyToAsync(body, readSize).Within("the body or an error");
            if (answer.IsRight)
            {
                Assert.Equal(answer.Body, body.ToArray());
            }

            return true;
        }
        catch (Exception exception) when (!answer.IsRight && FastCgiException.Find(exception) is not null)
        {
            return false;
        }
    }

    private static async Task ServeAnotherAsync(
        ScriptedApplication application, bool isScgi, CancellationToken end)
    {
        var (another, sending) = await application.OpenAsync(cancellationToken: end);
        _ = DrainAsync(another, end);
        await another.SendAsync(isScgi ? "A: b\n\nnext"u8.ToArray() : Response.Of("A: b\n\nnext").ToArray());
        another.Stream.EndSending();
        using var response = await sending.Within("the next response");
        Assert.Equal("next", await response.Content.ReadAsStringAsync(end).Within("the next body"));
    }
}
