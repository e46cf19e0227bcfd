using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport.Sockets;

/// <summary>
/// A receive of no bytes completes when there is something to read, on a thread-pool thread, which then holds the
/// reading role; to give the role back is to start the next such receive. So there is never more than one.
/// </summary>
internal sealed class SocketsConnection : SocketConnection, IThreadPoolWorkItem
{
    private readonly SocketAsyncEventArgs _readable = new(true);
    private SocketAsyncEventArgs? _sender;
    private ReadOnlyMemory<byte> _unsent;

    public SocketsConnection(Socket socket)
        : base(socket)
    {
        _readable.SetBuffer(Memory<byte>.Empty);
        _readable.Completed += (_, _) => Handler.OnReadable();
    }

    public override bool TryEndReading() => TryAwaitReadable();

    public override void PauseReading()
    {
        // Nothing is under way while the role is held, so there is nothing to stop.
    }

    public override void ResumeReading()
    {
        if (!TryAwaitReadable())
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    void IThreadPoolWorkItem.Execute() => Handler.OnReadable();

    public override void SendLater(ReadOnlyMemory<byte> data)
    {
        _unsent = data;
        ThreadPool.UnsafeQueueUserWorkItem(static connection => connection.SendRest(), this, preferLocal: false);
    }

    protected override void StartReporting() => ResumeReading();

    /// <summary>False: it can be read already, by the caller.</summary>
    private bool TryAwaitReadable()
    {
        try
        {
            return Socket.ReceiveAsync(_readable);
        }
        catch (ObjectDisposedException)
        {
            // Closed: nobody reads any more, and nobody may think that it has the role.
            return true;
        }
    }

    private void SendRest()
    {
        if (_sender is null)
        {
            _sender = new SocketAsyncEventArgs(true);
            _sender.Completed += (_, completed) => OnSent(completed, goOn: true);
        }

        try
        {
            do
            {
                _sender.SetBuffer(System.Runtime.InteropServices.MemoryMarshal.AsMemory(_unsent));
                if (Socket.SendAsync(_sender))
                {
                    return;
                }
            }
            while (OnSent(_sender, goOn: false));
        }
        catch (ObjectDisposedException)
        {
            Handler.OnSendCompleted(succeeded: false);
        }
    }

    /// <summary>True when there is more to send and the caller is to go on with it.</summary>
    private bool OnSent(SocketAsyncEventArgs completed, bool goOn)
    {
        if (completed.SocketError != SocketError.Success)
        {
            Handler.OnSendCompleted(succeeded: false);
            return false;
        }

        _unsent = _unsent[completed.BytesTransferred..];
        if (_unsent.IsEmpty)
        {
            Handler.OnSendCompleted(succeeded: true);
            return false;
        }

        if (goOn)
        {
            SendRest();
            return false;
        }

        return true;
    }
}
