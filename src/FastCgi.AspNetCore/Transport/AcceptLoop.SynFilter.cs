using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace FastCgi.AspNetCore.Transport;

internal abstract partial class AcceptLoop
{
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

    /// <summary>
    /// Drops new SYNs, so that a listening TCP socket can be emptied before it closes: the close would reset a
    /// connection that came in between. False if the system cannot do it; the socket is unchanged then.
    /// </summary>
    /// <remarks>
    /// A client whose SYN was dropped sends it again after a second (RFC 6298, section 2.1). It is refused then, or
    /// accepted by the next process.
    /// </remarks>
    private static unsafe bool TryDropSyns(Socket listening)
    {
        if (!OperatingSystem.IsLinux() || listening.AddressFamily == AddressFamily.Unix)
        {
            return false;
        }

        fixed (Instruction* instructions = s_synFilter)
        {
            var program = new FilterProgram { Length = (ushort)s_synFilter.Length, Instructions = instructions };
            try
            {
                listening.SetRawSocketOption(
                    SocketLevel, AttachFilter, new ReadOnlySpan<byte>(&program, sizeof(FilterProgram)));
                return true;
            }
            catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
            {
                return false;
            }
        }
    }

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
