using System.Globalization;

namespace FastCgi.FuzzTests.Conversations;

/// <summary>One request: what is sent, what the application does with it, and what it noticed.</summary>
internal sealed class Script(Conversation conversation, uint nonce)
{
    private int _sightings;
    private string? _complaint;

    public Conversation Conversation => conversation;

    /// <summary>With a slash in front, it is the target.</summary>
    public string Token { get; } =
        string.Create(CultureInfo.InvariantCulture, $"{conversation.Key:x16}{conversation.Scripts.Count:x2}");

    /// <summary>The place of its bodies in the noise.</summary>
    public uint Nonce => nonce;

    public int Id { get; init; }

    /// <summary>As they are sent, before anything was mutated.</summary>
    public byte[] Params { get; set; } = [];

    public string Method => IsRefused ? "NO METHOD"
        : IsHead ? "HEAD"
        : IsCut || (BodyLength > 0 && !IsUpgrade) ? "POST"
        : "GET";

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

    /// <summary>Length of a header that the application does not look at.</summary>
    public int LongHeader { get; init; }

    public Reading Reads { get; set; }

    public Writing Writes { get; set; }

    public Failing Fails { get; set; }

    /// <summary>Bytes of the response, beside an echo.</summary>
    public int Filler { get; set; }

    /// <summary>The callbacks of OnStarting take their time.</summary>
    public bool StartsSlowly { get; init; }

    /// <summary>One of them starts the response itself, and the others have their turn first.</summary>
    public bool StartsByCallback => StartsSlowly && Filler % 2 == 0;

    /// <summary>Leaves the thread here and there.</summary>
    public bool Hops { get; init; }

    /// <summary>In how many ways objects of the request are used when it is long over.</summary>
    public int KeptUses { get; init; }

    /// <summary>The peer aborts it.</summary>
    public bool IsAborted { get; set; }

    /// <summary>How often the application began it.</summary>
    public int Sightings => Volatile.Read(ref _sightings);

    /// <summary>The first thing that the application found wrong.</summary>
    public string? Complaint => Volatile.Read(ref _complaint);

    /// <summary>What its application failed with.</summary>
    public Exception? Failure { get; set; }

    /// <summary>The response may break off, and take the connection with it.</summary>
    public bool MayTear => Fails is Failing.AfterStart or Failing.Abort;

    /// <summary>What comes back is nobody's promise.</summary>
    public bool IsWild => Writes is Writing.Several or Writing.Forgotten;

    /// <summary>The application reads to the end of the body, and tells of its bytes.</summary>
    public bool ReadsAll => Reads is Reading.Pipe or Reading.Stream or Reading.Examine or Reading.TryRead
        or Reading.Echo or Reading.Copy or Reading.Cancelled;

    /// <summary>The body may not have been read to its end when the application returns.</summary>
    public bool LeavesBody =>
        (BodyLength > 0 || !DeclaresLength) && (!ReadsAll || Fails is Failing.BeforeStart or Failing.InRequestSelector);

    public ReadOnlySpan<byte> Body => Noise.RequestBody(Nonce, BodyLength).Span;

    public ReadOnlyMemory<byte> Answer => Noise.ResponseBody(Nonce, Filler);

    public void Sight() => Interlocked.Increment(ref _sightings);

    public void Complain(string complaint) => Interlocked.CompareExchange(ref _complaint, complaint, null);

    public override string ToString() =>
        $"request {Token}: id {Id}, {(IsHead ? "HEAD" : BodyLength > 0 ? "POST" : "GET")}, "
        + $"body {BodyLength}{(DeclaresLength ? "" : " undeclared")}, reads {Reads}, writes {Writes} {Filler}, "
        + $"fails {Fails}{(KeptUses > 0 ? ", keeps" : "")}{(Hops ? ", hops" : "")}{(IsAborted ? ", aborted" : "")}"
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
    Copy,
    Part,
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
