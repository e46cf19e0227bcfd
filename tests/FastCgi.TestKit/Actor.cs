namespace FastCgi.TestKit;

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
