namespace FastCgi.Protocol;

/// <summary>The limit that the pairs seen by a <see cref="NameValuePairScanner"/> exceed.</summary>
public enum NameValuePairLimit
{
    /// <summary>None so far.</summary>
    None = 0,

    /// <summary>All pairs together are too long.</summary>
    TotalSize,

    /// <summary>One name or one value is too long.</summary>
    Length,

    /// <summary>There are too many pairs.</summary>
    Count,
}
