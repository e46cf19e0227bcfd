namespace FastCgi.WebServerTests.Instances;

/// <summary>
/// Clients that ask and order in turn, without a pause, until they are stopped. No order is given twice, so each line
/// of an order book is one execution. While the test awaits something that the last round of a client did not advance,
/// such as the clock of nginx, that client rests after the round: it would only take the processor.
/// </summary>
internal sealed class OrderingClients
{
    private static readonly TimeSpan _rest = TimeSpan.FromMilliseconds(10);
    private static readonly Uri _root = new("", UriKind.Relative);
    private static readonly Uri _orders = new("orders", UriKind.Relative);

    private readonly HttpClient _client;
    private readonly Task _clients;
    private readonly Lock _lock = new();
    private readonly Dictionary<string, int> _answers = [];
    private readonly List<(string Instance, int Answers, TaskCompletionSource Reached)> _awaited = [];
    private readonly List<(int Seconds, DateTimeOffset? Since, TaskCompletionSource Reached)> _awaitedTimes = [];
    private readonly int[] _rounds;
    private readonly List<(int[] Goals, TaskCompletionSource Reached)> _awaitedRounds = [];
    private readonly bool[] _haveAdvanced;
    private volatile bool _areStopped;

    public OrderingClients(HttpClient client, int count)
    {
        _client = client;
        _rounds = new int[count];
        _haveAdvanced = new bool[count];
        _clients = Task.WhenAll(Enumerable.Range(0, count).Select(number => Task.Run(() => RunAsync(number))));
    }

    public ConcurrentQueue<string> FailedQuestions { get; } = new();

    public ConcurrentQueue<(string Order, string Failure)> FailedOrders { get; } = new();

    public ConcurrentQueue<string> ConfirmedOrders { get; } = new();

    /// <summary>Completes when this instance has given so many answers more.</summary>
    public Task AnsweredByAsync(Instance instance, int more) => AnsweredByAsync(instance.Name, more);

    /// <inheritdoc cref="AnsweredByAsync(Instance, int)"/>
    public Task AnsweredByAsync(string instance, int more)
    {
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_lock)
        {
            _awaited.Add((instance, _answers.GetValueOrDefault(instance) + more, reached));
        }

        return reached.Task;
    }

    /// <summary>
    /// Completes when the clock of nginx has advanced by so many seconds. The <c>Date</c> of its answers is that clock:
    /// <c>fail_timeout</c> goes by the same whole seconds.
    /// </summary>
    public Task NginxTimeAsync(int seconds)
    {
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_lock)
        {
            _awaitedTimes.Add((seconds, null, reached));
        }

        return reached.Task;
    }

    /// <summary>Completes when every client has asked and ordered so many times more, with whatever result.</summary>
    public Task EachOnAsync(int rounds)
    {
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_lock)
        {
            _awaitedRounds.Add(([.. _rounds.Select(done => done + rounds)], reached));
        }

        return reached.Task;
    }

    /// <summary>Each order was executed once and confirmed, or its client knows that it may not have been.</summary>
    public void AssertNoneTwiceOrUnnoticed(IReadOnlyList<string> executed)
    {
        Assert.Equal(executed.Count, executed.Distinct().Count());
        Assert.Empty(ConfirmedOrders.Except(executed));
        Assert.Empty(executed.Except(ConfirmedOrders).Except(FailedOrders.Select(static order => order.Order)));
    }

    public Task StopAsync()
    {
        _areStopped = true;
        return _clients;
    }

    private async Task RunAsync(int number)
    {
        for (var i = 0; !_areStopped; i++)
        {
            if (await FailureAsync(number, () => _client.GetAsync(_root)) is { } failure)
            {
                FailedQuestions.Enqueue(failure);
            }

            var order = $"{number}/{i}";
            using var content = new StringContent(order);
            if (await FailureAsync(number, () => _client.PostAsync(_orders, content)) is { } refusal)
            {
                FailedOrders.Enqueue((order, refusal));
            }
            else
            {
                ConfirmedOrders.Enqueue(order);
            }

            if (!CountRound(number))
            {
                await Task.Delay(_rest);
            }
        }
    }

    /// <summary>False if the round advanced nothing that is awaited.</summary>
    private bool CountRound(int number)
    {
        lock (_lock)
        {
            _rounds[number]++;
            var hasAdvanced = _haveAdvanced[number]
                || _awaitedRounds.Exists(waiter => waiter.Goals[number] >= _rounds[number]);
            _haveAdvanced[number] = false;
            _awaitedRounds.RemoveAll(waiter =>
                waiter.Goals.Zip(_rounds).All(static pair => pair.Second >= pair.First) && waiter.Reached.TrySetResult());
            return hasAdvanced || _awaited.Count + _awaitedTimes.Count + _awaitedRounds.Count == 0;
        }
    }

    private async Task<string?> FailureAsync(int number, Func<Task<HttpResponseMessage>> ask)
    {
        try
        {
            using var response = await ask();
            var text = await response.Content.ReadAsStringAsync();
            SeeTime(response.Headers.Date);
            if (response.StatusCode == HttpStatusCode.OK)
            {
                Count(number, text);
                return null;
            }

            return $"{(int)response.StatusCode}";
        }
        catch (Exception e) when (e is HttpRequestException or OperationCanceledException)
        {
            return e.ToString();
        }
    }

    private void Count(int number, string instance)
    {
        lock (_lock)
        {
            _haveAdvanced[number] |= _awaited.Exists(waiter => waiter.Instance == instance);
            var answers = _answers[instance] = _answers.GetValueOrDefault(instance) + 1;
            _awaited.RemoveAll(waiter =>
                waiter.Instance == instance && answers >= waiter.Answers && waiter.Reached.TrySetResult());
        }
    }

    private void SeeTime(DateTimeOffset? date)
    {
        // HAProxy gives none.
        if (date is not { } now)
        {
            return;
        }

        lock (_lock)
        {
            for (var i = _awaitedTimes.Count - 1; i >= 0; i--)
            {
                var (seconds, since, reached) = _awaitedTimes[i];
                _awaitedTimes[i] = (seconds, since ?? now, reached);
                if (now - (since ?? now) >= TimeSpan.FromSeconds(seconds))
                {
                    _awaitedTimes.RemoveAt(i);
                    reached.SetResult();
                }
            }
        }
    }
}
