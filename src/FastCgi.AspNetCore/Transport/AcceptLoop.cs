namespace FastCgi.AspNetCore.Transport;

/// <summary>Takes connections off one listening socket, from its start until its stop.</summary>
internal abstract class AcceptLoop(Socket listening)
{
    /// <summary>More than any backlog holds: a stop ends even if peers connect faster than it accepts.</summary>
    private const int MostWaiting = 65_536;

    /// <summary>Several round trips of the network between a web server and its back end.</summary>
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

    /// <summary>Cancelled by the stop.</summary>
    protected CancellationToken Stopping => _stopping.Token;

    /// <summary>Begins to accept. Called once.</summary>
    public abstract void Start();

    /// <summary>
    /// Accepts on the thread pool until a call returns false, or fails after the stop has begun. Other failures pause.
    /// </summary>
    /// <returns>Completes when it has ended.</returns>
    public static Task AcceptInPool(Func<Task<bool>> accept, AcceptFailures failures, CancellationToken stopping)
    {
        // Without the caller's execution context: it would live on in every connection.
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

    /// <summary>When it completes, nothing is accepted any more, and the socket may close. Never throws.</summary>
    /// <param name="takesWaiting">
    /// Connections that wait are accepted, and new ones are refused, so that their peers ask another instance. False if
    /// the socket, and all that wait in it, are the next process's.
    /// </param>
    /// <param name="cancellationToken">The stop has no more time: do not wait for a callback that is under way.</param>
    public async Task StopAsync(bool takesWaiting, CancellationToken cancellationToken)
    {
        Task ended = EndAccepting();
#pragma warning disable CA1849 // Its callbacks are the server's own, and the thread pool may have no thread for them.
        _stopping.Cancel();
#pragma warning restore CA1849
        await ended.WaitAsync(cancellationToken).ConfigureAwait(
            ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        if (takesWaiting && ended.IsCompleted)
        {
            await TakeWaitingAsync(cancellationToken).ConfigureAwait(true);
        }
    }

    /// <summary>The stop begins. The task completes when no call that accepts is under way any more.</summary>
    protected abstract Task EndAccepting();

    /// <summary>Accepts one connection that waits; false if none did. Never throws.</summary>
    /// <param name="pause">Completes when there is room for the next; null if there is, or if none waits.</param>
    protected abstract bool TryTakeWaiting(out Func<CancellationToken, Task>? pause);

    /// <summary>
    /// A connection that still waits when its listening socket closes is reset, and its request is lost. A unix
    /// socket can refuse first and be emptied then; a TCP socket of Linux can be held first. Elsewhere nothing is
    /// possible but to refuse right behind the last one.
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
                // Only another accept tells whether one more waits. If so, there is one connection beyond the room.
                isBeyond = true;
            }
            else
            {
                // Connections that end make room.
                await pause(cancellationToken).ConfigureAwait(true);
                isBeyond = false;
            }
        }

        if (!canRefuseFirst)
        {
            Refuse();
        }
    }

    /// <summary>Whether a peer whose SYN came before the filter still completes its connection.</summary>
    private bool IsOnTheWay() =>
        Listening.Try(static socket => socket.Poll(s_handshakeTime, SelectMode.SelectRead), otherwise: false);

    /// <summary>Linux can do it. Elsewhere, as everywhere a moment later, the close does.</summary>
    private void Refuse() => Listening.Try(static socket => socket.Shutdown(SocketShutdown.Receive));

    /// <summary>
    /// Drops new SYNs, so that a listening TCP socket can be emptied before it closes: the close would reset a
    /// connection that came in between. False if the system cannot do it; the socket is unchanged then.
    /// </summary>
    /// <remarks>
    /// A client whose SYN was dropped sends it again after a second (RFC 6298, section 2.1). It is refused then, or
    /// accepted by the next process.
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
