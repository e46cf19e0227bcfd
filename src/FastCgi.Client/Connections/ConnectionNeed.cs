namespace FastCgi.Client.Connections;

/// <summary>Which connection a request can use.</summary>
internal enum ConnectionNeed
{
    /// <summary>Any, because the request can be sent again if the connection proves to be closed.</summary>
    Any,

    /// <summary>One that the peer has very likely not closed: the request cannot be sent again.</summary>
    Steady,

    /// <summary>A new one: a kept one has just proved to be closed.</summary>
    New,
}
