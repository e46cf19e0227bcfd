namespace FastCgi.AspNetCore.Requests;

/// <summary>Where a request stands. Guarded by the connection's gate.</summary>
internal enum RequestStage
{
    /// <summary>PARAMS are arriving.</summary>
    Params,

    /// <summary>PARAMS are whole; whether a body comes is not known before the first STDIN record.</summary>
    AwaitingBody,

    /// <summary>Given to the application.</summary>
    Running,

    /// <summary>The response is out; END_REQUEST waits for the end of STDIN.</summary>
    Draining,

    /// <summary>END_REQUEST is out, or the socket is lost; the application may still run.</summary>
    Ended,
}
