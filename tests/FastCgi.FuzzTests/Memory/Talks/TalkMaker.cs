using FastCgi.FuzzTests.Memory.Stepping;

namespace FastCgi.FuzzTests.Memory.Talks;

/// <summary>Makes the talks of one world: valid ones, and those that <see cref="TalkBreaker"/> makes wrong.</summary>
internal sealed class TalkMaker(Dice dice, List<Script> scripts, bool hasSelectors)
{
    // The workshop: used again for each talk.
    private readonly ByteWriter _work = new();
    private readonly ByteWriter _params = new();
    private readonly List<Piece> _pieces = [];
    private readonly List<List<Piece>> _lanes = [];

    public Talk Make(int number)
    {
        _work.Clear();
        _pieces.Clear();
        var isScgi = dice.OnceIn(8);
        var talk = new Talk
        {
            Number = number,
            IsScgi = isScgi,
            IsUnix = dice.OnceIn(2),
            HasOwnThreads = !dice.OnceIn(3),
            Ending = dice.Below(24) switch
            {
                < 14 => Ending.Finish,
                < 19 => Ending.HalfClose,
                19 or 20 => Ending.Close,
                21 or 22 => Ending.Reset,
                _ => Ending.Stay,
            },
            MostAtOnce = dice.Below(40) switch { 0 => 4, < 3 => 60, < 7 => 900, _ => int.MaxValue },
            Window = dice.OnceIn(8) ? dice.Between(1, 3000) : int.MaxValue,
        };
        talk.StopsReading = talk.Window != int.MaxValue && dice.OnceIn(8);
        if (isScgi)
        {
            Scgi(talk);
        }
        else
        {
            for (var rounds = dice.OnceIn(3) ? dice.Between(2, 4) : 1; rounds > 0; rounds--)
            {
                Round(talk, isLast: rounds == 1);
            }
        }

        talk.MayEndEarly |= talk.StopsReading
            || talk.Ending is not (Ending.Finish or Ending.Stay or Ending.HalfClose)
            || (talk.Ending == Ending.HalfClose && !talk.IsUnix);
        if (dice.OnceIn(4))
        {
            new TalkBreaker(dice, _work, _pieces).Break(talk);
        }

        Flatten(talk);
        if (talk.Ending != Ending.Finish)
        {
            talk.Stops.RemoveAll(stop => stop.Position == talk.Bytes.Length);
        }

        return talk;
    }

    private void Flatten(Talk talk)
    {
        foreach (var piece in _pieces)
        {
            if (piece.IsStop)
            {
                var answers = 1 + talk.Stops.Count(stop => stop.Id == piece.Id);
                talk.Stops.Add(new Talk.Stop(talk.Bytes.Length, piece.Id, answers));
            }
            else
            {
                talk.Bytes.Add(_work.Slice(piece.Start, piece.Length));
            }
        }

        if (talk.Bytes.Length > 1000 && talk.MostAtOnce < 900)
        {
            talk.MostAtOnce = 900;
        }
    }

    private void Round(Talk talk, bool isLast)
    {
        var width = dice.OnceIn(6) ? dice.Between(2, 5) : 1;
        var keeps = !isLast || !dice.OnceIn(3);
        talk.MayEndEarly |= !keeps && width > 1;
        if (width == 1)
        {
            Request(talk, NextId(), keeps, _pieces);
            return;
        }

        var first = NextId();
        _lanes.Clear();
        for (var i = 0; i < width; i++)
        {
            var lane = new List<Piece>();
            Request(talk, ((first + i - 1) % 65535) + 1, keeps, lane);
            lane.Reverse();
            _lanes.Add(lane);
        }

        // A stop ends its lane: it has to wait for the bytes of the others too.
        var stops = new List<Piece>();
        while (_lanes.Count > 0)
        {
            var lane = _lanes[dice.Below(_lanes.Count)];
            var piece = lane[^1];
            lane.RemoveAt(lane.Count - 1);
            (piece.IsStop ? stops : _pieces).Add(piece);
            _lanes.RemoveAll(static rest => rest.Count == 0);
        }

        _pieces.AddRange(stops);
    }

    private int NextId() => dice.Below(8) switch
    {
        0 => 65535,
        1 => dice.Between(1, 65536),
        _ => dice.Between(1, 4),
    };

    private void Request(Talk talk, int id, bool keeps, List<Piece> into)
    {
        var script = NewScript(talk, id);
        script.AsksInVain = dice.OnceIn(16);
        if (dice.OnceIn(60))
        {
            script.IsRefused = true;
            talk.Doubt();
        }

        var first = into.Count;
        into.Add(Record(1, id, [0, 1, keeps ? (byte)1 : (byte)0, 0, 0, 0, 0, 0]));
        _params.Clear();
        ParamBlock.Write(_params, script, isFull: dice.OnceIn(3));
        Stream(4, id, _params.Written, into);
        if (!script.DeclaresLength || script.BodyLength > 0 || dice.OnceIn(2))
        {
            Stream(5, id, script.Body, into);
        }

        if (dice.OnceIn(40))
        {
            // Where it falls behind the answer, it means nothing any more.
            script.IsAborted = true;
            into.Insert(dice.Between(first + 1, into.Count + 1), Record(2, id, []));
        }

        if (dice.OnceIn(24))
        {
            into.Insert(dice.Between(first, into.Count + 1), Management());
        }

        into.Add(new Piece(0, 0, id));
    }

    private void Scgi(Talk talk)
    {
        var script = NewScript(talk, 1);
        script.DeclaresLength = true;
        if (dice.OnceIn(3))
        {
            script.IsUpgrade = true;
            talk.Ending = talk.Ending == Ending.Stay ? Ending.Finish : talk.Ending;
            script.IsHead = false;
            script.Fails = Failing.Nowhere;
            script.Writes = Writing.Stream;
            script.BodyLength = 0;
            script.Filler = 0;
        }
        else if (dice.OnceIn(16))
        {
            script.IsCut = true;
            talk.Doubt();
        }

        _params.Clear();
        ParamBlock.WriteScgi(_params, script, isFull: dice.OnceIn(3));
        var start = _work.Length;
        _work.Netstring(_params.Written);
        _pieces.Add(new Piece(start, _work.Length - start));
        if (script.BodyLength > 0)
        {
            _pieces.Add(Raw(script.Body));
        }

        if (script.IsUpgrade)
        {
            // Once the head has come back, what follows is echoed.
            _pieces.Add(new Piece(0, 0, 1));
            var bytes = dice.Below(600);
            script.BodyLength = bytes;
            script.Reads = Reading.Echo;
            if (bytes > 0)
            {
                _pieces.Add(Raw(script.Body));
            }
        }
    }

    private Script NewScript(Talk talk, int id)
    {
        var hasBody = dice.OnceIn(3);
        var script = new Script
        {
            Talk = talk,
            Number = scripts.Count,
            Nonce = (uint)dice.Next(),
            Id = id,
            IsHead = !hasBody && dice.OnceIn(12),
            BodyLength = hasBody ? Size() : 0,
            DeclaresLength = !dice.OnceIn(5),
            Reads = hasBody || dice.OnceIn(4) ? (Reading)dice.Below(18) : Reading.None,
            Writes = dice.OnceIn(40) ? (dice.OnceIn(2) ? Writing.Several : Writing.Forgotten) : (Writing)dice.Below(6),
            StartsSlowly = dice.OnceIn(30),
            Filler = Size(),
            Hops = dice.OnceIn(6),
            Fails = dice.OnceIn(60) ? (Failing)dice.Below(hasSelectors ? 8 : 6) : Failing.Nowhere,
            Keeps = dice.OnceIn(300),
        };
        talk.MayEndEarly |= script.MayTear || script.LeavesBody || script.IsWild
            || script is { DeclaresLength: false, Reads: Reading.None };
        scripts.Add(script);
        talk.Scripts.Add(script);
        return script;
    }

    private void Stream(int type, int id, ReadOnlySpan<byte> content, List<Piece> into)
    {
        while (!content.IsEmpty)
        {
            var size = Math.Min(content.Length, dice.OnceIn(6) ? dice.Between(1, 300) : 65535);
            into.Add(Record(type, id, content[..size]));
            content = content[size..];
        }

        into.Add(Record(type, id, []));
    }

    private Piece Management()
    {
        _params.Clear();
        _params.Pair("FCGI_MAX_CONNS"u8, []);
        _params.Pair("FCGI_MPXS_CONNS"u8, []);
        return dice.OnceIn(3) ? Record(dice.Between(12, 256), 0, []) : Record(9, 0, _params.Written);
    }

    private Piece Record(int type, int id, ReadOnlySpan<byte> content)
    {
        var start = _work.Length;
        _work.Record(type, id, content, dice.OnceIn(6) ? dice.Below(256) : 0);
        return new Piece(start, _work.Length - start, id);
    }

    private Piece Raw(ReadOnlySpan<byte> bytes)
    {
        var start = _work.Length;
        _work.Add(bytes);
        return new Piece(start, bytes.Length);
    }

    private int Size() => dice.Below(100) switch
    {
        0 => dice.OnceIn(8) ? dice.Below(Noise.MostBytes / 2) : dice.Below(80_000),
        < 3 => dice.Between(16_000, 17_000),
        < 20 => dice.Below(3000),
        < 90 => dice.Between(1, 100),
        _ => 1,
    };
}
