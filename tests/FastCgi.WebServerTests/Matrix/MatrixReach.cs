namespace FastCgi.WebServerTests.Matrix;

/// <summary>How a web server comes to the application.</summary>
internal enum MatrixReach
{
    /// <summary>It connects to the application's unix socket.</summary>
    Unix,

    /// <summary>It connects to the application's port.</summary>
    Tcp,

    /// <summary>It connects to the application's unix socket for SCGI.</summary>
    Scgi,

    /// <summary>It connects to the application's port for SCGI.</summary>
    ScgiTcp,

    /// <summary>It starts the application and passes it a listening socket.</summary>
    Started,
}
