namespace FastCgi.AspNetCore.Tests.Transport;

/// <summary>Reads as the connection does, a receive at a time, and keeps what happened.</summary>
internal class RecordingHandler(TransportConnection connection) : ITransportHandler
{
    private readonly TaskCompletionSource _gone = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<(int Count, TaskCompletionSource Reached)> _waiting = [];
    private readonly List<byte> _received = [];
    private readonly ConcurrentQueue<bool> _sent = new();
    private readonly SemaphoreSlim _sendCompleted = new(0);
    private int _readers;

    public TransportConnection Connection => connection;

    /// <summary>Two threads were seen reading at once.</summary>
    public bool RoleWasShared { get; private set; }

    public int Reports { get; private set; }

    public string Text => Encoding.Latin1.GetString(Received);

    public byte[] Received
    {
        get
        {
            lock (_received)
            {
                return [.. _received];
            }
        }
    }

    public bool EndOfInputWasRead => _ended.Task.IsCompleted;

    /// <summary>Reported by OnPeerGone, or by a receive that says so.</summary>
    public Task Gone => _gone.Task.Within("the report that the peer is gone");

    public Task EndOfInput => _ended.Task.Within("the end of the input", () => Text);

    protected virtual int BufferSize => 16 * 1024;

    public async Task<bool> SendCompletedAsync()
    {
        Assert.True(await _sendCompleted.WaitAsync(Deadline.Default), "No send completed.");
        Assert.True(_sent.TryDequeue(out var succeeded));
        return succeeded;
    }

    public Task ReceivedAsync(int count)
    {
        var reached = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_received)
        {
            if (_received.Count >= count)
            {
                return Task.CompletedTask;
            }

            _waiting.Add((count, reached));
        }

        return reached.Task.Within($"{count} bytes", () => $"{Received.Length} bytes");
    }

    public virtual void OnReadable()
    {
        Reports++;
        Span<byte> buffer = new byte[BufferSize];
        int received;
        do
        {
            RoleWasShared |= Interlocked.Increment(ref _readers) != 1;
            received = Connection.Receive(buffer);
            Keep(buffer, received);
            Interlocked.Decrement(ref _readers);
            if (received is TransportConnection.Reset or 0 || (received > 0 && !OnReceived(buffer[..received])))
            {
                return;
            }
        }
        while (received == buffer.Length || !Connection.TryEndReading());
    }

    public virtual void OnSendCompleted(bool succeeded)
    {
        _sent.Enqueue(succeeded);
        _sendCompleted.Release();
    }

    public virtual void OnPeerGone() => _gone.TrySetResult();

    /// <summary>False: the handler has given the reading role away itself.</summary>
    protected virtual bool OnReceived(ReadOnlySpan<byte> data) => true;

    private void Keep(ReadOnlySpan<byte> buffer, int received)
    {
        switch (received)
        {
            case TransportConnection.Reset:
                _gone.TrySetResult();
                return;
            case TransportConnection.WouldBlock:
                return;
            case 0:
                _ended.TrySetResult();
                return;
        }

        lock (_received)
        {
            _received.AddRange(buffer[..received]);
            _waiting.RemoveAll(waiter => _received.Count >= waiter.Count && waiter.Reached.TrySetResult());
        }
    }
}

/// <summary>Keeps its thread behind the first read, as an application that blocks.</summary>
internal class HoldingHandler(TransportConnection connection, Latch release)
    : RecordingHandler(connection)
{
    private readonly TaskCompletionSource _held = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task Held => _held.Task.Within("an application that blocks");

    public override void OnReadable()
    {
        base.OnReadable();
        if (_held.TrySetResult())
        {
            release.Wait();
        }
    }
}

internal sealed class FailingHandler(TransportConnection connection) : RecordingHandler(connection)
{
    protected override bool OnReceived(ReadOnlySpan<byte> data) =>
        throw new InvalidOperationException("The handler fails.");
}
