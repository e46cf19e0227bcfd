using FastCgi.AspNetCore.Diagnostics;

namespace FastCgi.AspNetCore.Requests.Body;

/// <content>Spill: a temporary file for the part of the body that has no room in memory.</content>
internal sealed partial class RequestBody
{
    /// <summary>The next step of a running spill.</summary>
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

    /// <summary>Ends a step, with <paramref name="failure"/> if it failed.</summary>
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
                // Even a body that has come whole fails.
                Happen(BodyEvent.Refuse, BodyFailures.NotKept(failure!));
            }
        }

        if (failure is not null)
        {
            Owner.OnDiskFailed(failure);
        }
    }

    /// <summary>A step of a spill. Without a segment, the spill waits or, at the last step, closes its file.</summary>
    private readonly record struct SpillStep(BodySegment? Segment, bool IsWrite, bool IsLast);

    /// <summary>
    /// The part of a body after the readable queue: a temporary file, followed by the bytes that are not written yet.
    /// Runs on the thread pool, so that adding bytes never waits for the disk. Guarded by the body's lock, except for
    /// the file, which belongs to the running step.
    /// </summary>
    private sealed class BodySpill(BodySegments segments, RequestBody body) : IThreadPoolWorkItem
    {
        /// <summary>Limit of unwritten bytes. Beyond it the socket has to wait for the disk.</summary>
        private const int MaxUnwritten = 512 * 1024;
        private const int BlockSize = 64 * 1024;

        private readonly List<BodySegment> _waiting = []; // Few: with more, the socket waits.
        private long _unwritten;
        private bool _isWorking;
        private SpillFile? _file;

        /// <summary>True if the disk has failed. Unwritten bytes then wait in memory for the reader.</summary>
        public bool IsBroken { get; private set; }

        /// <summary>True if the socket has to wait for the disk or, after a failure, for the reader.</summary>
        public bool IsBehind => _unwritten > (IsBroken ? 0 : MaxUnwritten);

        /// <summary>True if the socket no longer has to wait.</summary>
        public bool HasCaughtUp => _unwritten <= (IsBroken ? 0 : MaxUnwritten / 2);

        private bool HasFileContent => _file is { IsEmpty: false };

        public void Add(ReadOnlySpan<byte> content)
        {
            _unwritten += content.Length;
            while (!content.IsEmpty)
            {
                if (_waiting is not [.., { Room: > 0 }])
                {
                    _waiting.Add(segments.Rent(BlockSize));
                }

                content = content[_waiting[^1].Append(content)..];
            }
        }

        /// <summary>Starts the work, unless it is already running.</summary>
        public void Start()
        {
            if (!_isWorking)
            {
                _isWorking = true;
                PoolWork.Queue(this);
            }
        }

        /// <summary>
        /// Decides the next step. If the queue has room, content of the file is read into it. If the file is empty, the
        /// unwritten segments are moved to the queue without a copy. If the queue is full, the oldest unwritten segment
        /// is written to the file, unless the disk has failed.
        /// </summary>
        public SpillStep Next(BodyQueue queue)
        {
            while (_waiting.Count > 0 && !HasFileContent && !queue.IsFull)
            {
                queue.Append(TakeOldest());
            }

            BodySegment? next = queue.IsFull
                ? _waiting.Count == 0 || IsBroken ? null : TakeOldest()
                : HasFileContent ? segments.Rent(BlockSize) : null;
            bool isDrained = next is null && !queue.IsFull;
            _isWorking = next is not null || isDrained;
            return new SpillStep(next, IsWrite: queue.IsFull, IsLast: isDrained);
        }

        /// <summary>Puts a segment that could not be written back in front of the others.</summary>
        public void KeepInMemory(BodySegment segment)
        {
            IsBroken = true;
            _waiting.Insert(0, segment);
            _unwritten += segment.Length;
        }

        /// <summary>Ends the spill: returns the memory. The running or next step closes the file.</summary>
        public void Drop()
        {
            while (_waiting.Count > 0)
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
            BodySegment oldest = _waiting[0];
            _waiting.RemoveAt(0);
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
                    // Any exception: the reader has to see it, because nothing else observes this task.
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
