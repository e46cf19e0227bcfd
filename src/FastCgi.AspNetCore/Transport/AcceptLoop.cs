namespace FastCgi.AspNetCore.Transport;

/// <summary>Accepts the connections of one listening socket, from its start until its stop.</summary>
internal abstract class AcceptLoop(Socket listening)
{
    /// <summary>More than any backlog: a stop ends even if peers connect faster than it accepts.</summary>
    private const int MostWaiting = 65_536;

    /// <summary>Several network round trips between a web server and its back end.</summary>
    private static readonly TimeSpan s_handshakeTime = TimeSpan.FromMilliseconds(20);

    private readonly CancellationTokenSource _stopping = new();

    // linux/socket.h, asm-generic/socket.h.
    private const int SocketLevel = 1;
    private const int AttachFilter = 26;

    // A segment with SYN and without ACK begins a connection: the flags are at byte 13 (RFC 9293, section 3.1).
    private static readonly Instruction[] s_synFilter =
    [
        new(Instruction.LoadByte, 0, 0, 13),
        new(Instruction.And, 0, 0, 0x12),
        new(Instruction.JumpIfEqual, 0, 1, 0x02),
        new(Instruction.Return, 0, 0, 0),
        new(Instruction.Return, 0, 0, uint.MaxValue),
    ];

    protected Socket Listening { get; } = listening;

    protected CancellationToken Stopping => _stopping.Token;

    /// <summary>Starts accepting. Called once.</summary>
    public abstract void Start();

    /// <summary>Accepts on the pool until a call returns false, or fails in a stop. Other failures pause.</summary>
    /// <returns>A task that completes when the loop has ended.</returns>
    public static Task AcceptInPool(Func<Task<bool>> accept, AcceptFailures failures, CancellationToken stopping)
    {
        // Without the caller's execution context, which every connection would otherwise keep.
        using (ExecutionContext.SuppressFlow())
        {
            return Task.Run(AcceptAllAsync, CancellationToken.None);
        }

        async Task AcceptAllAsync()
        {
            bool goesOn = true;
            while (goesOn)
            {
                try
                {
                    goesOn = await accept().ConfigureAwait(false);
                }
                catch (Exception) when (stopping.IsCancellationRequested)
                {
                    return;
                }
                catch (Exception exception)
                {
                    await failures.PauseAsync(exception, stopping).ConfigureAwait(false);
                }
            }
        }
    }

    /// <summary>Stops accepting. After that the socket may be closed. Never throws.</summary>
    /// <param name="takesWaiting">
    /// True to accept waiting connections and refuse new ones, so that their peers ask another instance. False if the
    /// next process gets the socket, with all connections that wait in it.
    /// </param>
    /// <param name="cancellationToken">Cancelled if the stop is out of time: do not wait for callbacks.</param>
    public async Task StopAsync(bool takesWaiting, CancellationToken cancellationToken)
    {
#pragma warning disable CA1849 // Its callbacks are the server's own, and the thread pool may have no thread for them.
        _stopping.Cancel();
#pragma warning restore CA1849
        Task ended = EndAccepting();
        await ended.WaitAsync(cancellationToken).ConfigureAwait(
            ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        if (takesWaiting && ended.IsCompleted)
        {
            await TakeWaitingAsync(cancellationToken).ConfigureAwait(true);
        }
    }

    /// <summary>The stop has begun. The task completes when no accept call is running any more.</summary>
    protected abstract Task EndAccepting();

    /// <summary>Accepts one waiting connection. False if there was none. Never throws.</summary>
    /// <param name="pause">Completes when there is room for the next one; null if there is, or none waits.</param>
    protected abstract bool TryTakeWaiting(out Func<CancellationToken, Task>? pause);

    /// <summary>
    /// Accepts the connections that still wait: the close of the listening socket would reset them and lose their
    /// requests. A unix socket can refuse first and then be emptied. On Linux, a TCP socket can first drop new
    /// connections. Elsewhere the socket can only refuse right after the last accept.
    /// </summary>
    private async Task TakeWaitingAsync(CancellationToken cancellationToken)
    {
        bool canRefuseFirst = Listening.AddressFamily == AddressFamily.Unix;
        if (canRefuseFirst)
        {
            Refuse();
        }

        bool isHeld = TryDropSyns();
        bool isBeyond = false;
        int taken = 0;
        while (taken < MostWaiting && !cancellationToken.IsCancellationRequested)
        {
            bool isTaken = TryTakeWaiting(out Func<CancellationToken, Task>? pause);
            taken += isTaken ? 1 : 0;
            if (pause is null)
            {
                if (!isTaken && !(isHeld && IsOnTheWay()))
                {
                    break;
                }
            }
            else if (isTaken && !isBeyond)
            {
                // Only another accept shows whether one more waits. If so, one connection is accepted beyond the room.
                isBeyond = true;
            }
            else
            {
                // Room is made when other connections end.
                await pause(cancellationToken).ConfigureAwait(true);
                isBeyond = false;
            }
        }

        if (!canRefuseFirst)
        {
            Refuse();
        }
    }

    /// <summary>True if a peer whose SYN came before the filter still completes its connection.</summary>
    private bool IsOnTheWay() =>
        Listening.Try(static socket => socket.Poll(s_handshakeTime, SelectMode.SelectRead), otherwise: false);

    /// <summary>Refuses new connections. Works on Linux only; elsewhere the close does it a moment later.</summary>
    private void Refuse() => Listening.Try(static socket => socket.Shutdown(SocketShutdown.Receive));

    /// <summary>
    /// Drops new SYNs, so that a listening TCP socket can be emptied before it closes: the close would reset a
    /// connection that came in between. False if the system cannot do it. Then the socket is unchanged.
    /// </summary>
    /// <remarks>
    /// A client repeats a dropped SYN after a second (RFC 6298, section 2.1). Then it is refused, or accepted by the
    /// next process.
    /// </remarks>
    private unsafe bool TryDropSyns() =>
        OperatingSystem.IsLinux() && Listening.AddressFamily != AddressFamily.Unix && Listening.Try(static socket =>
        {
            fixed (Instruction* instructions = s_synFilter)
            {
                var program = new FilterProgram { Length = (ushort)s_synFilter.Length, Instructions = instructions };
                socket.SetRawSocketOption(
                    SocketLevel, AttachFilter, new ReadOnlySpan<byte>(&program, sizeof(FilterProgram)));
            }
        });

    /// <summary>struct sock_filter of linux/filter.h: classic BPF.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private readonly record struct Instruction(ushort Code, byte IfTrue, byte IfFalse, uint Operand)
    {
        public const ushort LoadByte = 0x30;
        public const ushort And = 0x54;
        public const ushort JumpIfEqual = 0x15;
        public const ushort Return = 0x06;
    }

    /// <summary>struct sock_fprog of linux/filter.h.</summary>
    [StructLayout(LayoutKind.Sequential)]
    private unsafe struct FilterProgram
    {
        public ushort Length;
        public Instruction* Instructions;
    }
}
