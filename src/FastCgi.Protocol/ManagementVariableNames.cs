namespace FastCgi.Protocol;

/// <summary>The names of the management variables, which are case-sensitive (FastCGI 1.0, section 4.1).</summary>
internal static class ManagementVariableNames
{
    public const int LongestLength = 15;

    public static ReadOnlySpan<byte> MaxConnections => "FCGI_MAX_CONNS"u8;

    public static ReadOnlySpan<byte> MaxRequests => "FCGI_MAX_REQS"u8;

    public static ReadOnlySpan<byte> MultiplexConnections => "FCGI_MPXS_CONNS"u8;

    public static ReadOnlySpan<ManagementVariables> Known =>
        [ManagementVariables.MaxConnections, ManagementVariables.MaxRequests, ManagementVariables.MultiplexConnections];

    /// <summary>The name of one variable.</summary>
    public static ReadOnlySpan<byte> Of(ManagementVariables variable) => variable switch
    {
        ManagementVariables.MaxConnections => MaxConnections,
        ManagementVariables.MaxRequests => MaxRequests,
        ManagementVariables.MultiplexConnections => MultiplexConnections,
        _ => throw new ArgumentOutOfRangeException(nameof(variable), variable, null),
    };

    public static ManagementVariables Find(ReadOnlySpan<byte> name) =>
        name.SequenceEqual(MaxConnections) ? ManagementVariables.MaxConnections
        : name.SequenceEqual(MaxRequests) ? ManagementVariables.MaxRequests
        : name.SequenceEqual(MultiplexConnections) ? ManagementVariables.MultiplexConnections
        : ManagementVariables.None;
}
