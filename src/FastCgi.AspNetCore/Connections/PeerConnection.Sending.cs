using FastCgi.AspNetCore.Diagnostics;
using FastCgi.AspNetCore.Transport;

namespace FastCgi.AspNetCore.Connections;

/// <summary>What the requests and the connection itself send.</summary>
internal abstract partial class PeerConnection
{
    /// <summary>A send has found the socket lost.</summary>
    void IThreadPoolWorkItem.Execute() => Lose(ConnectionEndReason.ConnectionReset);

    void ITransportHandler.OnSendCompleted(bool succeeded)
    {
        Output.OnSendCompleted(succeeded);
        if (!succeeded)
        {
            Lose(ConnectionEndReason.ConnectionReset);
        }
    }

    /// <summary>Says that a request has ended whose response was ended before. Under the gate.</summary>
    protected abstract void SendEndRequest(ushort requestId);

    /// <summary>Lets the peer see that a response broke off, as far as the protocol can. Under the gate.</summary>
    protected abstract void SendBreak();

    /// <summary>The close of the socket is to look like a failure to the peer. TCP only.</summary>
    protected void CloseByReset() => _transport.ResetOnClose();
}
