namespace FastCgi.AspNetCore.Tests.Connections;

/// <summary>A socket that does what a test says, and writes down what the server does to it.</summary>
internal sealed class ScriptedTransport() : TransportConnection(NullLogger.Instance, isUnix: true)
{
    private readonly Queue<byte[]> _input = new();
    private readonly TaskCompletionSource _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ReadOnlyMemory<byte>? _later;

    public List<byte> Sent { get; } = [];

    /// <summary>The same as text, also while another thread sends.</summary>
    public string Text
    {
        get
        {
            lock (Sent)
            {
                return Encoding.ASCII.GetString([.. Sent]);
            }
        }
    }

    public List<string> Calls { get; } = [];

    /// <summary>How many bytes the socket takes until it is full; null for as many as come.</summary>
    public int? Room { get; set; }

    public bool IsLost { get; set; }

    /// <summary>Called by <see cref="Receive"/> when nothing was scripted; else it would block.</summary>
    public Func<int>? WhenDry { get; set; }

    /// <summary>What <see cref="TryEndReading"/> says, call by call; true when nothing is left.</summary>
    public Queue<bool> EndReading { get; } = new();

    /// <summary>Runs inside <see cref="SendFile"/>, for a file system that hangs.</summary>
    public Action? InSendFile { get; set; }

    /// <summary>How many bytes of the file <see cref="SendFile"/> takes.</summary>
    public int FileRoom { get; set; } = int.MaxValue;

    /// <summary>Runs inside <see cref="Send"/>.</summary>
    public Action? InSend { get; set; }

    /// <summary>Runs inside <see cref="SendLater"/>, which has the data already.</summary>
    public Action? InSendLater { get; set; }

    /// <summary>The set does not watch the socket yet.</summary>
    public bool Defers { get; set; }

    public bool PeerIsGone { get; set; }

    public bool Unread { get; set; }

    public bool OwnThreads { get; set; } = true;

    public Task Closed => _closed.Task;

    public bool IsSendingLater => _later is not null;

    public override bool SendsFiles => true;

    public override bool HasOwnThreads => OwnThreads;

    public new ITransportHandler? Handler => base.Handler;

    /// <summary>The next receive brings this.</summary>
    public void Feed(params byte[] bytes) => _input.Enqueue(bytes);

    /// <summary>The peer sends these, and the server reads them on this thread.</summary>
    public void Bring(RecordBuilder records)
    {
        Feed(records.ToArray());
        Handler!.OnReadable();
    }

    /// <summary>
    /// Returns while a response is stuck in its send, under the gate of the connection, until <paramref name="goOn"/> is
    /// set. The task ends with the response.
    /// </summary>
    public Task HangInSend(Latch goOn)
    {
        var inside = new Latch();
        InSend = () =>
        {
            inside.Set();
            goOn.Wait();
        };
        Task answer = Task.Run(() => Bring(new RecordBuilder().Request(new RequestScript())));
        inside.Wait();
        return answer;
    }

    /// <summary>The socket takes all that waits for it.</summary>
    public void CompleteAllLater()
    {
        while (IsSendingLater)
        {
            Handler!.OnSendCompleted(CompleteLater());
        }
    }

    public override int Receive(Span<byte> buffer)
    {
        if (!_input.TryDequeue(out byte[]? bytes))
        {
            return WhenDry?.Invoke() ?? WouldBlock;
        }

        bytes.CopyTo(buffer);
        return bytes.Length;
    }

    public override bool HasUnread() => Unread;

    public override bool TryEndReading()
    {
        Calls.Add("end reading");
        return !EndReading.TryDequeue(out bool ends) || ends;
    }

    public override bool TryDeferReading()
    {
        if (Defers)
        {
            Calls.Add("defer");
        }

        return Defers;
    }

    public override void PauseReading() => Calls.Add("pause");

    public override void ResumeReading()
    {
        // The monitor may do it beside a run.
        lock (Calls)
        {
            Calls.Add("resume");
        }
    }

    public override int Send(ReadOnlySpan<byte> data)
    {
        InSend?.Invoke();
        if (IsLost)
        {
            return Reset;
        }

        int taken = Math.Min(data.Length, Room ?? int.MaxValue);
        if (taken == 0)
        {
            return WouldBlock;
        }

        Room -= taken;
        Add(data[..taken]);
        return taken;
    }

    public override int SendFile(ReadOnlySpan<byte> head, FilePart content)
    {
        InSendFile?.Invoke();
        int sent = Send(head);
        if (sent < head.Length)
        {
            return sent;
        }

        byte[] file = new byte[Math.Min(content.Count, FileRoom)];
        content.TryRead(file, 0);
        return file.Length == 0 ? sent : sent + Math.Max(Send(file), 0);
    }

    public override void SendLater(ReadOnlyMemory<byte> data)
    {
        Assert.Null(_later);
        _later = data;
        InSendLater?.Invoke();
    }

    /// <summary>Sends what waits for the socket, or loses it; the caller tells the server of it.</summary>
    public bool CompleteLater(bool succeeds = true)
    {
        Assert.NotNull(_later);
        if (succeeds)
        {
            Add(_later.Value.Span);
        }

        _later = null;
        return succeeds;
    }

    public override bool IsPeerGone() => PeerIsGone;

    public override void ShutdownSend() => Calls.Add("shutdown");

    public override void ResetOnClose() => Calls.Add("reset on close");

    protected override void OnStarted()
    {
    }

    protected override EndPoint? ReadLocalName() => null;

    protected override EndPoint? ReadPeerName() => null;

    protected override void OnClosing()
    {
        lock (Calls)
        {
            Calls.Add("close");
        }

        _closed.TrySetResult();
    }

    private void Add(ReadOnlySpan<byte> data)
    {
        lock (Sent)
        {
            Sent.AddRange(data);
        }
    }
}
