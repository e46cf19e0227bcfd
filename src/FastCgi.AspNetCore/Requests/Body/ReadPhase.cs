using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>Where the reader of a body stands. <see cref="ReadPhases"/> has every transition.</summary>
internal enum ReadPhase
{
    /// <summary>No read is under way.</summary>
    Idle,

    /// <summary>A read waits.</summary>
    Waiting,

    /// <summary>A read waited, and its result is there to be taken.</summary>
    Ready,

    /// <summary>A result was taken: AdvanceTo comes next.</summary>
    Lent,

    /// <summary>A result was cancelled, or there was none: AdvanceTo may come next.</summary>
    Offered,

    /// <summary>The application has completed the reader.</summary>
    Completed,

    /// <summary>The request has ended.</summary>
    Over,
}

/// <summary>The events of the reader of a body.</summary>
internal enum ReadEvent
{
    /// <summary>A read found nothing and waits.</summary>
    Wait,

    /// <summary>A read that waits has a result.</summary>
    Wake,

    /// <summary>The application takes the result of a read that waited.</summary>
    Resume,

    /// <summary>Content was handed out.</summary>
    Lend,

    /// <summary>A cancelled result was handed out, or none.</summary>
    Offer,

    /// <summary>The application said what it has used.</summary>
    Advance,

    /// <summary>The application reads no more.</summary>
    Complete,

    /// <summary>The request has ended.</summary>
    End,
}

/// <summary>The transitions of <see cref="ReadPhase"/>.</summary>
internal static class ReadPhases
{
    /// <summary>The phase after <paramref name="happened"/>.</summary>
    /// <exception cref="InvalidOperationException">The event cannot happen in this phase.</exception>
    public static ReadPhase Next(ReadPhase phase, ReadEvent happened)
    {
        Probe.Count(StateTable.Reader, (int)phase, (int)happened);
        return (phase, happened) switch
        {
            // A read that waited is woken first.
            (not ReadPhase.Waiting and not ReadPhase.Over, ReadEvent.End) => ReadPhase.Over,
            (not ReadPhase.Waiting and < ReadPhase.Completed, ReadEvent.Complete) => ReadPhase.Completed,
            (ReadPhase.Completed or ReadPhase.Over, ReadEvent.Resume) => phase,
            (ReadPhase.Idle or ReadPhase.Offered, ReadEvent.Wait) => ReadPhase.Waiting,
            (ReadPhase.Idle or ReadPhase.Offered, ReadEvent.Lend) => ReadPhase.Lent,
            (ReadPhase.Idle or ReadPhase.Offered, ReadEvent.Offer) => ReadPhase.Offered,
            (ReadPhase.Lent or ReadPhase.Offered, ReadEvent.Advance) => ReadPhase.Idle,
            (ReadPhase.Waiting, ReadEvent.Wake) => ReadPhase.Ready,
            (ReadPhase.Ready, ReadEvent.Resume) => ReadPhase.Idle,
            _ => throw new InvalidOperationException($"{happened} cannot happen to a body's reader that is {phase}."),
        };
    }
}
