using System.Net;
using System.Net.Sockets;
using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Files;
using FastCgi.AspNetCore.Requests.Slot;
using FastCgi.AspNetCore.Transport;
using FastCgi.Protocol;

namespace FastCgi.AspNetCore.Connections;

/// <summary>A connection, as its slots and its parts see it. What changes something takes the gate by itself.</summary>
internal interface ISlotHost : IRequestConnection
{
    TransportConnection Transport { get; }

    /// <summary>The measurements of the connection; null for none.</summary>
    ConnectionMetricsContext? Metrics { get; }

    /// <summary>
    /// The options of the endpoint that accepted the connection. They do not change after the start.
    /// </summary>
    FastCgiListenOptions Endpoint { get; }

    new SendQueue Output { get; }

    EndPoint? IRequestConnection.LocalEndPoint => Transport.LocalEndPoint;

    EndPoint? IRequestConnection.RemoteEndPoint => Transport.RemoteEndPoint;

    Socket IRequestConnection.Socket => Transport.Socket;

    ICollection<KeyValuePair<string, object?>>? IRequestConnection.MetricsTags => Metrics?.DurationTags;

    bool IRequestConnection.AllowsUpgrade => Endpoint.AllowUpgrade;

    HandoverFolders? IRequestConnection.HandoverFolders => Endpoint.FileHandover.Folders;

    ISendQueue IRequestConnection.Output => Output;

    bool TryUpgrade(RequestSlot slot);

    /// <inheritdoc cref="IRequestSlot.End"/>
    bool End(RequestSlot slot, ArraySegment<byte> last, ProtocolStatus status);

    void Tear(RequestSlot slot, object? owner);

    /// <inheritdoc cref="IRequestSlot.OnApplicationDone"/>
    void OnApplicationDone(RequestSlot slot, bool isOffTheWire);

    /// <summary>The socket is closed, and no request waits for it any more. Once.</summary>
    void OnReleased(ConnectionEndReason reason);
}
