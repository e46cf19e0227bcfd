using FastCgi.FuzzTests.Memory.Serving;
using FastCgi.FuzzTests.Memory.Stepping;
using FastCgi.FuzzTests.Memory.Talks;

namespace FastCgi.FuzzTests.Memory.Peers;

/// <summary>Says a talk, and reads the answers. Each of its sends and reads is a step.</summary>
internal sealed class MemoryPeer : ISocketPeer, IStep
{
    private readonly StepScheduler _scheduler;
    private readonly Dice _dice;
    private readonly Talk _talk;
    private readonly IAnswerReader _answers;
    private MemorySocket? _socket;
    private int _sent;
    private int _nextStop;
    private bool _isQueued;
    private bool _hasLeft;
    private bool _hasEndedInput;
    private bool _gaveUp;

    public MemoryPeer(StepScheduler scheduler, Dice dice, Talk talk)
    {
        _scheduler = scheduler;
        _dice = dice;
        _talk = talk;
        _answers = talk.IsScgi ? new PlainAnswer(talk) : new RecordAnswers(talk);
    }

    public Talk Talk => _talk;

    /// <summary>The server has closed its socket.</summary>
    public bool IsOver { get; private set; }

    /// <summary>It waits for something of the server.</summary>
    public bool Waits => !IsOver && !_isQueued;

    public string? Error => Mistake?.ToString() ?? _answers.Error;

    private Exception? Mistake { get; set; }

    private bool IsSlow => _talk.Window != int.MaxValue;

    public void Begin(MemorySocket socket)
    {
        _socket = socket;
        if (IsSlow)
        {
            socket.SetRoom(_talk.Window);
        }

        Queue();
    }

    /// <summary>Nothing happens any more: it goes on without what it waits for.</summary>
    public void GiveUp()
    {
        _scheduler.Trace.Tell(_talk.Number, "gives up");
        _gaveUp = true;
        Queue();
    }

    /// <summary>After the close: what should have come, or null.</summary>
    public string? Judge() => Error ?? _answers.Judge(peerStayed: !_hasLeft || _answers.HasAll);

    public void Tell(string what, int count = -1) => _scheduler.Trace.Tell(_talk.Number, what, count);

    public void OnReceived(ReadOnlySpan<byte> bytes)
    {
        _scheduler.Trace.Add(bytes);
        if (_scheduler.Trace.Lines is not null)
        {
            _scheduler.Trace.Tell(_talk.Number, Show(bytes), bytes.Length);
        }

        try
        {
            if (!_talk.IsForeign)
            {
                _answers.Read(bytes);
            }
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
        _scheduler.Trace.Tell(_talk.Number, isClosed ? "sees the close" : "sees the end");
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

        if (_socket!.Room == 0 && !_talk.StopsReading)
        {
            // More each time: a peer that takes byte by byte would be all that the fuzzer does.
            _talk.Window += _talk.Window / 4 + 1;
            _socket.SetRoom(_talk.Window);
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
        var until = _talk.Bytes.Length;
        while (_nextStop < _talk.Stops.Count && _talk.Stops[_nextStop] is var stop && stop.Position <= _sent)
        {
            if (!_gaveUp && _answers.AnswersTo(stop.Id) < stop.Answers)
            {
                return true;
            }

            _nextStop++;
        }

        if (_nextStop < _talk.Stops.Count)
        {
            until = _talk.Stops[_nextStop].Position;
        }

        var count = Math.Min(until - _sent, _socket!.InputRoom);
        if (count == 0)
        {
            // Room is told of, and so is an answer.
            return _sent < _talk.Bytes.Length || _nextStop < _talk.Stops.Count;
        }

        count = _talk.MostAtOnce < count ? _dice.Between(1, _talk.MostAtOnce + 1) : count;
        _socket.Deliver(_talk.Bytes.Slice(_sent, count));
        _scheduler.Trace.Tell(_talk.Number, "sends", count);
        _sent += count;
        Queue();
        return true;
    }

    private bool IsReady() => _talk.Ending switch
    {
        Ending.Finish => _gaveUp || !_talk.IsClean || _answers.HasAll,
        Ending.Stay => _gaveUp,
        _ => true,
    };

    private void Leave()
    {
        _scheduler.Trace.Tell(_talk.Number, "leaves");
        if (_talk.Ending == Ending.Reset)
        {
            _hasLeft = true;
            _socket!.Vanish(isReset: true);
        }
        else if (_talk.Ending is Ending.Close or Ending.Stay || _hasEndedInput || !_talk.IsUnix)
        {
            if (_hasEndedInput && _talk.Ending == Ending.HalfClose && !_gaveUp)
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
