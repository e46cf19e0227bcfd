namespace FastCgi.AspNetCore.Requests;

/// <summary>Where a request stands on its connection. A request only moves down this list.</summary>
internal enum RequestStage
{
    /// <summary>PARAMS are arriving.</summary>
    Params,

    /// <summary>PARAMS are whole; the first STDIN record tells whether a body comes.</summary>
    AwaitingBody,

    /// <summary>The application has it.</summary>
    Running,

    /// <summary>The response is out; END_REQUEST waits for the end of STDIN.</summary>
    Draining,

    /// <summary>END_REQUEST is out, or the socket is lost. The application may still run.</summary>
    Ended,
}
