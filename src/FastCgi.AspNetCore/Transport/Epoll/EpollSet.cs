using System.ComponentModel;
using System.Runtime.CompilerServices;
using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Transport.Epoll;

/// <summary>
/// The epoll instance of a transport, with the eventfd that wakes all waiting threads at the stop. Each descriptor has
/// a token that identifies its owner.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe partial class EpollSet : IEpollSet, IEventSource, IDisposable
{
    /// <summary>Enough for both layouts of struct epoll_event.</summary>
    public const int SizeOfEvent = 16;

    /// <summary>The token of the wake-up event. No connection has it.</summary>
    public const ulong WakeToken = ulong.MaxValue;

    // struct epoll_event { u32 events; u64 data; } is packed on x86 and x64 only.
    private static readonly int DataOffset =
        RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.X86 ? 4 : 8;

    private static readonly int s_stride = DataOffset + sizeof(ulong);

    private const int CloseOnExec = 0x80000;
    private const int NonBlocking = 0x800;
    private const int Add = 1;
    private const int Modify = 3;

    private readonly SafeFileHandle _set;
    private readonly SafeFileHandle _wake;

    public EpollSet()
    {
        _set = Create(CloseOnExec);
        ThrowIf(_set.IsInvalid);
        _wake = CreateEvent(0, CloseOnExec | NonBlocking);
        ThrowIf(_wake.IsInvalid);

        // Level-triggered and never read: once written, it wakes all threads, even those that begin to wait later.
        ThrowIf(Control(Add, _wake, EpollEvents.Readable, WakeToken) < 0);
    }

    public int TryWatch(SafeHandle descriptor, bool isWatched, EpollEvents events, ulong token) =>
        Control(isWatched ? Modify : Add, descriptor, events, token) < 0 ? Marshal.GetLastPInvokeError() : 0;

    public bool HasRoom()
    {
        // Asks for no event, and leaves the set when it is closed.
        using SafeFileHandle another = CreateEvent(0, CloseOnExec);
        return !another.IsInvalid && Control(Add, another, default, WakeToken) == 0;
    }

    /// <summary>
    /// Waits for at most as many events as <paramref name="memory"/> holds. Returns their number: 0 after the timeout,
    /// or if a signal interrupted the wait.
    /// </summary>
    // Not inlined: inside the try block of the worker, the native call would need a stub.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public int Wait(Span<byte> memory, int timeoutMilliseconds)
    {
        fixed (byte* events = memory)
        {
            int count = Wait((int)_set.DangerousGetHandle(), events, memory.Length / SizeOfEvent, timeoutMilliseconds);
            if (count < 0 && Marshal.GetLastSystemError() is var error && error != ErrorNumber.Interrupted)
            {
                throw new Win32Exception(error);
            }

            return Math.Max(count, 0);
        }
    }

    /// <summary>The event at <paramref name="index"/> of the last <see cref="Wait(Span{byte}, int)"/>.</summary>
    public static EpollEvent EventAt(ReadOnlySpan<byte> memory, int index)
    {
        ReadOnlySpan<byte> entry = memory[(index * s_stride)..];
        return new EpollEvent(
            (EpollEvents)MemoryMarshal.Read<uint>(entry), MemoryMarshal.Read<ulong>(entry[DataOffset..]));
    }

    /// <summary>Wakes all threads permanently.</summary>
    public void WakeAll()
    {
        ulong one = 1;
        _ = Write(_wake, (byte*)&one, sizeof(ulong));
    }

    /// <summary>Closes both descriptors. No thread may wait any more.</summary>
    public void Dispose()
    {
        _wake.Dispose();
        _set.Dispose();
    }

    private static void ThrowIf(bool failed)
    {
        if (failed)
        {
            throw new Win32Exception(Marshal.GetLastPInvokeError());
        }
    }

    private int Control(int operation, SafeHandle descriptor, EpollEvents events, ulong token)
    {
        byte* memory = stackalloc byte[SizeOfEvent];
        *(EpollEvents*)memory = events;
        *(ulong*)(memory + DataOffset) = token;
        return ControlSet(_set, operation, descriptor, memory);
    }

    [LibraryImport("libc", EntryPoint = "epoll_create1", SetLastError = true)]
    private static partial SafeFileHandle Create(int flags);

    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    private static partial int ControlSet(SafeHandle set, int operation, SafeHandle descriptor, byte* interest);

    [LibraryImport("libc", EntryPoint = "epoll_wait")]
    private static partial int Wait(int set, byte* events, int maxEvents, int timeoutMilliseconds);

    [LibraryImport("libc", EntryPoint = "eventfd", SetLastError = true)]
    private static partial SafeFileHandle CreateEvent(uint initial, int flags);

    [LibraryImport("libc", EntryPoint = "write")]
    private static partial nint Write(SafeHandle descriptor, byte* data, nuint count);
}

/// <summary>
/// Finds the owners of the descriptors in a set by the token of an event. A token consists of a slot (low half) and the
/// number of times the slot was used (high half). So an event that was fetched before its descriptor closed does not
/// reach the next owner of the slot.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class EpollTargets(IEpollSet set)
{
    private const int InitialSize = 64;

    private readonly Lock _lock = new();
    private readonly Stack<int> _free = new();
    private IEpollTarget?[] _slots = new IEpollTarget?[InitialSize];
    private uint[] _uses = new uint[InitialSize];
    private int _used;

    // True if the system refuses to watch another descriptor (fs.epoll.max_user_watches).
    private volatile bool _isFull;

    /// <summary>Limits the log entries about connections that are lost because the set is full.</summary>
    public LogInterval Refusals { get; } = new(TimeProvider.System);

    /// <summary>Takes a slot and gives the target the token to register with.</summary>
    public void Add(IEpollTarget target)
    {
        lock (_lock)
        {
            int slot = _free.TryPop(out int free) ? free : _used++;
            if (slot == _slots.Length)
            {
                Grow();
            }

            // Set before the target can be found, because a thread with an old event may compare it at any moment. The
            // highest bit stays clear, so that no token equals that of the wake-up event.
            target.Token = ((ulong)(++_uses[slot] & int.MaxValue) << 32) | (uint)slot;
            Volatile.Write(ref _slots[slot], target);
        }
    }

    /// <summary>Frees the slot. Its token no longer finds anything.</summary>
    public void Remove(IEpollTarget target)
    {
        lock (_lock)
        {
            // Otherwise it was never added, or is already removed.
            if (Find(target.Token) == target)
            {
                int slot = (int)(uint)target.Token;
                Volatile.Write(ref _slots[slot], null);
                _free.Push(slot);
            }
        }
    }

    /// <summary>Null if the descriptor was closed since the event was fetched. Takes no lock.</summary>
    public IEpollTarget? Find(ulong token)
    {
        IEpollTarget?[] slots = Volatile.Read(ref _slots);
        uint slot = (uint)token;
        IEpollTarget? target = slot < (uint)slots.Length ? Volatile.Read(ref slots[slot]) : null;
        return target is not null && target.Token == token ? target : null;
    }

    /// <summary>
    /// Watches a descriptor for <paramref name="events"/>, and reports the events that are already true. Returns the
    /// error number, or 0 for success and for a closed descriptor.
    /// </summary>
    public int Arm(SafeHandle descriptor, bool isWatched, EpollEvents events, ulong token)
    {
        try
        {
            int error = set.TryWatch(descriptor, isWatched, events, token);
            if (error is ErrorNumber.NoSpace or ErrorNumber.OutOfMemory)
            {
                _isFull = true;
            }

            return error;
        }
        catch (ObjectDisposedException)
        {
            return 0;
        }
    }

    /// <summary>True if the set refuses another descriptor. While true, each call asks the system again.</summary>
    public bool IsFull()
    {
        if (_isFull && set.HasRoom())
        {
            _isFull = false;
        }

        return _isFull;
    }

    private void Grow()
    {
        Array.Resize(ref _uses, _uses.Length * 2);
        IEpollTarget?[] larger = new IEpollTarget?[_slots.Length * 2];
        _slots.CopyTo(larger, 0);
        Volatile.Write(ref _slots, larger);
    }
}

/// <summary>The owner of a descriptor in the set.</summary>
internal interface IEpollTarget
{
    /// <summary>The number that the kernel returns with each event. Set while the target is in the table.</summary>
    ulong Token { get; set; }

    /// <summary>Handles an event, on a waiting thread that an application may then keep.</summary>
    void OnEvents(EpollEvents events);

    /// <summary>Reports the current events again. The target handles a refusal by the system.</summary>
    void Rearm();
}

/// <summary>The event bits of epoll(7), and their meaning for a socket.</summary>
[Flags]
internal enum EpollEvents : uint
{
    /// <summary>EPOLLIN: bytes, or an end of stream.</summary>
    Readable = 0x1,

    /// <summary>EPOLLOUT: room in the send buffer.</summary>
    Writable = 0x4,

    /// <summary>EPOLLERR: the connection was reset. Always reported.</summary>
    Error = 0x8,

    /// <summary>EPOLLHUP: both directions have ended. Always reported.</summary>
    HangUp = 0x10,

    /// <summary>EPOLLRDHUP: the peer ended its direction.</summary>
    EndOfInput = 0x2000,

    /// <summary>EPOLLET: one event for each change, not for as long as a state lasts.</summary>
    EdgeTriggered = 0x80000000,
}

/// <summary>The kernel's report on one descriptor, and the token of the descriptor.</summary>
internal readonly record struct EpollEvent(EpollEvents Events, ulong Token);

/// <summary>The calls of an epoll instance for one descriptor. An interface, so that tests can let them fail.</summary>
internal interface IEpollSet
{
    /// <summary>
    /// Adds a descriptor, or changes the events of a watched one. Reports the events that are already true. Returns the
    /// error number, or 0.
    /// </summary>
    int TryWatch(SafeHandle descriptor, bool isWatched, EpollEvents events, ulong token);

    /// <summary>True if the system would watch one more descriptor.</summary>
    bool HasRoom();
}

/// <summary>The source of a thread's events. An interface, so that tests can script them.</summary>
internal interface IEventSource
{
    int Wait(Span<byte> memory, int timeoutMilliseconds);
}
