namespace FastCgi.AspNetCore;

/// <summary>The connections of an endpoint from its start, or from a reload that ended those before.</summary>
internal sealed class EndpointGeneration
{
    private bool _hasEnded;

    /// <summary>A reload has ended the endpoint, or its terms: its connections take no further requests.</summary>
    public bool HasEnded
    {
        get => Volatile.Read(ref _hasEnded);
        set => Volatile.Write(ref _hasEnded, value);
    }
}
