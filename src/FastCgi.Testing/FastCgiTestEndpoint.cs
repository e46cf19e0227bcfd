namespace FastCgi.Testing;

/// <summary>The endpoint of the server of a <see cref="FastCgiApplicationFactory{TEntryPoint}"/>.</summary>
public enum FastCgiTestEndpoint
{
    /// <summary>A unix socket. TCP on Windows, or if the path of the temporary directory is too long.</summary>
    Default,

    /// <summary>A unix socket in a temporary directory that only this user can open. The stop deletes both.</summary>
    UnixSocket,

    /// <summary>TCP on 127.0.0.1, on a free port.</summary>
    Tcp,

    /// <summary>
    /// Memory: no socket is opened, and the server has no address. Limits, streams and aborts are as on a unix socket.
    /// </summary>
    Memory,
}
