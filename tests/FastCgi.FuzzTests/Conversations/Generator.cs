using System.Text;

namespace FastCgi.FuzzTests.Conversations;

/// <summary>
/// Makes conversations: several requests one after the other and side by side, with bodies, aborts, roles that nobody
/// serves, management records and ids that are used again, or one request of SCGI.
/// </summary>
internal sealed class Generator
{
    private static readonly string[] s_values = ["FCGI_MAX_CONNS", "FCGI_MAX_REQS", "FCGI_MPXS_CONNS", "NO_SUCH"];

    private readonly Dice _dice;
    private readonly Odds _odds;
    private readonly Conversation _conversation;
    private readonly ByteWriter _params = new();

    private Generator(ulong seed, Odds odds)
    {
        _dice = new Dice(seed);
        _odds = odds;
        _conversation = new Conversation { Seed = seed, Key = _dice.Next(), IsScgi = _dice.OnceIn(8) };
    }

    private List<Piece> Pieces => _conversation.Pieces;

    public static Conversation Create(ulong seed, Odds odds) => new Generator(seed, odds).Create();

    private Conversation Create()
    {
        _conversation.Ending = _dice.Below(24) switch
        {
            < 14 => Ending.Finish,
            < 19 => Ending.HalfClose,
            19 or 20 => Ending.Close,
            21 or 22 => Ending.Reset,
            _ => Ending.Stay,
        };
        if (_conversation.IsScgi)
        {
            Scgi();
        }
        else
        {
            var most = _odds.IsHeavy || _dice.OnceIn(3) ? _odds.MostRounds : 1;
            for (var rounds = _dice.Between(Math.Min(2, most), most + 1); rounds > 0; rounds--)
            {
                Round(isLast: rounds == 1);
            }
        }

        if (_dice.Below(12) >= _odds.ValidOfTwelve)
        {
            new Mutator(_dice, _conversation).Mutate();
        }

        while (_conversation.Ending != Ending.Finish && Pieces.Count > 0 && Pieces[^1].IsStop && !_dice.OnceIn(8))
        {
            Pieces.RemoveAt(Pieces.Count - 1);
        }

        return _conversation.Join();
    }

    private void Round(bool isLast)
    {
        var width = _dice.OnceIn(_odds.SideBySideOnceIn) ? _dice.Between(2, 6) : 1;
        var first = NextId();
        var lanes = new List<List<Piece>>();
        for (var i = 0; i < width; i++)
        {
            var id = i > 0 && _dice.OnceIn(2) ? NextId() : ((first + i - 1) % 65535) + 1;
            if (!lanes.Exists(lane => lane[0].Id == id))
            {
                lanes.Add(Request(id, keeps: !isLast || !_dice.OnceIn(3)));
            }
        }

        if (_dice.OnceIn(_odds.ManagementOnceIn))
        {
            lanes.Add([.. Enumerable.Range(0, _dice.Between(1, 3)).Select(_ => Management())]);
        }

        Interleave(lanes);
    }

    /// <summary>A stop ends its lane: it has to wait for the bytes of the others too.</summary>
    private void Interleave(List<List<Piece>> lanes)
    {
        if (lanes.Count == 1)
        {
            Pieces.AddRange(lanes[0]);
            return;
        }

        lanes.ForEach(static lane => lane.Reverse());
        var stops = new List<Piece>();
        while (lanes.Count > 0)
        {
            var lane = lanes[_dice.Below(lanes.Count)];
            var piece = lane[^1];
            lane.RemoveAt(lane.Count - 1);
            (piece.IsStop ? stops : Pieces).Add(piece);
            lanes.RemoveAll(static rest => rest.Count == 0);
        }

        Pieces.AddRange(stops);
    }

    private int NextId() => _dice.Below(8) switch
    {
        0 => 65535,
        1 => _dice.Between(1, 65536),
        _ => _dice.Between(1, 4),
    };

    private List<Piece> Request(int id, bool keeps)
    {
        var script = NewScript(id);
        script.AsksInVain = _dice.OnceIn(16);
        if (_dice.OnceIn(60))
        {
            script.IsRefused = true;
            _conversation.Doubt();
        }

        var role = _dice.OnceIn(30) ? 3 : 1;
        var pieces = new List<Piece> { Record(1, id, [0, (byte)role, keeps ? (byte)1 : (byte)0, 0, 0, 0, 0, 0]) };
        _params.Clear();
        ParamBlock.Write(_params, script, isFull: _dice.OnceIn(3));
        script.Params = _params.Written.ToArray();
        Stream(4, id, script.Params, pieces);
        if (!script.DeclaresLength || script.BodyLength > 0 || _dice.OnceIn(2))
        {
            Stream(5, id, script.Body, pieces);
        }

        if (_dice.OnceIn(_odds.AbortOnceIn))
        {
            // Where it falls behind the request, nobody knows which of the two is first.
            script.IsAborted = true;
            pieces.Insert(_dice.Between(1, pieces.Count + 1), Record(2, id, []));
        }

        pieces.Add(new Piece(0, 0, id));
        return pieces;
    }

    private void Scgi()
    {
        var script = NewScript(1);
        script.DeclaresLength = true;
        if (_dice.OnceIn(3))
        {
            script.IsUpgrade = true;
            _conversation.Ending = _conversation.Ending == Ending.Stay ? Ending.Finish : _conversation.Ending;
            script.IsHead = false;
            script.Fails = Failing.Nowhere;
            script.Writes = Writing.Stream;
            script.BodyLength = 0;
            script.Filler = 0;
        }
        else if (_dice.OnceIn(16))
        {
            script.IsCut = true;
            _conversation.Doubt();
        }

        _params.Clear();
        ParamBlock.Write(_params, script, isFull: _dice.OnceIn(3));
        script.Params = _params.Written.ToArray();
        _params.Clear();
        _params.Netstring(script.Params);
        Pieces.Add(_conversation.NewRaw(_params.Written));
        if (script.IsUpgrade)
        {
            // Once the head has come back, what follows is echoed.
            Pieces.Add(new Piece(0, 0, 1));
            script.BodyLength = _dice.Below(600);
            script.Reads = Reading.Echo;
        }

        if (script.BodyLength > 0)
        {
            Pieces.Add(_conversation.NewRaw(script.Body));
        }
    }

    private Script NewScript(int id)
    {
        var hasBody = _dice.OnceIn(_odds.IsHeavy ? 2 : 3);
        var script = new Script(_conversation, (uint)_dice.Next())
        {
            Id = id,
            IsHead = !hasBody && _dice.OnceIn(_odds.IsHeavy ? 4 : 12),
            BodyLength = hasBody ? Size() : 0,
            DeclaresLength = !_dice.OnceIn(5),
            LongHeader = _dice.OnceIn(6) ? _dice.Below(_odds.IsHeavy && _dice.OnceIn(4) ? 5000 : 200) : 0,
            Reads = NextReading(hasBody),
            Writes = (Writing)(_dice.OnceIn(40) ? _dice.Between(6, 8) : _dice.Below(6)),
            StartsSlowly = _dice.OnceIn(30),
            Filler = Size(),
            Hops = _dice.OnceIn(_odds.IsHeavy ? 3 : 6),
            Fails = _dice.OnceIn(60) ? (Failing)_dice.Below(8) : Failing.Nowhere,
            KeptUses = _dice.OnceIn(_odds.KeepsOnceIn) ? _odds.KeptUses : 0,
        };
        _conversation.Scripts.Add(script);
        return script;
    }

    private Reading NextReading(bool hasBody) =>
        _dice.OnceIn(_odds.AnyReadingOnceIn)
            ? hasBody || _dice.OnceIn(4) ? (Reading)_dice.Below(18) : Reading.None
            : (Reading)_dice.Between((int)Reading.Pipe, (int)Reading.Part);

    private void Stream(int type, int id, ReadOnlySpan<byte> content, List<Piece> into)
    {
        while (!content.IsEmpty)
        {
            var size = Math.Min(content.Length, _dice.OnceIn(6) ? _dice.Between(1, 300) : 65535);
            into.Add(Record(type, id, content[..size]));
            content = content[size..];
        }

        into.Add(Record(type, id, []));
    }

    private Piece Management()
    {
        _params.Clear();
        if (_dice.OnceIn(3))
        {
            Span<byte> content = stackalloc byte[20];
            content = content[.._dice.Below(20)];
            _dice.Fill(content);
            return Record(_dice.Between(12, 256), _dice.Below(2), content);
        }

        foreach (var value in s_values.Where(_ => _dice.OnceIn(2)))
        {
            _params.Param(isScgi: false, Encoding.ASCII.GetBytes(value), []);
        }

        return Record(9, 0, _params.Written);
    }

    private Piece Record(int type, int id, ReadOnlySpan<byte> content) =>
        _conversation.NewRecord(type, id, content, _dice.OnceIn(6) ? _dice.Below(256) : 0);

    private int Size() => _odds.IsHeavy
        ? _dice.Below(40) switch
        {
            0 => _dice.Below(400_000),
            < 4 => _dice.Between(60_000, 70_000),
            < 16 => _dice.Below(5000),
            < 30 => _dice.Below(100),
            _ => 0,
        }
        : _dice.Below(100) switch
        {
            0 => _dice.OnceIn(8) ? _dice.Below(Noise.MostBytes / 2) : _dice.Below(80_000),
            < 3 => _dice.Between(16_000, 17_000),
            < 20 => _dice.Below(3000),
            < 90 => _dice.Between(1, 100),
            _ => 1,
        };
}

/// <summary>How often a conversation has each peculiarity: once in so many chances.</summary>
/// <param name="IsHeavy">Bodies are long enough to fill the buffers of a socket.</param>
/// <param name="MostRounds">Requests one after the other.</param>
/// <param name="SideBySideOnceIn">Several requests at a time.</param>
/// <param name="ManagementOnceIn">Records of id 0 beside them.</param>
/// <param name="AbortOnceIn">The peer aborts a request.</param>
/// <param name="AnyReadingOnceIn">The application may leave the body, or some of it, unread.</param>
/// <param name="KeepsOnceIn">The application keeps objects of the request, and uses them when it is over.</param>
/// <param name="KeptUses">In how many ways: most of them throw, and exceptions are what costs in memory.</param>
/// <param name="ValidOfTwelve">So many conversations of twelve stay valid: there every answer is known.</param>
internal sealed record Odds(
    bool IsHeavy,
    int MostRounds,
    int SideBySideOnceIn,
    int ManagementOnceIn,
    int AbortOnceIn,
    int AnyReadingOnceIn,
    int KeepsOnceIn,
    int KeptUses,
    int ValidOfTwelve)
{
    /// <summary>Small ones, so that tens of thousands a second can differ in their steps.</summary>
    public static Odds Memory { get; } = new(
        IsHeavy: false, MostRounds: 3, SideBySideOnceIn: 6, ManagementOnceIn: 24, AbortOnceIn: 40,
        AnyReadingOnceIn: 1, KeepsOnceIn: 300, KeptUses: 5, ValidOfTwelve: 9);

    /// <summary>As much as possible in each, since a socket takes a millisecond.</summary>
    public static Odds Sockets { get; } = new(
        IsHeavy: true, MostRounds: 4, SideBySideOnceIn: 4, ManagementOnceIn: 4, AbortOnceIn: 6,
        AnyReadingOnceIn: 6, KeepsOnceIn: 4, KeptUses: int.MaxValue, ValidOfTwelve: 4);
}
