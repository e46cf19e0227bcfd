namespace FastCgi.FuzzTests.Memory.Talks;

/// <summary>One request of a talk: what is sent, what the application does with it, and what came of it.</summary>
internal sealed class Script
{
    public required Talk Talk { get; init; }

    /// <summary>Its place among the scripts of its world; with the nonce, it is the target.</summary>
    public required int Number { get; init; }

    public required uint Nonce { get; init; }

    public int Id { get; set; } = 1;

    public bool IsHead { get; set; }

    public bool IsUpgrade { get; set; }

    /// <summary>It asks for an upgrade, which its application does not want.</summary>
    public bool AsksInVain { get; set; }

    /// <summary>The client has announced more of the body than its web server passes on.</summary>
    public bool IsCut { get; set; }

    /// <summary>Its method is none, so the server refuses it.</summary>
    public bool IsRefused { get; set; }

    public int BodyLength { get; set; }

    public bool DeclaresLength { get; set; } = true;

    public Reading Reads { get; set; }

    public Writing Writes { get; set; }

    public Failing Fails { get; set; }

    /// <summary>Bytes of the response, beside an echo.</summary>
    public int Filler { get; set; }

    /// <summary>The callbacks of OnStarting take their time.</summary>
    public bool StartsSlowly { get; set; }

    /// <summary>One of them starts the response itself, and the others have their turn first.</summary>
    public bool StartsByCallback => StartsSlowly && Filler % 2 == 0;

    /// <summary>Leaves the thread here and there.</summary>
    public bool Hops { get; set; }

    /// <summary>The peer aborts it.</summary>
    public bool IsAborted { get; set; }

    /// <summary>How often the application began it.</summary>
    public int Sightings { get; set; }

    /// <summary>The first thing that the application found wrong.</summary>
    public string? Complaint { get; set; }

    /// <summary>What its application failed with.</summary>
    public Exception? Failure { get; set; }

    /// <summary>Whole answers.</summary>
    public int Answers { get; set; }

    /// <summary>Every byte of the answer, where all goes well.</summary>
    public int AnswerLength => IsHead ? 0 : (Reads == Reading.Echo ? BodyLength : 0) + Filler;

    /// <summary>The response may break off, and take the connection with it.</summary>
    public bool MayTear => Fails is Failing.AfterStart or Failing.Abort;

    /// <summary>The response is an error, with a head of the server's own.</summary>
    public bool MustFail => Fails is Failing.BeforeStart or Failing.InOnStarting
        or Failing.InRequestSelector or Failing.InResponseSelector;

    /// <summary>What comes back is nobody's promise.</summary>
    public bool IsWild => Writes is Writing.Several or Writing.Forgotten;

    /// <summary>The body may not have been read to its end when the application returns.</summary>
    public bool LeavesBody => BodyLength > 0 && Reads is Reading.None or Reading.Part or Reading.Form
        or >= Reading.Lent and not Reading.Cancelled;

    /// <summary>Objects of the request are used when it is long over.</summary>
    public bool Keeps { get; set; }

    public ReadOnlySpan<byte> Body => Noise.RequestBody(Nonce, BodyLength).Span;

    public ReadOnlyMemory<byte> Answer => Noise.ResponseBody(Nonce, Filler);

    /// <summary>Whether these are bytes of the answer, from <paramref name="position"/> on.</summary>
    public bool IsOfAnswer(ReadOnlySpan<byte> bytes, int position)
    {
        if (position + bytes.Length > AnswerLength)
        {
            return false;
        }

        var echoed = Reads == Reading.Echo ? BodyLength : 0;
        if (position < echoed)
        {
            var count = Math.Min(bytes.Length, echoed - position);
            if (!bytes[..count].SequenceEqual(Body.Slice(position, count)))
            {
                return false;
            }

            bytes = bytes[count..];
            position += count;
        }

        return bytes.IsEmpty || bytes.SequenceEqual(Answer.Span.Slice(position - echoed, bytes.Length));
    }

    public void Complain(string complaint) => Complaint ??= complaint;

    public override string ToString() =>
        $"request {Number:x} of talk {Talk.Number}: id {Id}, {(IsHead ? "HEAD" : BodyLength > 0 ? "POST" : "GET")}, "
        + $"body {BodyLength}{(DeclaresLength ? "" : " undeclared")}, reads {Reads}, writes {Writes} {Filler}, "
        + $"fails {Fails}{(Keeps ? ", keeps" : "")}{(Hops ? ", hops" : "")}{(IsAborted ? ", aborted" : "")}"
        + $"{(IsUpgrade ? ", upgrade" : "")}{(AsksInVain ? ", asks in vain" : "")}{(IsCut ? ", cut" : "")}"
        + $"{(IsRefused ? ", refused" : "")}{(Failure is null ? "" : $", failed by {Failure}")}";
}

/// <summary>How the application reads the body.</summary>
internal enum Reading
{
    None,
    Pipe,
    Stream,
    Examine,
    TryRead,
    Echo,
    Part,
    Copy,
    Form,

    /// <summary>A result of the reader is never advanced over.</summary>
    Lent,

    /// <summary>A read that nobody awaits.</summary>
    Abandoned,

    /// <summary>A read that is cancelled, and goes on.</summary>
    Cancelled,

    /// <summary>The reader is completed in front of the body.</summary>
    Completed,

    /// <summary>The reader is completed, and used all the same.</summary>
    CompletedTwice,

    /// <summary>The reader is completed while a read waits.</summary>
    CompletedWaiting,

    /// <summary>The reader is completed while a result is lent.</summary>
    CompletedLent,

    /// <summary>The reader is asked again and again, and its results are never advanced over, then completed.</summary>
    Peeked,

    /// <summary>The application sets a limit that the body exceeds, when it has read some of it.</summary>
    Limited,
}

/// <summary>How the application writes its answer.</summary>
internal enum Writing
{
    Stream,
    Pieces,
    Memory,
    StartFirst,
    Writer,
    Complete,

    /// <summary>Several flows write at once, which no application may: the server has to survive it.</summary>
    Several,

    /// <summary>Two writes that nobody awaits.</summary>
    Forgotten,
}

/// <summary>What goes wrong in the application.</summary>
internal enum Failing
{
    Nowhere,
    BeforeStart,
    AfterStart,
    Abort,
    InOnStarting,
    InOnCompleted,
    InRequestSelector,
    InResponseSelector,
}
