using System.ComponentModel;
using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// A socket in the shared set, edge-triggered. The reading role is one word: the number of events since it was taken.
/// The event that finds zero takes the role; one that comes during reading only counts, and the number that has grown
/// meanwhile keeps <see cref="TryEndReading"/> from giving the role back too early.
/// </summary>
internal sealed class EpollConnection : SocketConnection
{
    private const uint ReadEvents = EpollSet.Readable | EpollSet.ReadHangUp | EpollSet.EdgeTriggered;
    private const int Paused = 1 << 30;

    private readonly EpollSet _set;
    private readonly ConnectionSlots _slots;
    private readonly PendingSend _send;
    private int _events;
    private int _eventsSeen;

    public EpollConnection(Socket socket, EpollSet set, ConnectionSlots slots)
        : base(socket)
    {
        _set = set;
        _slots = slots;
        _send = new PendingSend(this);
    }

    /// <summary>What the events of this connection carry.</summary>
    public ulong Data { get; private set; }

    public override bool TryEndReading()
    {
        if (Interlocked.CompareExchange(ref _events, 0, _eventsSeen) == _eventsSeen)
        {
            return true;
        }

        _eventsSeen = Volatile.Read(ref _events);
        return false;
    }

    public override void PauseReading() => Volatile.Write(ref _events, Paused);

    public override void ResumeReading()
    {
        Volatile.Write(ref _events, 0);
        Change(ReadEvents);
    }

    public override void SendLater(ReadOnlyMemory<byte> data)
    {
        _send.Begin(data);
        Change(ReadEvents | EpollSet.Writable);
        if (IsClosed)
        {
            // Closed in between: nobody would ever report it.
            _send.OnClosed();
        }
    }

    /// <summary>On a thread of the transport, which may run an application from here.</summary>
    public void OnEvent(uint events)
    {
        if ((events & (EpollSet.Error | EpollSet.HangUp)) != 0 || ((events & EpollSet.ReadHangUp) != 0 && !IsUnix))
        {
            Handler.OnPeerGone();
            return;
        }

        if ((events & EpollSet.Writable) != 0)
        {
            _send.OnWritable();
        }

        if ((events & (EpollSet.Readable | EpollSet.ReadHangUp)) != 0 && Interlocked.Increment(ref _events) == 1)
        {
            _eventsSeen = 1;
            Handler.OnReadable();
        }
    }

    public void OnSendCompleted(bool succeeded)
    {
        if (succeeded)
        {
            // Writable again and again is no news: on a unix socket every read of the peer would wake a thread.
            Change(ReadEvents);
        }

        Handler.OnSendCompleted(succeeded);
    }

    protected override void StartReporting()
    {
        Data = _slots.Add(this);
        WithDescriptor(static (connection, descriptor) =>
            connection._set.Register(descriptor, ReadEvents, connection.Data));
    }

    protected override void OnClosing()
    {
        if (Data != 0)
        {
            _slots.Remove(Data);
        }

        _send.OnClosed();
    }

    private void Change(uint events)
    {
        if (events == ReadEvents)
        {
            WithDescriptor(static (connection, descriptor) =>
                connection._set.Change(descriptor, ReadEvents, connection.Data));
        }
        else
        {
            WithDescriptor(static (connection, descriptor) =>
                connection._set.Change(descriptor, ReadEvents | EpollSet.Writable, connection.Data));
        }
    }

    /// <summary>Keeps the descriptor from being closed, and so from belonging to somebody else, during the call.</summary>
    private void WithDescriptor(Action<EpollConnection, int> action)
    {
        bool held = false;
        try
        {
            Socket.SafeHandle.DangerousAddRef(ref held);
            action(this, (int)Socket.SafeHandle.DangerousGetHandle());
        }
        catch (ObjectDisposedException)
        {
            // Closed meanwhile: there is nothing to report on it any more.
        }
        catch (Win32Exception) when (IsClosed)
        {
            // The same, seen by the kernel first.
        }
        finally
        {
            if (held)
            {
                Socket.SafeHandle.DangerousRelease();
            }
        }
    }
}
