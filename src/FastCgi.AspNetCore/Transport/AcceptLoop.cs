using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport;

/// <summary>Takes connections off one listening socket, from its start until its stop.</summary>
internal abstract class AcceptLoop
{
    /// <summary>
    /// More than any backlog holds, so that a stop ends even where somebody connects faster than anybody accepts.
    /// </summary>
    private const int MostWaiting = 65_536;

    /// <summary>Begins to accept. Called once.</summary>
    public abstract void Start();

    /// <summary>
    /// Nothing is accepted any more when the task has completed; the listening socket is open until then. Called once.
    /// </summary>
    /// <param name="takesWaiting">
    /// Whoever has connected is accepted, and whoever connects from now on is refused and asks another instance. Not
    /// where the socket, and all that wait in it, are the next process's.
    /// </param>
    public abstract Task StopAsync(bool takesWaiting);

    /// <summary>Accepts one that waits; false when none does.</summary>
    protected abstract bool TryTakeWaiting();

    /// <summary>
    /// What still waits when a listening socket closes is reset, and with it the request that it has brought. A unix
    /// socket can refuse first and be emptied then; on TCP nothing is possible but to refuse right behind the last one.
    /// </summary>
    protected void TakeWaiting(Socket listening)
    {
        bool canRefuseFirst = listening.AddressFamily == AddressFamily.Unix;
        if (canRefuseFirst)
        {
            Refuse(listening);
        }

        int taken = 0;
        while (taken < MostWaiting && TryTakeWaiting())
        {
            taken++;
        }

        if (!canRefuseFirst)
        {
            Refuse(listening);
        }
    }

    private static void Refuse(Socket listening)
    {
        try
        {
            listening.Shutdown(SocketShutdown.Receive);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // Linux can do it. Elsewhere, as everywhere a moment later, the close does.
        }
    }
}
