using System.Net.Sockets;

namespace FastCgi.AspNetCore.Transport.Sockets;

/// <summary>
/// One reusable operation of a socket. Its completion carries no execution context: the code that runs then serves
/// another request than the one that started the operation.
/// </summary>
internal sealed class SocketSignal : SocketAsyncEventArgs
{
    private const bool SuppressExecutionContext = true;

    private readonly Action _completed;

    public SocketSignal(Action completed)
        : base(SuppressExecutionContext) => _completed = completed;

    protected override void OnCompleted(SocketAsyncEventArgs e) => _completed();
}
