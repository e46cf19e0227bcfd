namespace FastCgi.AspNetCore.Tests.Requests;

/// <summary>The connection and the send queue of one response by script: what is sent is kept, send by send.</summary>
internal sealed class ScriptedConnection(TrackingPool pool) : IRequestConnection, ISendQueue
{
    private readonly List<(byte[] Buffer, int Offset, byte[] Content)> _queued = [];

    public List<byte[]> Sends { get; } = [];

    /// <summary>What becomes of every buffer that is sent.</summary>
    public SendOutcome Outcome { get; set; } = SendOutcome.Sent;

    /// <summary>Says whether there is a place for a file: Sent, or why not.</summary>
    public Func<SendOutcome> Reserve { get; set; } = static () => SendOutcome.Sent;

    /// <summary>Runs while a file is sent, and says what became of it.</summary>
    public Func<SendOutcome> SendFile { get; set; } = static () => SendOutcome.Sent;

    /// <summary>Runs inside each send.</summary>
    public Action? InSend { get; set; }

    public ResponseEnd EndsBy { get; set; } = ResponseEnd.Request;

    public Exception? SendFailure { get; set; }

    public int GatheredSends { get; private set; }

    public int Ends { get; private set; }

    /// <summary>What was asked of it as a connection.</summary>
    public List<string> Asked { get; } = [];

    public string Id { get; init; } = "0HSCRIPTED";

    public EndPoint? LocalEndPoint { get; } = new IPEndPoint(IPAddress.Loopback, 9000);

    public EndPoint? RemoteEndPoint { get; } = new IPEndPoint(IPAddress.Loopback, 40000);

    public Socket Socket => field ??= new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);

    public ICollection<KeyValuePair<string, object?>>? MetricsTags => null;

    public CancellationToken Closed { get; } = new CancellationTokenSource().Token;

    public CancellationToken CloseRequested { get; } = new CancellationTokenSource().Token;

    public ushort RequestId { get; init; } = 7;

    public FastCgiListenOptions Endpoint { get; } = new(new IPEndPoint(IPAddress.Loopback, 9000)) { AllowUpgrade = false };

    public bool HasRecords { get; init; } = true;

    public ISendQueue Output => this;

    /// <summary>False: a flush waits, and is one of <see cref="Waiters"/>.</summary>
    public bool HasRoom { get; set; } = true;

    public bool IsFull => !HasRoom;

    public List<IRoomWaiter> Waiters { get; } = [];

    /// <summary>Too late to forget a waiter.</summary>
    public bool IsAboutToCall { get; set; }

    /// <summary>What callbacks behind a wait failed with, on whichever thread.</summary>
    public ConcurrentQueue<Exception> Failures { get; } = new();

    /// <summary>The content of all STDOUT records that were sent.</summary>
    public string Stdout
    {
        get
        {
            var cutter = new RecordCutter();
            Sends.ForEach(sent => cutter.Add(sent));
            var text = new StringBuilder();
            while (cutter.Take() is { } record)
            {
                text.Append(record.Type == WireRecord.Stdout ? Encoding.ASCII.GetString(record.Content) : "");
            }

            Assert.Equal(0, cutter.Rest);
            return text.ToString();
        }
    }

    public SendOutcome Send(byte[] buffer, int offset, int count)
    {
        InSend?.Invoke();
        if (SendFailure is not null)
        {
            throw SendFailure;
        }

        if (Outcome != SendOutcome.Lost)
        {
            Sends.Add(buffer.AsSpan(offset, count).ToArray());
        }

        if (Outcome == SendOutcome.Queued)
        {
            _queued.Add((buffer, offset, Sends[^1]));
        }

        return Outcome;
    }

    public SendOutcome TrySendGathered(ReadOnlySpan<byte> head, ReadOnlySpan<byte> body, ReadOnlySpan<byte> tail)
    {
        InSend?.Invoke();
        if (Outcome == SendOutcome.Sent)
        {
            GatheredSends++;
            Sends.Add([.. head, .. body, .. tail]);
        }

        return Outcome;
    }

    public bool TryReserve(int count, out SendOutcome refusal)
    {
        refusal = Reserve();
        return refusal == SendOutcome.Sent;
    }

    SendOutcome ISendQueue.SendFile(ReadOnlySpan<byte> head, FilePart content)
    {
        var before = head.ToArray();
        var outcome = SendFile();
        Assert.True(head.SequenceEqual(before), "The buffer changed while it was sent.");
        if (outcome is SendOutcome.Sent or SendOutcome.Truncated)
        {
            Sends.Add([.. before, .. Enumerable.Repeat((byte)'f', content.Count)]);
        }

        return outcome;
    }

    /// <summary>The connection has sent what it queued, which nobody has changed since.</summary>
    public void Drain()
    {
        foreach (var (buffer, offset, content) in _queued)
        {
            Assert.Equal(content, buffer.AsSpan(offset, content.Length));
            pool.Return(buffer);
        }

        _queued.Clear();
    }

    public bool End(FastCgiRequest? request, ArraySegment<byte> last, ProtocolStatus status)
    {
        Ends++;
        if (last.Array is { } buffer)
        {
            IWireProtocol wire = HasRecords ? new FastCgiWire(new FastCgiServerLimits()) : new ScgiWire();
            var end = last.Offset + last.Count;
            var count = last.Count + wire.WriteEnd(buffer.AsSpan(end), RequestId, EndsBy, status);
            if (EndsBy == ResponseEnd.None || Send(buffer, last.Offset, count) != SendOutcome.Queued)
            {
                pool.Return(buffer);
            }
        }

        return EndsBy >= ResponseEnd.Request;
    }

    public bool TryAwaitRoom(IRoomWaiter waiter)
    {
        if (!HasRoom)
        {
            Waiters.Add(waiter);
        }

        return !HasRoom;
    }

    public bool TryForget(IRoomWaiter waiter) => !IsAboutToCall && Waiters.Remove(waiter);

    public bool TryUpgrade(FastCgiRequest request) => false;

    public void RequestClose() => Asked.Add("close");

    public void Abort(string reason) => Asked.Add(reason);

    public void Tear(FastCgiRequest request, object? owner) => Asked.Add("tear");

    public void OnApplicationDone(FastCgiRequest request, bool isOffTheWire)
    {
    }

    public void ResumeReading()
    {
    }

    public void OnContinuationFailed(Exception exception) => Failures.Enqueue(exception);

    public void OnThreadKept()
    {
    }
}
