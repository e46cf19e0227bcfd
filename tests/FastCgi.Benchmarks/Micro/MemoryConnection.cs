using System.Net;
using FastCgi.AspNetCore.Transport;
using Microsoft.Extensions.Logging.Abstractions;

namespace FastCgi.Benchmarks.Micro;

/// <summary>A transport connection without a socket: what is put in is received, and what is sent is counted.</summary>
/// <param name="output">Gets what is sent, as far as there is room; connections one after another may share it.</param>
internal sealed class MemoryConnection(byte[] output)
    : TransportConnection(NullLogger.Instance, isUnix: true)
{
    private ReadOnlyMemory<byte> _input;

    /// <summary>Bytes sent since the last <see cref="Deliver"/>.</summary>
    public int SentLength { get; private set; }

    /// <summary>What they were, as far as there was room.</summary>
    public ReadOnlySpan<byte> Sent => output.AsSpan(0, Math.Min(SentLength, output.Length));

    /// <summary>Receives bytes, and runs what they make ready, on this thread.</summary>
    public void Deliver(ReadOnlyMemory<byte> bytes)
    {
        _input = bytes;
        SentLength = 0;
        Handler!.OnReadable();
    }

    public override int Receive(Span<byte> buffer)
    {
        if (_input.IsEmpty)
        {
            return WouldBlock;
        }

        int length = Math.Min(buffer.Length, _input.Length);
        _input.Span[..length].CopyTo(buffer);
        _input = _input[length..];
        return length;
    }

    public override bool HasUnread() => !_input.IsEmpty;

    public override bool TryEndReading() => _input.IsEmpty;

    public override int Send(ReadOnlySpan<byte> data)
    {
        var room = output.AsSpan(Math.Min(SentLength, output.Length));
        data[..Math.Min(data.Length, room.Length)].CopyTo(room);
        SentLength += data.Length;
        return data.Length;
    }

    public override void SendLater(ReadOnlyMemory<byte> data) => throw Unexpected();

    public override void ResetOnClose() => throw Unexpected();

    public override void PauseReading() => throw Unexpected();

    public override void ResumeReading() => throw Unexpected();

    public override bool IsPeerGone() => false;

    public override void ShutdownSend()
    {
    }

    protected override void OnStarted()
    {
    }

    protected override EndPoint? ReadLocalName() => null;

    protected override EndPoint? ReadPeerName() => null;

    protected override void OnClosing()
    {
    }

    /// <summary>Everything fits and everybody reads, so the server has no reason for it.</summary>
    private static NotSupportedException Unexpected() => new("A connection in memory never waits.");
}
