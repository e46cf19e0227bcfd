namespace FastCgi.Client.Connections;

/// <summary>The kind of connection that a request can use.</summary>
internal enum ConnectionNeed
{
    /// <summary>Any, because the request can be repeated if the connection proves to be closed.</summary>
    Any,

    /// <summary>One that the peer has most likely not closed, because the request cannot be repeated.</summary>
    Steady,

    /// <summary>A new one, because a kept one has just proved to be closed.</summary>
    New,
}
