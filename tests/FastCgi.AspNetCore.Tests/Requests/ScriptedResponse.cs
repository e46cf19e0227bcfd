namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>Records with a scripted connection, written as the application's flow does.</summary>
internal sealed class ScriptedResponse
{
    public ScriptedResponse(bool hasRecords = true)
    {
        Records = new ResponseRecords(Pool, Monitor);
        Connection = new ScriptedConnection(Pool) { HasRecords = hasRecords };
        Begin();
    }

    public TrackingPool Pool { get; } = new();

    /// <summary>Has no thread: it ticks when a test says so.</summary>
    public InlineRunMonitor Monitor { get; } = new(static _ => { });

    public ResponseRecords Records { get; }

    public ScriptedConnection Connection { get; private set; }

    /// <summary>Who may write at present.</summary>
    public object Owner { get; private set; } = new();

    public void Begin()
    {
        Owner = new object();
        Records.Begin(Connection, Connection.RequestId);
        Records.Own(Owner);
    }

    /// <summary>The next request has the same records, another connection and another owner.</summary>
    public void BeginNext()
    {
        Connection = new ScriptedConnection(Pool) { RequestId = 8 };
        Begin();
    }

    public void Head(string text = "H")
    {
        byte[] head = Pool.Rent(RecordBlock.FirstSize);
        Records.CommitHead(Owner, head, Encoding.ASCII.GetBytes(text, RecordBlock.RoomForHead(head)));
    }

    /// <summary>A head, a body, and a flush.</summary>
    public void Send(string body)
    {
        Head();
        Append(body);
        Flush();
    }

    public void Append(string text)
    {
        ReadOnlySpan<byte> rest = Encoding.ASCII.GetBytes(text);
        while (!rest.IsEmpty)
        {
            rest = rest[Records.Append(Owner, rest)..];
        }
    }

    /// <summary>Leases memory, writes into it, and advances.</summary>
    public void Write(string text) => Fill(Records.GetMemory(Owner, text.Length), text);

    /// <summary>Writes into memory that was leased, and advances.</summary>
    public void Fill(Memory<byte> memory, string text)
    {
        Encoding.ASCII.GetBytes(text, memory.Span);
        Assert.True(Records.CanAdvance(Owner, text.Length));
        Assert.True(Records.TryAdvance(Owner, text.Length));
    }

    public void Flush(bool isWhole = false) => Records.Flush(Owner, isWhole);

    public void End() => Connection.End(null, Records.TakeLast(), ProtocolStatus.RequestComplete);

    /// <summary>The request ends, and every buffer is home.</summary>
    public void AssertHome()
    {
        Records.Reset();
        Connection.Drain();
        Assert.Equal(0, Pool.Outstanding);
    }
}
