using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport.Sockets;

/// <summary>
/// One reusable operation of a socket. Its completion carries no execution context: the code that runs then serves
/// another request than the one that started the operation.
/// </summary>
internal sealed class SocketSignal : SocketAsyncEventArgs
{
    private const bool SuppressExecutionContext = true;

    private readonly SocketsConnection _connection;
    private readonly Action<SocketsConnection> _completed;

    /// <param name="connection">Whose operation it is.</param>
    /// <param name="completed">Without a closure: one delegate serves all connections.</param>
    public SocketSignal(SocketsConnection connection, Action<SocketsConnection> completed)
        : base(SuppressExecutionContext)
    {
        _connection = connection;
        _completed = completed;
    }

    protected override void OnCompleted(SocketAsyncEventArgs e) => _completed(_connection);
}
