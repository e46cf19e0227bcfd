namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>Whether the socket waits for a body, and for what. The body's lock guards it.</summary>
internal struct BodyPause
{
    private Reason _reason;

    private enum Reason
    {
        None,

        /// <summary>Until the application has read.</summary>
        Room,

        /// <summary>Until the temporary file has taken the bytes that wait for it.</summary>
        Disk,
    }

    /// <summary>The socket has to wait: for the disk, or for a reader that it may wait for.</summary>
    public static bool IsWanted(BodyQueue queue, BodySpill? spill, bool mayWaitForReader) =>
        ReasonFor(queue, spill, mayWaitForReader) != Reason.None;

    /// <summary>False: there is room already.</summary>
    public bool TryBegin(BodyQueue queue, BodySpill? spill, bool mayWaitForReader)
    {
        _reason = ReasonFor(queue, spill, mayWaitForReader);
        return _reason != Reason.None;
    }

    /// <summary>True: the socket waited, and is read again now, <paramref name="always"/> if it waited.</summary>
    public bool TryEnd(BodyQueue queue, BodySpill? spill, bool waitsForReader, bool always)
    {
        bool ends = _reason switch
        {
            Reason.Room => always || !queue.IsFull || !waitsForReader,
            Reason.Disk => always || spill is not { HasCaughtUp: false },
            _ => false,
        };
        _reason = ends ? Reason.None : _reason;
        return ends;
    }

    private static Reason ReasonFor(BodyQueue queue, BodySpill? spill, bool mayWaitForReader) =>
        spill is { IsBehind: true } ? Reason.Disk
        : queue.IsFull && mayWaitForReader ? Reason.Room
        : Reason.None;
}
