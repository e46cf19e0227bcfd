namespace FastCgi.TestKit;

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
