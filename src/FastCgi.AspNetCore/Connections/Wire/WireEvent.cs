namespace FastCgi.AspNetCore.Connections.Wire;

/// <summary>The meaning of the next bytes of a peer.</summary>
internal enum WireEvent
{
    /// <summary>A request begins. SCGI tells the length of its head with it, and may bring the first piece.</summary>
    Begin,

    /// <summary>A piece of the params.</summary>
    Params,

    /// <summary>The params are whole.</summary>
    ParamsEnd,

    /// <summary>A piece of the body.</summary>
    Stdin,

    /// <summary>The end of the body. FastCGI only: SCGI has no record for it.</summary>
    StdinEnd,

    /// <summary>The peer gives a request up.</summary>
    Abort,

    /// <summary>A management record that the server answers by the content.</summary>
    Answer,
}
