using System.Collections.Concurrent;
using System.Net;

namespace FastCgi.WebServerTests.Nginx;

/// <summary>Clients that ask without a pause until they are stopped. All but the right answer is a failure.</summary>
internal sealed class Load
{
    private static readonly (Uri Target, string Answer)[] _requests =
    [
        (new Uri("plaintext", UriKind.Relative), "Hello, World!"),
        (new Uri("json", UriKind.Relative), "{\"message\":\"Hello, World!\"}"),
    ];

    private readonly HttpClient _client;
    private readonly Task _clients;
    private readonly ConcurrentQueue<(int Count, TaskCompletionSource Reached)> _awaited = new();
    private volatile bool _isStopped;
    private int _asked;

    public Load(HttpClient client, int clients)
    {
        _client = client;
        _clients = Task.WhenAll(Enumerable.Range(0, clients).Select(_ => Task.Run(AskAsync)));
    }

    /// <summary>Requests that have had their answer, right or wrong.</summary>
    public int Asked => Volatile.Read(ref _asked);

    public ConcurrentQueue<string> Failures { get; } = new();

    /// <summary>Completes with the request of this number.</summary>
    public Task AskedAsync(int count)
    {
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _awaited.Enqueue((count, reached));
        Announce(Asked);
        return reached.Task;
    }

    public Task StopAsync()
    {
        _isStopped = true;
        return _clients;
    }

    private async Task AskAsync()
    {
        for (var i = 0; !_isStopped; i++)
        {
            var (target, answer) = _requests[i % _requests.Length];
            if (await FailureAsync(target, answer) is { } failure)
            {
                Failures.Enqueue(failure);
            }

            Announce(Interlocked.Increment(ref _asked));
        }
    }

    private async Task<string?> FailureAsync(Uri target, string answer)
    {
        try
        {
            using var response = await _client.GetAsync(target);
            var text = await response.Content.ReadAsStringAsync();
            return response.StatusCode == HttpStatusCode.OK && text == answer ? null : $"{response.StatusCode}: {text}";
        }
        catch (Exception e) when (e is HttpRequestException or OperationCanceledException)
        {
            return e.ToString();
        }
    }

    private void Announce(int asked)
    {
        foreach (var (count, reached) in _awaited)
        {
            if (asked >= count)
            {
                reached.TrySetResult();
            }
        }
    }
}
