using System.Buffers;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>One buffer of a body. Grows at its end only, so that a sequence over it stays valid meanwhile.</summary>
internal sealed class BodySegment : ReadOnlySequenceSegment<byte>
{
    public byte[] Buffer { get; private set; } = [];

    public int Length => Memory.Length;

    public long End => RunningIndex + Length;

    public int Room => Buffer.Length - Length;

    public BodySegment? Following => (BodySegment?)Next;

    /// <summary>The part of the buffer that holds nothing yet.</summary>
    public Memory<byte> Free => Buffer.AsMemory(Length);

    public void Open(byte[] buffer) => Buffer = buffer;

    /// <summary>Takes as much of <paramref name="content"/> as there is room for.</summary>
    public int Append(ReadOnlySpan<byte> content)
    {
        int count = Math.Min(content.Length, Room);
        content[..count].CopyTo(Free.Span);
        Grow(count);
        return count;
    }

    /// <summary>The first bytes of <see cref="Free"/> are content now.</summary>
    public void Grow(int count) => Memory = Buffer.AsMemory(0, Length + count);

    public void StartAt(long position) => RunningIndex = position;

    public void Link(BodySegment? next) => Next = next;

    /// <summary>Gives the buffer up.</summary>
    public byte[] Close()
    {
        byte[] buffer = Buffer;
        Buffer = [];
        Memory = default;
        RunningIndex = 0;
        Next = null;
        return buffer;
    }
}
