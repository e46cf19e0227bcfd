using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Requests.Body;
using FastCgi.AspNetCore.Requests.Slot;
using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Connections;

/// <summary>A connection, as its slots and its parts see it. What changes something takes the gate by itself.</summary>
internal interface ISlotHost : IBodySource
{
    string Id { get; }

    TransportConnection Transport { get; }

    /// <summary>What is measured of the connection; null for nothing.</summary>
    ConnectionMetricsContext? Metrics { get; }

    CancellationToken Closed { get; }

    CancellationToken CloseRequested { get; }

    bool HasRecords { get; }

    /// <summary>What the connection was accepted for. Its options do not change after the start.</summary>
    FastCgiListenOptions Endpoint { get; }

    SendQueue Output { get; }

    bool TryUpgrade(RequestSlot slot);

    void RequestClose();

    void Abort(string reason);

    /// <summary>Enters the gate; <see cref="FinishEnd"/> leaves it.</summary>
    ResponseEnd BeginEnd(RequestSlot slot);

    void FinishEnd(RequestSlot slot, ResponseEnd end);

    void Tear(RequestSlot slot);

    void OnApplicationDone(RequestSlot slot);

    /// <summary>The socket is closed, and no request waits for it any more. Once.</summary>
    void OnReleased(ConnectionEndReason reason);
}
