using FastCgi.AspNetCore.Server;

namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>Makes segments with a buffer and takes them back. Not synchronised: the body's lock guards it.</summary>
internal sealed class BodySegments(BufferPool pool)
{
    // More than a body of the default size needs, so that an upload allocates nothing that grows with it.
    private const int MaxSpare = 128;

    private BodySegment? _spare;
    private int _spareCount;

    /// <summary>An empty segment with room for at least <paramref name="size"/> bytes.</summary>
    public BodySegment Rent(int size)
    {
        BodySegment? segment = _spare;
        if (segment is null)
        {
            segment = new BodySegment();
        }
        else
        {
            _spare = segment.Following;
            _spareCount--;
            segment.Link(null);
        }

        segment.Open(pool.Rent(size));
        return segment;
    }

    public void Return(BodySegment segment)
    {
        pool.Return(segment.Close());
        if (_spareCount < MaxSpare)
        {
            segment.Link(_spare);
            _spare = segment;
            _spareCount++;
        }
    }

    /// <summary>
    /// Gives a segment up that a reader may still look at: neither the buffer nor the segment serves anybody again.
    /// </summary>
    public void Abandon(BodySegment segment) => pool.Abandon(segment.Buffer);
}
