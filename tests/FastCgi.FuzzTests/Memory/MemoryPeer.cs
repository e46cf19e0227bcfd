namespace FastCgi.FuzzTests.Memory;

/// <summary>Holds a conversation, and reads the answers. Each of its sends and reads is a step.</summary>
internal sealed class MemoryPeer : ISocketPeer, IStep
{
    private readonly StepScheduler _scheduler;
    private readonly Dice _dice;
    private readonly Conversation _conversation;
    private readonly ConversationModel _model;
    private readonly Answers _answers;
    private readonly int _mostAtOnce;
    private readonly bool _isSlow;
    private readonly bool _stopsReading;
    private int _window;
    private MemorySocket? _socket;
    private int _sent;
    private int _nextWait;
    private bool _isQueued;
    private bool _hasLeft;
    private bool _hasEndedInput;
    private bool _gaveUp;
    private bool _hasPaused;

    public MemoryPeer(StepScheduler scheduler, Dice dice, Conversation conversation, ConversationModel model)
    {
        _scheduler = scheduler;
        _dice = dice;
        _conversation = conversation;
        _model = model;
        _answers = Answers.To(conversation, model);
        IsUnix = dice.OnceIn(2);
        HasOwnThreads = !dice.OnceIn(3);
        _mostAtOnce = dice.Below(40) switch { 0 => 4, < 3 => 60, < 7 => 900, _ => int.MaxValue };
        _mostAtOnce = conversation.Bytes.Length > 1000 ? Math.Max(_mostAtOnce, 900) : _mostAtOnce;
        _isSlow = dice.OnceIn(8);
        _window = _isSlow ? dice.Between(1, 3000) : int.MaxValue;
        _stopsReading = _isSlow && dice.OnceIn(8);
    }

    public Conversation Conversation => _conversation;

    public ConversationModel Model => _model;

    public bool IsUnix { get; }

    public bool HasOwnThreads { get; }

    /// <summary>The server has closed its socket.</summary>
    public bool IsOver { get; private set; }

    /// <summary>It waits for something of the server.</summary>
    public bool Waits => !IsOver && !_isQueued;

    /// <summary>Of a conversation that is wrong, it waits for something that may never come.</summary>
    public bool WaitsInVain => Waits && !_conversation.IsClean
        && (IsAtWait ? !_model.Waits[_nextWait].IsCertain : _answers.HasAll);

    public string? Error => Mistake?.ToString() ?? _answers.Error;

    private Exception? Mistake { get; set; }

    private bool IsAtWait => _nextWait < _model.Waits.Count && _model.Waits[_nextWait].Position <= _sent;

    public void Begin(MemorySocket socket)
    {
        _socket = socket;
        if (_isSlow)
        {
            socket.SetRoom(_window);
        }

        Queue();
    }

    /// <summary>Nothing happens any more: it goes on without what it waits for.</summary>
    public void GiveUp()
    {
        _scheduler.Trace.Tell(_conversation.Seed, "gives up");
        if (IsAtWait)
        {
            _nextWait++;
        }
        else
        {
            _gaveUp = true;
        }

        Queue();
    }

    /// <summary>Time passes while it waits: of a mutated conversation, the server may give something up.</summary>
    public void OnPause() => _hasPaused |= Waits && _conversation.IsMutated;

    /// <summary>After the close: what should have come, or null.</summary>
    public string? Judge() => Error ?? _answers.Judge(
        stayed: (!_hasLeft || _answers.HasAll) && !_stopsReading && !_hasPaused && !_conversation.IsForeign
            && _conversation.Ending is not (Ending.Close or Ending.Reset)
            && (IsUnix || _conversation.Ending != Ending.HalfClose),
        // A slow peer may leave when it has its answers, with a management record half read.
        mayCutRecord: _isSlow || _model.IsUncertain,
        mayCutAnswer: false);

    public override string ToString() => $"{(IsUnix ? "unix" : "TCP")}, {_conversation}";

    public void Tell(string what, int count = -1) => _scheduler.Trace.Tell(_conversation.Seed, what, count);

    public void OnReceived(ReadOnlySpan<byte> bytes)
    {
        _scheduler.Trace.Add(bytes);
        if (_scheduler.Trace.Lines is not null)
        {
            _scheduler.Trace.Tell(_conversation.Seed, Show(bytes), bytes.Length);
        }

        try
        {
            _answers.Read(bytes);
        }
        catch (Exception mistake)
        {
            // The mistake is the fuzzer's: the server must not hear of it.
            Mistake ??= mistake;
        }

        Queue();
    }

    public void OnOutputEnded(bool isClosed)
    {
        _scheduler.Trace.Tell(_conversation.Seed, isClosed ? "sees the close" : "sees the end");
        IsOver |= isClosed;
        Queue();
    }

    public void OnInputRoom() => Queue();

    public void Run()
    {
        _isQueued = false;
        if (IsOver || _hasLeft)
        {
            return;
        }

        if (_socket!.Room == 0 && !_stopsReading)
        {
            // More each time: a peer that takes byte by byte would be all that the fuzzer does.
            _window += (_window / 4) + 1;
            _socket.SetRoom(_window);
            Queue();
        }

        if (!TrySend() && IsReady())
        {
            Leave();
        }
    }

    private static string Show(ReadOnlySpan<byte> bytes) => bytes.Length <= 200
        ? $"gets {Convert.ToHexString(bytes)}"
        : $"gets {Convert.ToHexString(bytes[..100])}..{Convert.ToHexString(bytes[^100..])}";

    private void Queue()
    {
        if (!_isQueued)
        {
            _isQueued = true;
            _scheduler.Add(this);
        }
    }

    /// <summary>False when all is sent.</summary>
    private bool TrySend()
    {
        var until = _conversation.Bytes.Length;
        while (IsAtWait)
        {
            if (_answers.AnswersTo(_model.Waits[_nextWait].Id) < _model.Waits[_nextWait].Answers)
            {
                return true;
            }

            _nextWait++;
        }

        if (_nextWait < _model.Waits.Count)
        {
            until = _model.Waits[_nextWait].Position;
        }

        var count = Math.Min(until - _sent, _socket!.InputRoom);
        if (count == 0)
        {
            // Room is told of, and so is an answer.
            return _sent < _conversation.Bytes.Length || _nextWait < _model.Waits.Count;
        }

        count = _mostAtOnce < count ? _dice.Between(1, _mostAtOnce + 1) : count;
        _socket.Deliver(_conversation.Bytes.AsSpan(_sent, count));
        _scheduler.Trace.Tell(_conversation.Seed, "sends", count);
        _sent += count;
        Queue();
        return true;
    }

    private bool IsReady() => _conversation.Ending switch
    {
        Ending.Finish => _gaveUp || _answers.HasAll,
        Ending.Stay => _gaveUp,
        _ => true,
    };

    private void Leave()
    {
        _scheduler.Trace.Tell(_conversation.Seed, "leaves");
        if (_conversation.Ending == Ending.Reset)
        {
            _hasLeft = true;
            _socket!.Vanish(isReset: true);
        }
        else if (_conversation.Ending is Ending.Close or Ending.Stay || _hasEndedInput || !IsUnix)
        {
            if (_hasEndedInput && _conversation.Ending == Ending.HalfClose && !_gaveUp)
            {
                // It reads to the end.
                return;
            }

            _hasLeft = true;
            _socket!.Vanish(isReset: false);
        }
        else
        {
            _hasEndedInput = true;
            _socket!.EndInput();
        }
    }
}
