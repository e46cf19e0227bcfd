using System.ComponentModel;
using System.Runtime.InteropServices;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>An epoll instance (epoll(7)) with a descriptor that wakes every waiter for the stop.</summary>
internal sealed partial class EpollSet : IDisposable
{
    public const uint Readable = 0x001;
    public const uint Writable = 0x004;
    public const uint Error = 0x008;
    public const uint HangUp = 0x010;
    public const uint ReadHangUp = 0x2000;
    public const uint EdgeTriggered = 1u << 31;

    /// <summary>The data of the event that says: stop.</summary>
    public const ulong StopData = ulong.MaxValue;

    private const int CloseOnExec = 0x80000;
    private const int NonBlocking = 0x800;
    private const int Add = 1;
    private const int Modify = 3;
    private const int Interrupted = 4;

    // struct epoll_event { uint32_t events; uint64_t data; } is packed on x86-64 and nowhere else.
    private static readonly int s_dataOffset = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 4 : 8;
    private static readonly int s_eventSize = s_dataOffset + sizeof(ulong);

    private readonly int _set;
    private readonly int _stop;

    public EpollSet()
    {
        _set = Check(EpollCreate(CloseOnExec), "epoll_create1");
        _stop = Check(EventFd(0, CloseOnExec | NonBlocking), "eventfd");
        Control(Add, _stop, Readable, StopData);
    }

    public void Register(int descriptor, uint events, ulong data) => Control(Add, descriptor, events, data);

    /// <summary>Changes the events, and reports anew whatever of them is the case already.</summary>
    public void Change(int descriptor, uint events, ulong data) => Control(Modify, descriptor, events, data);

    /// <summary>Waits for one event; false when the time was over first. A negative time-out waits for ever.</summary>
    public unsafe bool TryWait(int timeoutMilliseconds, out uint events, out ulong data)
    {
        byte* buffer = stackalloc byte[sizeof(ulong) * 2];
        int count;
        do
        {
            count = EpollWait(_set, buffer, 1, timeoutMilliseconds);
        }
        while (count < 0 && Marshal.GetLastPInvokeError() == Interrupted);

        Check(count, "epoll_wait");
        events = *(uint*)buffer;
        data = Marshal.ReadInt64((nint)(buffer + s_dataOffset)) is var value ? (ulong)value : 0;
        return count > 0;
    }

    /// <summary>Wakes all that wait, now and later, with <see cref="StopData"/>.</summary>
    public unsafe void Stop()
    {
        ulong one = 1;
        Write(_stop, &one, sizeof(ulong));
    }

    public void Dispose()
    {
        CloseDescriptor(_stop);
        CloseDescriptor(_set);
    }

    private unsafe void Control(int operation, int descriptor, uint events, ulong data)
    {
        byte* item = stackalloc byte[s_eventSize];
        *(uint*)item = events;
        Marshal.WriteInt64((nint)(item + s_dataOffset), (long)data);
        Check(EpollControl(_set, operation, descriptor, item), "epoll_ctl");
    }

    private static int Check(int result, string call) => result >= 0
        ? result
        : throw new Win32Exception(Marshal.GetLastPInvokeError(), $"{call} failed: {Marshal.GetLastPInvokeErrorMessage()}");

    [LibraryImport("libc", EntryPoint = "epoll_create1", SetLastError = true)]
    private static partial int EpollCreate(int flags);

    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    private static unsafe partial int EpollControl(int set, int operation, int descriptor, byte* item);

    [LibraryImport("libc", EntryPoint = "epoll_wait", SetLastError = true)]
    private static unsafe partial int EpollWait(int set, byte* events, int maxEvents, int timeout);

    [LibraryImport("libc", EntryPoint = "eventfd", SetLastError = true)]
    private static partial int EventFd(uint value, int flags);

    [LibraryImport("libc", EntryPoint = "write", SetLastError = true)]
    private static unsafe partial nint Write(int descriptor, void* data, nint count);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    private static partial int CloseDescriptor(int descriptor);
}
