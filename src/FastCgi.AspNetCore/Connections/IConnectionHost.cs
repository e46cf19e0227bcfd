using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Connections;

/// <summary>The connections of a started server, as its start and its stop see them.</summary>
internal interface IConnectionHost : IDisposable
{
    int Count { get; }

    /// <summary>Takes an accepted socket over, or closes it when there are too many. Never throws.</summary>
    void OnAccepted(TransportConnection transport);

    /// <summary>Asks each connection to end: idle ones now, busy ones after their requests.</summary>
    void RequestClose();

    /// <summary>Waits until no connection and no request is left: true; false when the token came first.</summary>
    Task<bool> WaitForAllAsync(CancellationToken token);

    /// <summary>Ends every connection now; what runs on them is aborted.</summary>
    void AbortAll();
}
