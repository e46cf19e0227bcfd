namespace FastCgi.AspNetCore.Requests.Response;

/// <summary>
/// While a <see cref="UploadHold"/> is there, nothing leaves: one block takes what is written, and what an application
/// writes beyond it without a flush waits in the loose buffer, as it does before the head is known.
/// </summary>
internal sealed partial class ResponseRecords
{
    private UploadHold? _headHold;
    private bool _headOut;

    /// <summary>The head has been sent: it cannot be held back any more.</summary>
    public bool IsHeadOut => Volatile.Read(ref _headOut);

    /// <summary>What was written and has not been sent, flushed or not.</summary>
    public long BufferedBytes
    {
        get
        {
            lock (_lock)
            {
                return (long)_loose.Length + _block.ContentLength;
            }
        }
    }

    public void BeginHeadHold(UploadHold hold)
    {
        lock (_lock)
        {
            if (!_headOut && !_detached)
            {
                _headHold = hold;
            }
        }
    }

    /// <summary>What was flushed under <paramref name="hold"/> leaves; nothing where that hold is not in force.</summary>
    public void EndHeadHold(UploadHold hold)
    {
        lock (_lock)
        {
            if (_headHold != hold)
            {
                return;
            }

            _headHold = null;
            if (!_loose.IsLeased)
            {
                // Else the application is writing into that buffer, and its next call moves it.
                MoveLooseIntoBlocks();
            }

            if (_flushPending && !_holding)
            {
                Emit();
            }
        }
    }

    /// <summary>The response ends, and so does the reason to wait.</summary>
    private void ForgetHeadHold()
    {
        _headHold = null;
        Settle();
    }

    /// <summary>Called by what ends a lease: moves what a hold left in the loose buffer.</summary>
    private void Settle()
    {
        if (_loose.Length > 0 && _headWritten)
        {
            _loose.DropLease();
            MoveLooseIntoBlocks();
        }
    }

    /// <summary>Held, and <paramref name="more"/> bytes do not go into the one block behind what is there.</summary>
    private bool HasNoRoomInHold(int more) => _headHold is not null
        && _block.ContentLength + _loose.Length + Math.Max(more, 1) > RecordBlock.MaxContent;
}
