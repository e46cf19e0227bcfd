using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Requests.Body;

/// <content>Spill: what has no room in memory goes through a temporary file.</content>
internal sealed partial class RequestBody
{
    /// <summary>The next step of a spill that is at work.</summary>
    private SpillStep NextStep(BodySpill spill)
    {
        using Change change = Enter();
        if (_spill != spill)
        {
            return new SpillStep(null, IsWrite: false, IsLast: true);
        }

        SpillStep step = spill.Next(Queue);
        _spill = step.IsLast ? null : spill;
        return step;
    }

    /// <summary>The step is done, or ended by <paramref name="failure"/>.</summary>
    private void EndStep(BodySpill spill, SpillStep step, Exception? failure)
    {
        using (Enter())
        {
            bool isLost = failure is not null && _spill == spill;
            if (isLost && step.IsWrite && MayStandStill)
            {
                spill.KeepInMemory(step.Segment!);
                isLost = false;
            }
            else if (step.IsWrite || failure is not null || _spill != spill)
            {
                _segments.Return(step.Segment!);
            }
            else
            {
                Queue.Append(step.Segment!);
            }

            if (isLost)
            {
                // A body that has come whole fails too.
                Happen(BodyEvent.Refuse, BodyFailures.NotKept(failure!));
            }
        }

        if (failure is not null)
        {
            Owner.OnDiskFailed(failure);
        }
    }

    /// <summary>The next step of a spill. Without a segment it waits, or closes its file for good.</summary>
    private readonly record struct SpillStep(BodySegment? Segment, bool IsWrite, bool IsLast);

    /// <summary>
    /// The part of a body behind the readable queue: a temporary file, and behind it the bytes that are not written
    /// yet. Works on the thread pool, so that adding never waits for the disk. The body's lock guards it, except the
    /// file, which belongs to the work under way.
    /// </summary>
    private sealed class BodySpill(BodySegments segments, RequestBody body) : IThreadPoolWorkItem
    {
        /// <summary>Bytes that may wait to be written before the socket has to wait for the disk.</summary>
        private const int MaxUnwritten = 512 * 1024;
        private const int BlockSize = 64 * 1024;

        private BodySegment? _first;
        private BodySegment? _last;
        private long _unwritten;
        private bool _isWorking;
        private SpillFile? _file;

        /// <summary>The disk takes no more: what is not written waits in memory for the reader.</summary>
        public bool IsBroken { get; private set; }

        /// <summary>The socket has to wait for the disk, or for the reader in its place.</summary>
        public bool IsBehind => _unwritten > (IsBroken ? 0 : MaxUnwritten);

        /// <summary>The socket need not wait any longer.</summary>
        public bool HasCaughtUp => _unwritten <= (IsBroken ? 0 : MaxUnwritten / 2);

        private bool HasFileContent => _file is { IsEmpty: false };

        public void Add(ReadOnlySpan<byte> content)
        {
            _unwritten += content.Length;
            while (!content.IsEmpty)
            {
                if (_last is not { Room: > 0 })
                {
                    BodySegment segment = segments.Rent(BlockSize);
                    _first ??= segment;
                    _last?.Link(segment);
                    _last = segment;
                }

                content = content[_last!.Append(content)..];
            }
        }

        /// <summary>Goes to work, if it is not at work already.</summary>
        public void Start()
        {
            if (!_isWorking)
            {
                _isWorking = true;
                PoolWork.Queue(this);
            }
        }

        /// <summary>
        /// Decides the next step. With room in the queue, the content of the file goes there; once it is empty, the
        /// unwritten segments do, without a copy. With a full queue, the oldest unwritten segment goes to the file, if
        /// it takes any.
        /// </summary>
        public SpillStep Next(BodyQueue queue)
        {
            while (_first is not null && !HasFileContent && !queue.IsFull)
            {
                queue.Append(TakeOldest());
            }

            BodySegment? next = queue.IsFull
                ? _first is null || IsBroken ? null : TakeOldest()
                : HasFileContent ? segments.Rent(BlockSize) : null;
            bool isDrained = next is null && !queue.IsFull;
            _isWorking = next is not null || isDrained;
            return new SpillStep(next, IsWrite: queue.IsFull, IsLast: isDrained);
        }

        /// <summary>The segment could not be written: it is the oldest again.</summary>
        public void KeepInMemory(BodySegment segment)
        {
            IsBroken = true;
            segment.Link(_first);
            _first = segment;
            _last ??= segment;
            _unwritten += segment.Length;
        }

        /// <summary>The body is done with it: the memory goes back, and the work under way closes the file.</summary>
        public void Drop()
        {
            while (_first is not null)
            {
                segments.Return(TakeOldest());
            }

            if (_file is not null)
            {
                Start();
            }
        }

        void IThreadPoolWorkItem.Execute() => _ = WorkAsync();

        private BodySegment TakeOldest()
        {
            BodySegment oldest = _first!;
            _first = oldest.Following;
            _last = _first is null ? null : _last;
            oldest.Link(null);
            _unwritten -= oldest.Length;
            return oldest;
        }

        private async Task WorkAsync()
        {
            SpillStep step;
            while ((step = body.NextStep(this)).Segment is { } segment)
            {
                Exception? failure = null;
                try
                {
                    if (step.IsWrite)
                    {
                        await (_file ??= new SpillFile()).WriteAsync(segment.Memory).ConfigureAwait(false);
                    }
                    else
                    {
                        segment.Grow(await _file!.ReadAsync(segment.Free).ConfigureAwait(false));
                    }
                }
                catch (Exception exception)
                {
                    // The reader has to hear of it, whatever it is: nothing else sees the end of this task.
                    failure = exception;
                }

                body.EndStep(this, step, failure);
            }

            if (step.IsLast)
            {
                _file?.Dispose();
            }
        }
    }
}
