namespace FastCgi.TestKit;

/// <summary>
/// Runs a few actors in every order of their steps, on one thread, each order against a fresh subject. It proves code
/// that threads share by atomic steps: no order is left to chance. Orders that weak memory adds are not explored.
/// </summary>
public static class Interleavings
{
    /// <summary>Far more than a useful test needs: beyond it the actors have too many steps.</summary>
    private const int MostOrders = 2_000_000;

    /// <summary>
    /// Explores all orders and returns how many there are. A step that throws, a <paramref name="check"/> that throws,
    /// and actors that all wait for each other fail with the order that led there.
    /// </summary>
    /// <param name="fresh">Makes the subject of one order. It and the actors must be deterministic.</param>
    /// <param name="check">Runs after the last step of each order.</param>
    public static int Explore<T>(Func<T> fresh, Action<T> check, params Actor<T>[] actors)
    {
        var path = new List<Choice>();
        var orders = 0;
        do
        {
            if (++orders > MostOrders)
            {
                throw new InvalidOperationException($"There are more than {MostOrders} orders: take fewer steps.");
            }

            RunOnce(fresh(), check, actors, path);
        }
        while (TryAdvance(path));

        return orders;
    }

    private static void RunOnce<T>(T subject, Action<T> check, Actor<T>[] actors, List<Choice> path)
    {
        var running = Array.ConvertAll(actors, actor => new Running(actor.Name, actor.Steps(subject).GetEnumerator()));
        var order = new List<string>();
        try
        {
            for (var depth = 0; Choose(running, path, depth) is { } next; depth++)
            {
                // In front of the step, which may throw.
                order.Add($"{next.Name}: fails");
                order[^1] = next.MoveNext() ? $"{next.Name}: {next.Label}" : $"{next.Name}: last step";
            }

            check(subject);
        }
        catch (Exception exception)
        {
            throw new InterleavingException(order, exception);
        }
        finally
        {
            Array.ForEach(running, static one => one.Dispose());
        }
    }

    /// <summary>The actor that takes the next step in this order; null when all have ended.</summary>
    private static Running? Choose(Running[] running, List<Choice> path, int depth)
    {
        var ready = Array.FindAll(running, static one => one.IsReady);
        if (ready.Length == 0)
        {
            return Array.TrueForAll(running, static one => one.HasEnded)
                ? null
                : throw new InvalidOperationException("The actors that are left wait for ever.");
        }

        if (depth == path.Count)
        {
            path.Add(new Choice(0, ready.Length));
        }

        return path[depth].Count == ready.Length
            ? ready[path[depth].Index]
            : throw new InvalidOperationException("The actors are not deterministic.");
    }

    /// <summary>The next path in depth-first order; false after the last.</summary>
    private static bool TryAdvance(List<Choice> path)
    {
        while (path.Count > 0)
        {
            var last = path[^1];
            path.RemoveAt(path.Count - 1);
            if (last.Index + 1 < last.Count)
            {
                path.Add(last with { Index = last.Index + 1 });
                return true;
            }
        }

        return false;
    }

    /// <summary>Which of the ready actors took a step.</summary>
    private readonly record struct Choice(int Index, int Count);

    private sealed class Running(string name, IEnumerator<Step> steps)
    {
        private Step _last;

        public string Name => name;

        public string Label => _last.Label;

        public bool HasEnded { get; private set; }

        public bool IsReady => !HasEnded && _last.IsReady;

        public bool MoveNext()
        {
            HasEnded = !steps.MoveNext();
            _last = HasEnded ? default : steps.Current;
            return !HasEnded;
        }

        public void Dispose() => steps.Dispose();
    }
}

/// <summary>
/// One thread of an exploration: what runs between two yields is one atomic step, and what follows the last yield is
/// the last one. Put at most one access to shared state into a step, or a whole critical section of a lock.
/// </summary>
/// <param name="Name">For the order that a failure prints.</param>
/// <param name="Steps">Called once for each order, with the fresh subject.</param>
public sealed record Actor<T>(string Name, Func<T, IEnumerable<Step>> Steps)
{
    /// <summary>An actor whose steps are plain calls.</summary>
    public Actor(string name, params Action<T>[] steps)
        : this(name, subject => RunAll(subject, steps))
    {
    }

    private static IEnumerable<Step> RunAll(T subject, Action<T>[] steps)
    {
        for (var i = 0; i < steps.Length; i++)
        {
            if (i > 0)
            {
                yield return $"step {i}";
            }

            steps[i](subject);
        }
    }
}

/// <summary>
/// Ends one step of an <see cref="Actor{T}"/>. A string converts to a step with that label; the label names what the
/// step did.
/// </summary>
public readonly record struct Step
{
    private readonly Func<bool>? _isReady;

    private Step(string label, Func<bool>? isReady)
    {
        Label = label;
        _isReady = isReady;
    }

    /// <summary>What the step did, for the order that a failure prints.</summary>
    public string Label { get; }

    /// <summary>Whether the actor can take its next step now.</summary>
    internal bool IsReady => _isReady?.Invoke() ?? true;

    public static implicit operator Step(string label) => new(label, null);

    /// <summary>
    /// The actor stands still until <paramref name="isReady"/> is true, as a thread that waits for a signal. The
    /// condition only reads.
    /// </summary>
    public static Step Until(Func<bool> isReady, string label) => new(label, isReady);
}

/// <summary>One order of steps fails; the message prints it.</summary>
public sealed class InterleavingException(IReadOnlyList<string> order, Exception failure)
    : Exception(Describe(order, failure), failure)
{
    /// <summary>The steps up to the failure, each as "actor: what it did".</summary>
    public IReadOnlyList<string> Order => order;

    private static string Describe(IReadOnlyList<string> order, Exception failure) =>
        $"{failure.Message}{Environment.NewLine}after these steps:{Environment.NewLine}"
        + string.Join(Environment.NewLine, order.Select(static (step, i) => $"{i + 1,4}. {step}"));
}
