using FastCgi.AspNetCore.Cgi;

namespace FastCgi.AspNetCore.Server;

/// <summary>Pages that the server answers itself, before the application and its limits.</summary>
internal interface IServerPages
{
    /// <summary>
    /// The page for a request whose params have come; null: the request is the application's. Under the gate.
    /// </summary>
    ServerPage? Find(CgiRequest request);
}
