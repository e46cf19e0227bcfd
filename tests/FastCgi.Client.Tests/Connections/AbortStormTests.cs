using System.Diagnostics;

namespace FastCgi.Client.Tests.Connections;

/// <summary>
/// Many requests, many of them aborted, to an application that answers those too. Every other one has its own answer.
/// </summary>
/// <remarks>FASTCGI_ABORT_STORM sets how many requests there are: 20,000.</remarks>
public sealed class AbortStormTests(ITestOutputHelper output)
{
    private const int Workers = 16;

    private static readonly int s_requests = RunSettings.Number("FASTCGI_ABORT_STORM") ?? 20_000;

    private int _number;
    private int _aborted;
    private int _answered;

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task No_answer_goes_to_another_request(bool isShared, bool isNaive)
    {
        var application = new CarelessApplication(isNaive);
        using var invoker = new HttpMessageInvoker(new FastCgiHandler(new FastCgiHandlerOptions
        {
            Endpoint = "app",
            ConnectCallback = application.ConnectAsync,
            MultiplexRequests = isShared,
            MaxConnections = Workers / 2,
        }));
        var elapsed = Stopwatch.StartNew();
        await Task.WhenAll(Enumerable.Range(0, Workers).Select(worker =>
            Task.Run(() => WorkAsync(invoker, new Random(worker)))));
        string figures = $"=> {_answered} right answers beside {_aborted} aborted requests on "
            + $"{(isShared ? "shared" : "own")} connections{(isNaive ? " of a naive application" : "")}, {elapsed.Elapsed.TotalSeconds:F1} s";
        output.WriteLine(figures);
        Console.WriteLine(figures);
        Assert.Equal(s_requests, _answered + _aborted);
        Assert.InRange(_aborted, s_requests / 20, s_requests);
    }

    private async Task WorkAsync(HttpMessageInvoker invoker, Random random)
    {
        int number;
        while ((number = Interlocked.Increment(ref _number)) <= s_requests)
        {
            string target = $"/{number}";
            using var request = new HttpRequestMessage(HttpMethod.Get, $"http://localhost{target}");
            if (number % 100 == 50)
            {
                request.Method = HttpMethod.Post;
                request.Content = new ByteArrayContent(new byte[200_000]);
            }

            using var cancellation = new CancellationTokenSource();
            int turns = random.Next(4) == 0 ? random.Next(60) : int.MaxValue;
            Task<string?> asking = AskAsync(invoker, request, readsAll: turns != 0, cancellation.Token);
            for (int i = 0; i < turns && !asking.IsCompleted; i++)
            {
                if (turns == int.MaxValue)
                {
                    await asking.Within("an answer");
                }

                await Task.Yield();
            }

            await cancellation.CancelAsync();
            string? body = await asking.Within("an end");
            if (body is not null)
            {
                Assert.Equal(CarelessApplication.BodyOf(target), body);
            }

            Interlocked.Increment(ref body is null ? ref _aborted : ref _answered);
        }
    }

    /// <summary>Null: the request was aborted.</summary>
    private static async Task<string?> AskAsync(
        HttpMessageInvoker invoker, HttpRequestMessage request, bool readsAll, CancellationToken cancellationToken)
    {
        try
        {
            using var response = await invoker.SendAsync(request, cancellationToken);
            return readsAll ? await response.Content.ReadAsStringAsync(cancellationToken) : null;
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return null;
        }
    }
}
