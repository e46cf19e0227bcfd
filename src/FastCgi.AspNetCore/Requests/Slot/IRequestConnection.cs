using System.Net;
using System.Net.Sockets;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Requests.Body;

namespace FastCgi.AspNetCore.Requests.Slot;

/// <summary>
/// The connection of a request. What an application may keep holds the connection itself and not the slot, which serves
/// another connection by then: a late call never reaches a stranger.
/// </summary>
internal interface IRequestConnection : IBodySource
{
    string Id { get; }

    EndPoint? LocalEndPoint { get; }

    EndPoint? RemoteEndPoint { get; }

    /// <summary>The application may look at it and set its options.</summary>
    Socket Socket { get; }

    /// <summary>Tags that the metric of the connection's duration gets; null where nobody measures that.</summary>
    ICollection<KeyValuePair<string, object?>>? MetricsTags { get; }

    /// <summary>Cancelled on the thread pool when the socket is gone.</summary>
    CancellationToken Closed { get; }

    /// <summary>Cancelled on the thread pool when the connection takes no further request.</summary>
    CancellationToken CloseRequested { get; }

    /// <summary>
    /// True when responses are cut into records. False: the bytes of the response are sent as they are, and the close
    /// of the connection ends it.
    /// </summary>
    bool HasRecords { get; }

    /// <summary>
    /// A request that asks for it may take the connection over, see <see cref="ConnectionUpgrade"/>.
    /// </summary>
    bool AllowsUpgrade { get; }

    /// <summary>The folders whose files the web server sends itself; null for none.</summary>
    HandoverFolders? HandoverFolders { get; }

    /// <summary>Where the records of the responses go.</summary>
    ISendQueue Output { get; }

    /// <summary>The application keeps the thread that received the request: others read the socket.</summary>
    void OnThreadKept();

    /// <summary>The connection takes no request after those that are running.</summary>
    void RequestClose();

    /// <summary>Closes the socket at once, whatever else runs on it.</summary>
    void Abort(string reason);
}
