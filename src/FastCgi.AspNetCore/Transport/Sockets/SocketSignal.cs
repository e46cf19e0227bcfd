using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport.Sockets;

/// <summary>
/// One reusable operation of a socket. Its completion carries no execution context: the code that runs then serves
/// another request than the one that started the operation.
/// </summary>
internal sealed class SocketSignal : SocketAsyncEventArgs
{
    private const bool SuppressExecutionContext = true;

    private readonly object _owner;
    private readonly Action<object> _completed;

    /// <param name="owner">Whose operation it is.</param>
    /// <param name="completed">Called with the owner: one delegate without a closure serves all connections.</param>
    public SocketSignal(object owner, Action<object> completed)
        : base(SuppressExecutionContext)
    {
        _owner = owner;
        _completed = completed;
    }

    protected override void OnCompleted(SocketAsyncEventArgs e) => _completed(_owner);
}
