namespace FastCgi.FuzzTests.Memory.Talks;

/// <summary>All that one peer says on one connection.</summary>
internal sealed class Talk
{
    public required int Number { get; init; }

    public bool IsScgi { get; init; }

    public bool IsUnix { get; init; }

    public bool HasOwnThreads { get; init; }

    /// <summary>Nothing in it is wrong, so it is known what has to come back.</summary>
    public bool IsClean { get; private set; } = true;

    /// <summary>The server may end the connection before all is answered.</summary>
    public bool MayEndEarly { get; set; }

    public Ending Ending { get; set; }

    /// <summary>How the bytes are cut: the most in one piece.</summary>
    public int MostAtOnce { get; set; } = int.MaxValue;

    /// <summary>How much the peer takes before it has to take its time; for ever, where it never reads on.</summary>
    public int Window { get; set; } = int.MaxValue;

    /// <summary>The peer takes nothing more when its window is full.</summary>
    public bool StopsReading { get; set; }

    /// <summary>It speaks another protocol, and is answered in that one.</summary>
    public bool IsForeign { get; set; }

    /// <summary>The server stops meanwhile, and may end the connection whatever runs on it.</summary>
    public bool IsStopped { get; set; }

    /// <summary>A response that breaks off says so, since nobody but its application ends the connection.</summary>
    public bool MustTellOfBreaks => !IsStopped && !StopsReading
        && !Scripts.Exists(static script => script.Fails == Failing.Abort);

    /// <summary>How often a request may have been sent, since records were.</summary>
    public int Copies { get; set; } = 1;

    /// <summary>Something in it is wrong, or will go wrong: nobody knows what has to come back.</summary>
    public void Doubt()
    {
        IsClean = false;
        MayEndEarly = true;
    }

    public List<Script> Scripts { get; } = [];

    public ByteWriter Bytes { get; } = new();

    /// <summary>Where sending stops until an answer has come.</summary>
    public List<Stop> Stops { get; } = [];

    /// <summary>Stop in front of the byte at <paramref name="Position"/> until so many answers came to the id.</summary>
    internal readonly record struct Stop(int Position, int Id, int Answers);
}

/// <summary>What a peer does after its last byte.</summary>
internal enum Ending
{
    /// <summary>Waits for every answer, then closes.</summary>
    Finish,

    /// <summary>Ends its sending half at once and reads to the end. On TCP that is the end of a peer.</summary>
    HalfClose,

    /// <summary>Closes at once.</summary>
    Close,

    /// <summary>Resets at once.</summary>
    Reset,

    /// <summary>Stays until the server closes.</summary>
    Stay,
}
