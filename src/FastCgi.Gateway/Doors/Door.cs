namespace FastCgi.Gateway.Doors;

/// <summary>The server that received a request.</summary>
internal enum Door
{
    /// <summary>FastCGI or SCGI, from a web server.</summary>
    FastCgi,

    /// <summary>HTTP, without a web server.</summary>
    Kestrel,
}
