namespace FastCgi.WebServerKit;

/// <summary>How a process gets a listening socket that another one made.</summary>
internal enum ListenerHandover
{
    /// <summary>As descriptor 3, announced by LISTEN_FDS and LISTEN_PID.</summary>
    Systemd,

    /// <summary>As descriptor 0, announced by nothing (FastCGI 1.0, section 2.2).</summary>
    SpawnFcgi,
}
