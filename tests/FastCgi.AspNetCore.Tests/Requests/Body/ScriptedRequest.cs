namespace FastCgi.AspNetCore.Tests.Requests.Body;

/// <summary>A body, and everything around it by script: its request, its connection and its pool.</summary>
internal sealed class ScriptedRequest : IRequestBodyOwner, IBodySource
{
    private readonly Queue<Action> _continuations = new();

    public ScriptedRequest(long? bufferSize = 100, long? declared = null, long? limit = null)
    {
        MaxRequestBodySize = limit;
        Body = new RequestBody(this, bufferSize, Pool);
        Begin(declared);
    }

    public TrackingPool Pool { get; } = new();

    public RequestBody Body { get; }

    public long? MaxRequestBodySize { get; set; }

    /// <summary>Continuations wait for <see cref="RunContinuations"/>. False: the thread pool runs them.</summary>
    public bool HasReceivingThread { get; init; } = true;

    /// <summary>Runs once, where a read that was waiting is continued.</summary>
    public Action? OnContinue { get; set; }

    public int Resumes { get; private set; }

    public int Settled { get; private set; }

    public int Starts { get; private set; }

    public List<BadHttpRequestException> BadRequests { get; } = [];

    public int BadRequestsTold { get; private set; }

    /// <summary>What callbacks behind reads failed with, on whichever thread.</summary>
    public ConcurrentQueue<Exception> Failures { get; } = new();

    public int DiskFailures { get; private set; }

    public int WaitingContinuations => _continuations.Count;

    public void Begin(long? declared = null, bool open = true)
    {
        Body.Begin(this);
        Body.DeclaredLength = declared;
        if (open)
        {
            Body.Open();
        }
    }

    public RequestBodyReader NewReader(object? owner = null) => new(Body, owner);

    public void Write(string text, bool mayPause = true) => Write(Encoding.ASCII.GetBytes(text), mayPause);

    public void Write(ReadOnlySpan<byte> bytes, bool mayPause)
    {
        if (Body.Receive(bytes, mayPause) is { } reader)
        {
            ((IRequestBodyOwner)this).Continue(reader);
        }
    }

    /// <summary>As the thread that received the bytes does, when it has routed them.</summary>
    public void RunContinuations()
    {
        while (_continuations.TryDequeue(out var continuation))
        {
            continuation();
        }
    }

    /// <summary>The end of the request, and every buffer is home.</summary>
    public void End(int abandoned = 0)
    {
        Body.EndReading();
        Body.Drop();
        Body.Reset();
        Assert.Equal(0, Pool.Outstanding);
        Assert.Equal(abandoned, Pool.Abandoned);
    }

    /// <summary>What there is to read now is this text.</summary>
    public static void AssertReads(string text, PipeReader reader)
    {
        Assert.True(reader.TryRead(out var result));
        Assert.Equal(text, TextOf(result));
        reader.AdvanceTo(result.Buffer.End);
    }

    public static string TextOf(ReadResult result) => Encoding.ASCII.GetString(result.Buffer.ToArray());

    void IRequestBodyOwner.OnBodyReadingStarted()
    {
        AssertFree();
        Starts++;
    }

    void IRequestBodyOwner.SetBadRequest(BadHttpRequestException exception)
    {
        Assert.True(Body.Sync.IsHeldByCurrentThread);
        BadRequests.Add(exception);
    }

    void IRequestBodyOwner.OnDiskFailed(Exception failure)
    {
        AssertFree();
        DiskFailures++;
    }

    void IRequestBodyOwner.TellOfBadRequest()
    {
        AssertFree();
        BadRequestsTold++;
    }

    void IRequestBodyOwner.Continue(IThreadPoolWorkItem reader)
    {
        AssertFree();
        var inBetween = OnContinue;
        OnContinue = null;
        inBetween?.Invoke();
        if (HasReceivingThread)
        {
            _continuations.Enqueue(reader.Execute);
        }
        else
        {
            ThreadPool.UnsafeQueueUserWorkItem(reader, preferLocal: false);
        }
    }

    void IBodySource.ResumeReading()
    {
        AssertFree();
        Resumes++;
    }

    void IBodySource.OnContinuationFailed(Exception exception)
    {
        AssertFree();
        Failures.Enqueue(exception);
    }

    public void OnBodySettled()
    {
        AssertFree();
        Settled++;
    }

    private void AssertFree() => Assert.False(Body.Sync.IsHeldByCurrentThread, "Called under the lock of the body.");
}
