using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>Where the body of a request stands. <see cref="BodyPhases"/> has every transition.</summary>
internal enum BodyPhase
{
    /// <summary>The application has not begun, and nothing of the body has come.</summary>
    Awaited,

    /// <summary>The body is whole and empty, known before the application began.</summary>
    Empty,

    /// <summary>More may come.</summary>
    Arriving,

    /// <summary>Every byte has come; the reader reads what is left of them.</summary>
    Whole,

    /// <summary>Every read fails.</summary>
    Failed,

    /// <summary>Bytes that still come are counted and dropped.</summary>
    Dropped,
}

/// <summary>The events of the body of a request.</summary>
internal enum BodyEvent
{
    /// <summary>The application is about to begin, and no body can come.</summary>
    OpenEmpty,

    /// <summary>The application is about to begin.</summary>
    Open,

    /// <summary>Bytes came, and more may come.</summary>
    Bytes,

    /// <summary>The last declared byte came.</summary>
    LastBytes,

    /// <summary>The end came after every byte.</summary>
    End,

    /// <summary>The end came too early.</summary>
    ShortEnd,

    /// <summary>The rest will not come.</summary>
    Fail,

    /// <summary>The reader must fail, whatever the params say.</summary>
    Refuse,

    /// <summary>The application does not read any more.</summary>
    Drop,

    /// <summary>The stream of an upgraded connection begins.</summary>
    Upgrade,
}

/// <summary>The transitions of <see cref="BodyPhase"/>.</summary>
internal static class BodyPhases
{
    /// <summary>The phase after <paramref name="happened"/>.</summary>
    /// <exception cref="InvalidOperationException">The event cannot happen in this phase.</exception>
    public static BodyPhase Next(BodyPhase phase, BodyEvent happened)
    {
        Probe.Count(StateTable.Body, (int)phase, (int)happened);
        return (phase, happened) switch
        {
            (BodyPhase.Awaited, BodyEvent.OpenEmpty or BodyEvent.End) => BodyPhase.Empty,
            (BodyPhase.Awaited, BodyEvent.Open or BodyEvent.Bytes) => BodyPhase.Arriving,
            (BodyPhase.Awaited, BodyEvent.Fail) => BodyPhase.Failed,
            (BodyPhase.Arriving, BodyEvent.Open or BodyEvent.Bytes) => BodyPhase.Arriving,
            (BodyPhase.Arriving, BodyEvent.LastBytes or BodyEvent.End) => BodyPhase.Whole,
            (BodyPhase.Arriving, BodyEvent.ShortEnd or BodyEvent.Fail) => BodyPhase.Failed,

            // Whether the body was empty is decided: nothing that comes later changes it, except an upgrade.
            (BodyPhase.Empty, BodyEvent.OpenEmpty or BodyEvent.Open or BodyEvent.End or BodyEvent.Drop) =>
                BodyPhase.Empty,
            (BodyPhase.Empty, BodyEvent.Upgrade) => BodyPhase.Arriving,
            (BodyPhase.Empty or BodyPhase.Arriving or BodyPhase.Whole, BodyEvent.Refuse) => BodyPhase.Failed,
            (BodyPhase.Whole, BodyEvent.End or BodyEvent.Fail) => BodyPhase.Whole,
            (not BodyPhase.Empty, BodyEvent.Drop) => BodyPhase.Dropped,
            (BodyPhase.Failed or BodyPhase.Dropped, BodyEvent.End or BodyEvent.ShortEnd or BodyEvent.Fail) => phase,
            _ => throw new InvalidOperationException($"{happened} cannot happen to a request body that is {phase}."),
        };
    }
}
