namespace FastCgi.Gateway.Doors;

/// <summary>The server by which a request came in.</summary>
internal enum Door
{
    /// <summary>FastCGI or SCGI, from a web server.</summary>
    FastCgi,

    /// <summary>HTTP, without a web server.</summary>
    Kestrel,
}
