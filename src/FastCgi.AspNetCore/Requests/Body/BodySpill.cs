using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>
/// The part of a request body that has no room in memory: first in, first out, through a temporary file. What arrives
/// waits in a few buffers until it is written, so that whoever adds never waits for the disk.
/// </summary>
/// <remarks>
/// <see cref="Add"/>, <see cref="TakeOldest"/> and the sizes are guarded by the lock of the <see cref="RequestBody"/>;
/// the file belongs to the one that empties the spill, outside of that lock.
/// </remarks>
internal sealed class BodySpill(BufferPool pool) : IDisposable
{
    /// <summary>Bytes that may wait to be written before the socket has to wait for the disk.</summary>
    private const int MaxUnwritten = 512 * 1024;
    private const int BlockSize = 64 * 1024;

    private readonly LinkedList<Block> _unwritten = [];
    private SpillFile? _file;
    private long _unwrittenBytes;

    public bool HasUnwritten => _unwrittenBytes > 0;

    public bool IsBehind => _unwrittenBytes > MaxUnwritten;

    public bool HasCaughtUp => _unwrittenBytes <= MaxUnwritten / 2;

    /// <summary>The file holds bytes that are older than all that are unwritten.</summary>
    public bool HasFileContent => _file is { IsEmpty: false };

    public void Add(ReadOnlySpan<byte> content)
    {
        _unwrittenBytes += content.Length;
        while (!content.IsEmpty)
        {
            if (_unwritten.Last is not { Value: { Room: > 0 } last })
            {
                last = new Block(pool.Rent(BlockSize));
                _unwritten.AddLast(last);
            }

            content = content[last.Add(content)..];
        }
    }

    /// <summary>The oldest unwritten block; it goes back by <see cref="Recycle"/>.</summary>
    public Block TakeOldest()
    {
        Block oldest = _unwritten.First!.Value;
        _unwritten.RemoveFirst();
        _unwrittenBytes -= oldest.Count;
        return oldest;
    }

    public Block RentBlock() => new(pool.Rent(BlockSize));

    public void Recycle(Block block) => pool.Return(block.Buffer);

    public ValueTask WriteToFileAsync(Block block) => (_file ??= new SpillFile()).WriteAsync(block.Content);

    public async ValueTask ReadFromFileAsync(Block block) =>
        block.Count = await _file!.ReadAsync(block.Buffer).ConfigureAwait(false);

    /// <summary>Nobody adds any more, and nobody is at the file.</summary>
    public void Dispose()
    {
        while (_unwritten.Count > 0)
        {
            Recycle(TakeOldest());
        }

        _file?.Dispose();
    }

    internal sealed class Block(byte[] buffer)
    {
        public byte[] Buffer { get; } = buffer;

        public int Count { get; set; }

        public int Room => Buffer.Length - Count;

        public ReadOnlyMemory<byte> Content => Buffer.AsMemory(0, Count);

        public int Add(ReadOnlySpan<byte> content)
        {
            int count = Math.Min(content.Length, Room);
            content[..count].CopyTo(Buffer.AsSpan(Count));
            Count += count;
            return count;
        }
    }
}
